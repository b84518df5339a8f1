/** When a schedule is on: times of a range instead of the state at an instant. */

import type { ScheduleState } from './schedule-state.ts';

/** Half-open, epoch milliseconds. */
export interface ShownSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Times at which a schedule changes in one range. Of a range with more, only the newest part is shown. */
export const MAX_CHANGES = 2_000;

/** How far back the last change is looked for: a year, and the changes of daylight saving time around it. */
export const LOOK_BACK_MS = 400 * 86_400_000;
/** More than a week: most schedules have changed by then. */
const LOOK_BACK_STEP_MS = 8 * 86_400_000;

/**
 * When the state that holds at `atMs` began; null: before LOOK_BACK_MS, or before 1970. `stateAt`: as `scheduleStateAt`.
 */
export function lastChange(stateAt: (epochMs: number) => ScheduleState | null, atMs: number): number | null {
  const now = stateAt(atMs);
  if (now === null) return null;
  const firstMs = Math.max(0, atMs - LOOK_BACK_MS);
  for (let toMs = atMs + 1; toMs > firstMs; ) {
    const fromMs = Math.max(firstMs, toMs - LOOK_BACK_STEP_MS);
    const last = scheduleSpans(stateAt, !now.isInside, fromMs, toMs).at(-1);
    // It changed between the two steps.
    if (last === undefined || last.toMs < toMs) return toMs;
    if (last.fromMs > fromMs) return last.fromMs;
    toMs = fromMs;
  }
  return null;
}

/**
 * The parts of [fromMs, toMs) in which the schedule is on, or off if `isInverted`, in order. `stateAt`: as
 * `scheduleStateAt`; if it is null, there are none.
 */
export function scheduleSpans(
  stateAt: (epochMs: number) => ScheduleState | null,
  isInverted: boolean,
  fromMs: number,
  toMs: number,
): ShownSpan[] {
  const spans: ShownSpan[] = [];
  let atMs = fromMs;
  for (let changes = 0; atMs < toMs; changes++) {
    if (changes === MAX_CHANGES) {
      return scheduleSpans(stateAt, isInverted, toMs - Math.floor((atMs - fromMs) / 2), toMs);
    }
    const state = stateAt(atMs);
    if (state === null) return [];
    const endMs = Math.min(toMs, state.changesAtEpochMs ?? Number.POSITIVE_INFINITY);
    const last = spans.at(-1);
    if (state.isInside !== isInverted) {
      if (last?.toMs === atMs) spans[spans.length - 1] = { fromMs: last.fromMs, toMs: endMs };
      else spans.push({ fromMs: atMs, toMs: endMs });
    }
    // A schedule without an end decides nothing beyond this instant.
    if (endMs <= atMs) break;
    atMs = endMs;
  }
  return spans;
}
