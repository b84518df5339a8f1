/** The axis of the timeline: what it shows, its marks, and times as the site's clocks on the wall say them. Pure. */

import { dayTimeFormat, type TimeForm } from '../words/formats.ts';
import { epochMsOf, offsetMsAt } from './schedule-now.ts';

/** The visible stretch of time. */
export interface View {
  readonly startMs: number;
  readonly spanMs: number;
}

export interface AxisMark {
  readonly epochMs: number;
  readonly text: string;
  /** A day begins. */
  readonly isDay: boolean;
}

const SEC_MS = 1_000;
const MIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const MIN_SPAN_MS = 10 * SEC_MS;
export const MAX_SPAN_MS = 30 * DAY_MS;
/** The edge of now is this far from the right. */
const AHEAD_SHARE = 0.04;

const SHORT_STEPS_MS = [1, 2, 5, 10, 15, 30].flatMap((each) => [each * SEC_MS, each * MIN_MS]);
const HOUR_STEPS = [1, 2, 3, 6, 12];
const DAY_STEPS = [1, 2, 5, 10];

/** Never beyond now, nor before the epoch, nor closer or wider than the axis goes. */
export function clampView({ startMs, spanMs }: View, nowMs: number): View {
  const span = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, spanMs));
  return { startMs: Math.max(0, Math.min(startMs, latestStartMs(span, nowMs))), spanMs: span };
}

/** The view that ends now. */
export function liveView(spanMs: number, nowMs: number): View {
  return clampView({ startMs: Number.MAX_SAFE_INTEGER, spanMs }, nowMs);
}

export function isAtNow({ startMs, spanMs }: View, nowMs: number): boolean {
  return startMs >= latestStartMs(spanMs, nowMs) - spanMs * 0.01;
}

function latestStartMs(spanMs: number, nowMs: number): number {
  return nowMs - spanMs * (1 - AHEAD_SHARE);
}

/** `factor` below 1: closer. `atMs` stays where it is on the screen. */
export function zoomed({ startMs, spanMs }: View, factor: number, atMs: number, nowMs: number): View {
  const span = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, spanMs * factor));
  return clampView({ startMs: atMs - ((atMs - startMs) * span) / spanMs, spanMs: span }, nowMs);
}

export function panned(view: View, byMs: number, nowMs: number): View {
  return clampView({ ...view, startMs: view.startMs + byMs }, nowMs);
}

/** The same zoom, so that the instant is in view; the view itself if it is. */
export function showing(view: View, atMs: number, nowMs: number): View {
  const { startMs, spanMs } = view;
  if (atMs >= startMs && atMs <= startMs + spanMs) return view;
  return clampView({ startMs: atMs - spanMs / 2, spanMs }, nowMs);
}

export function xOf({ startMs, spanMs }: View, epochMs: number, widthPx: number): number {
  return ((epochMs - startMs) / spanMs) * widthPx;
}

export function msAt({ startMs, spanMs }: View, x: number, widthPx: number): number {
  return startMs + (Math.min(widthPx, Math.max(0, x)) / widthPx) * spanMs;
}

/** Even times by the clock on the wall, `minPx` apart at least. Days of 23 and 25 hours are as long as they are. */
export function axisMarks(view: View, widthPx: number, timeZone: string, minPx: number): AxisMark[] {
  const most = Math.max(1, Math.floor(widthPx / minPx));
  const fits = (stepMs: number) => view.spanMs / stepMs <= most;
  const short = SHORT_STEPS_MS.toSorted((a, b) => a - b).find(fits);
  if (short !== undefined) return shortMarks(view, short, timeZone);
  const hours = HOUR_STEPS.find((each) => fits(each * HOUR_MS));
  const days = DAY_STEPS.find((each) => fits(each * DAY_MS)) ?? DAY_STEPS.at(-1)!;
  return dayMarks(view, hours ?? 24, hours === undefined ? days : 1, timeZone);
}

function shortMarks({ startMs, spanMs }: View, stepMs: number, timeZone: string): AxisMark[] {
  const marks: AxisMark[] = [];
  const offsetMs = offsetMsAt(timeZone, startMs);
  // Clocks are set by half hours and hours, which no short step breaks.
  let epochMs = Math.ceil((startMs + offsetMs) / stepMs) * stepMs - offsetMs;
  for (; epochMs <= startMs + spanMs; epochMs += stepMs) {
    marks.push(markAt(epochMs, timeZone, stepMs < MIN_MS ? 'seconds' : 'minutes'));
  }
  return marks;
}

function dayMarks(
  { startMs, spanMs }: View,
  stepHours: number,
  stepDays: number,
  timeZone: string,
): AxisMark[] {
  const marks: AxisMark[] = [];
  const endMs = startMs + spanMs;
  // Whole days since the epoch by the local clock: a step of days counts from there, so that marks stay while one pans.
  let day = Math.floor((startMs + offsetMsAt(timeZone, startMs)) / DAY_MS);
  day -= day % stepDays;
  for (; ; day += stepDays) {
    for (let hour = 0; hour < 24; hour += stepHours) {
      const local = new Date(day * DAY_MS + hour * HOUR_MS).toISOString().slice(0, 19);
      const epochMs = epochMsOf(local, timeZone);
      if (epochMs > endMs) return marks;
      // An hour that a clock skips is the next one.
      if (epochMs >= startMs && epochMs > (marks.at(-1)?.epochMs ?? -1)) {
        marks.push(markAt(epochMs, timeZone, 'minutes'));
      }
    }
  }
}

function markAt(epochMs: number, timeZone: string, precision: 'minutes' | 'seconds'): AxisMark {
  const isDay = (epochMs + offsetMsAt(timeZone, epochMs)) % DAY_MS === 0;
  const text = isDay ? format(timeZone, 'day', epochMs) : format(timeZone, precision, epochMs);
  return { epochMs, text, isDay };
}

export function format(timeZone: string, form: TimeForm, epochMs: number): string {
  return dayTimeFormat(form, timeZone).format(epochMs);
}

/** The value of a `datetime-local` field with seconds. */
export function zonedInput(epochMs: number, timeZone: string): string {
  const wholeMs = Math.floor(epochMs / SEC_MS) * SEC_MS;
  return new Date(wholeMs + offsetMsAt(timeZone, wholeMs)).toISOString().slice(0, 19);
}

/** Null: the field is not filled in. Of a time that a clock shows twice, the first one. */
export function epochMsOfZonedInput(value: string, timeZone: string): number | null {
  return Number.isNaN(Date.parse(`${value}Z`)) ? null : epochMsOf(value, timeZone);
}

/** As in "1 h 5 min 3 s". */
export function lengthText(ms: number): string {
  const sec = Math.round(ms / SEC_MS);
  const parts = [
    [Math.floor(sec / 3_600), 'h'],
    [Math.floor((sec % 3_600) / 60), 'min'],
    [sec % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}
