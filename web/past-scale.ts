/** Texts of the timeline: its marks, and the day it shows. Pure; locale and time zone are the viewer's. */

import type { PastHours } from './open.ts';

const MIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MIN_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
];
/** A mark and the space around it. */
const MARK_WIDTH_PX = 72;
/** Marks at the very edge would be cut off. */
const EDGE_SHARE = 0.03;

export interface ScaleMark {
  readonly epochMs: number;
  /** 0: left, 1: right. */
  readonly at: number;
}

/** A day with video, and its hours. */
export interface PastDay {
  readonly dayMs: number;
  /** Hours of video since its midnight, half-open, ascending. */
  readonly runs: readonly { readonly from: number; readonly to: number }[];
}

/** Even times of the day within the range, as many as fit. */
export function scaleMarks(startMs: number, endMs: number, widthPx: number): ScaleMark[] {
  const spanMs = endMs - startMs;
  const most = Math.max(1, Math.floor(widthPx / MARK_WIDTH_PX));
  const stepMs = STEPS_MS.find((each) => spanMs / each <= most) ?? STEPS_MS.at(-1)!;
  const day = new Date(startMs);
  // Counted by the clock on the wall, which goes forward or back an hour on some days.
  const markAt = (step: number): number =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, (step * stepMs) / MIN_MS).getTime();
  const marks: ScaleMark[] = [];
  for (let step = 0, epochMs = markAt(0); epochMs < endMs; epochMs = markAt(++step)) {
    const at = (epochMs - startMs) / spanMs;
    if (at > EDGE_SHARE && at < 1 - EDGE_SHARE) marks.push({ epochMs, at });
  }
  return marks;
}

/** "Today", "Yesterday", "Fri, Nov 20", with the year if it is another one. */
export function shortDay(epochMs: number, nowEpochMs: number): string {
  const day = new Date(epochMs);
  const now = new Date(nowEpochMs);
  if (day.toDateString() === now.toDateString()) return 'Today';
  const yesterday = new Date(nowEpochMs);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day.toDateString() === yesterday.toDateString()) return 'Yesterday';
  const year: Intl.DateTimeFormatOptions =
    day.getFullYear() === now.getFullYear() ? { weekday: 'short' } : { year: 'numeric' };
  return new Intl.DateTimeFormat(undefined, { ...year, day: 'numeric', month: 'short' }).format(epochMs);
}

/** Midnight before the instant. */
function startOfDay(epochMs: number): number {
  const day = new Date(epochMs);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** The day after it, at midnight: days have 23 to 25 hours. */
export function nextDay(dayMs: number): number {
  const day = new Date(dayMs);
  day.setDate(day.getDate() + 1);
  return day.getTime();
}

/** The days of the viewer's time zone in which there is video, ascending. */
export function daysOf(hours: PastHours): PastDay[] {
  const days: { dayMs: number; runs: { from: number; to: number }[] }[] = [];
  for (const [hour, count] of hours) {
    const endMs = (hour + count) * HOUR_MS;
    for (let atMs = hour * HOUR_MS; atMs < endMs; ) {
      const dayMs = startOfDay(atMs);
      const untilMs = Math.min(endMs, nextDay(dayMs));
      const run = { from: (atMs - dayMs) / HOUR_MS, to: (untilMs - dayMs) / HOUR_MS };
      const last = days.at(-1);
      if (last?.dayMs === dayMs) last.runs.push(run);
      else days.push({ dayMs, runs: [run] });
      atMs = untilMs;
    }
  }
  return days;
}

/** "Central European Standard Time (GMT+1)", as it was at that instant. */
export function zoneText(epochMs: number): string {
  const part = (timeZoneName: 'long' | 'shortOffset'): string =>
    new Intl.DateTimeFormat(undefined, { timeZoneName })
      .formatToParts(epochMs)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [long, short] = [part('long'), part('shortOffset')];
  return long === short ? long : `${long} (${short})`;
}
