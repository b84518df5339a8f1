/** Texts of the timeline: its marks, and the day it shows. Pure; locale and time zone are the viewer's. */

import type { PastHours } from './open.ts';
import { dayOf, timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';
import { daysLater, epochMsOf, startOfDay, wallMs } from './words/zone.ts';

const MIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MIN_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
];
/** A mark and the space around it. */
const MARK_WIDTH_PX = 72;
/** Marks at the very edge would be cut off: half of "10:30 PM", without the margin. */
const EDGE_PX = 20;
const MIN_EDGE_SHARE = 0.03;
const MAX_EDGE_SHARE = 0.25;

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
  // Counted by the clock on the wall, which goes forward or back an hour on some days.
  const shownMs = wallMs(startMs);
  const edge = Math.min(MAX_EDGE_SHARE, Math.max(MIN_EDGE_SHARE, EDGE_PX / widthPx));
  const marks: ScaleMark[] = [];
  for (let markMs = shownMs - (shownMs % stepMs); ; markMs += stepMs) {
    const epochMs = epochMsOf(markMs);
    if (epochMs >= endMs) break;
    const at = (epochMs - startMs) / spanMs;
    if (at > edge && at < 1 - edge) marks.push({ epochMs, at });
  }
  return marks;
}

/** "Today", "Yesterday", "Fri, Nov 20", with the year if it is another one. */
export function shortDay(epochMs: number, nowEpochMs: number): string {
  const day = dayOf(epochMs);
  if (day === dayOf(nowEpochMs)) return t('Today');
  if (day === dayOf(daysLater(nowEpochMs, -1))) return t('Yesterday');
  const year = timeFormat('year');
  const isThisYear = year.format(epochMs) === year.format(nowEpochMs);
  return timeFormat(isThisYear ? 'day' : 'date').format(epochMs);
}

/** The days of the viewer's time zone in which there is video, ascending. */
export function daysOf(hours: PastHours): PastDay[] {
  const days: { dayMs: number; runs: { from: number; to: number }[] }[] = [];
  for (const [hour, count] of hours) {
    const endMs = (hour + count) * HOUR_MS;
    for (let atMs = hour * HOUR_MS; atMs < endMs; ) {
      const dayMs = startOfDay(atMs);
      const untilMs = Math.min(endMs, daysLater(dayMs, 1));
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
  const part = (form: 'longZone' | 'offset'): string =>
    timeFormat(form)
      .formatToParts(epochMs)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [long, short] = [part('longZone'), part('offset')];
  return long === short ? long : `${long} (${short})`;
}
