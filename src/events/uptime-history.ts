/**
 * A camera's history without gaps: it was up, it was down, the gateway was not running, or the state is unknown. It is computed from what
 * the gateway saw of the camera (device-health.ts) and from the record of its runs (gateway-run.ts). One run's view tells nothing about the
 * next run: between its start and the first contact, the state is unknown.
 */

import type { GatewayRun } from '../store/gateway-run.ts';
import type { DeviceHealthEvent } from './device-health.ts';

export const UPTIME_STATES = ['up', 'down', 'not-running', 'unknown'] as const;
export type UptimeState = (typeof UPTIME_STATES)[number];

export interface UptimeSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly state: UptimeState;
}

/** Runs closer to each other than this are one: a gateway that was replaced immediately missed nothing. */
const JOINED_MS = 1_000;

/**
 * `events`: the gateway's observations of the camera, in order, with the last ones before the range. `runs`: in the order of their starts;
 * the gateway that asks is running. In order; neighbors differ.
 */
export function uptimeHistory(
  events: readonly DeviceHealthEvent[],
  runs: readonly GatewayRun[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): UptimeSpan[] {
  const spans: UptimeSpan[] = [];
  const add = (fromMs: number, toMs: number, state: UptimeState) => {
    const span = { startMs: Math.max(fromMs, startMs), endMs: Math.min(toMs, endMs), state };
    if (span.endMs <= span.startMs) return;
    const last = spans.at(-1);
    if (last?.state === state) spans[spans.length - 1] = { ...last, endMs: span.endMs };
    else spans.push(span);
  };
  const running = joined(runs, nowMs);
  let untilMs = Number.NEGATIVE_INFINITY;
  let index = 0;
  for (const run of running) {
    add(untilMs, run.startMs, untilMs === Number.NEGATIVE_INFINITY ? 'unknown' : 'not-running');
    let state: UptimeState = 'unknown';
    let fromMs = run.startMs;
    while (index < events.length && events[index]!.atMs < run.startMs) index++;
    for (; index < events.length && events[index]!.atMs < run.endMs; index++) {
      const { atMs, body } = events[index]!;
      add(fromMs, atMs, state);
      state = body.symptom === 'DOWN' ? 'down' : 'up';
      fromMs = atMs;
    }
    add(fromMs, run.endMs, state);
    untilMs = run.endMs;
  }
  add(untilMs, endMs, 'unknown');
  return spans;
}

interface Running {
  readonly startMs: number;
  readonly endMs: number;
}

/** The last run lasts until now. */
function joined(runs: readonly GatewayRun[], nowMs: number): Running[] {
  const apart: Running[] = [];
  for (const { startedAtMs: startMs, lastSeenAtMs: endMs } of runs) {
    const last = apart.at(-1);
    if (last === undefined || startMs > last.endMs + JOINED_MS) apart.push({ startMs, endMs });
    else if (endMs > last.endMs) apart[apart.length - 1] = { ...last, endMs };
  }
  const last = apart.at(-1);
  if (last !== undefined && last.endMs < nowMs) apart[apart.length - 1] = { ...last, endMs: nowMs };
  return apart;
}
