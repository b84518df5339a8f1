/** Which times of a range a timelapse shows: not the nights or weekends of its camera, if they are to be left out. */

import type { Ruuid } from '../core/ruuid.ts';
import { parseWeeklyTimes } from '../recording/weekly-times.ts';
import { type ShownSpan, scheduleSpans } from '../sharing/schedule-spans.ts';
import { scheduleStateAt } from '../sharing/schedule-state.ts';
import type { Schedule } from '../store/entities.ts';
import type { TimelapseOrder } from './clip-records.ts';

const DAYLIGHT = '06:00-20:00';
const WHOLE_DAY = '00:00-24:00';

/** In order, within [fromMs, toMs). */
export function timelapseSpans(
  { skipsNights, skipsWeekends, timeZones }: TimelapseOrder,
  cameraUuid: Ruuid,
  fromMs: number,
  toMs: number,
): ShownSpan[] {
  if (!skipsNights && !skipsWeekends) return [{ fromMs, toMs }];
  const times = `${skipsWeekends ? 'Mon-Fri' : 'daily'} ${skipsNights ? DAYLIGHT : WHOLE_DAY}`;
  const schedule: Schedule = {
    uuid: cameraUuid,
    orgUuid: cameraUuid,
    name: '',
    mutable: false,
    oneTimeUse: false,
    createdAtMs: 0,
    updatedAtMs: 0,
    strategy: 'WEEKLY_REPEATING_MINUTES',
    intervals: parseWeeklyTimes(times)!,
  };
  const timeZone = timeZones[cameraUuid]!;
  return scheduleSpans((atMs) => scheduleStateAt(schedule, timeZone, atMs), false, fromMs, toMs);
}
