/** When a schedule of any kind is on, in words. Pure. */

import { TIME_ZONE } from '../words/choices.ts';
import { dayTimeFormat } from '../words/formats.ts';
import type { ScheduleItem } from './schedule-now.ts';
import { duration } from './ui/time.tsx';
import { weekOf } from './week.ts';
import { weekText } from './week-words.ts';
import { t } from './words.ts';

/** The zone in which moments are said that are the same everywhere. */
export const OWN_TIME_ZONE = TIME_ZONE;

const MOMENT = dayTimeFormat('dateMinutes');
/** Local times have no zone; UTC keeps their digits. */
const LOCAL = dayTimeFormat('dateMinutes', 'UTC');

/** Lines without a period. */
export function scheduleText(schedule: ScheduleItem): string[] {
  switch (schedule.strategy) {
    case 'WEEKLY_REPEATING_MINUTES':
      return weekText(weekOf(schedule.intervalList));
    case 'ABSOLUTE_SECONDS':
      return spansText(
        schedule.intervalList.map(({ b, e }) => [MOMENT.format(b * 1_000), MOMENT.format(e * 1_000)]),
      );
    case 'REALTIME_RELATIVE_SECONDS':
      return [t('The last {duration}, always', { duration: duration(schedule.pastSeconds) })];
    case 'RELATIVE_DATETIME_INTERVALS':
      return spansText(
        schedule.intervals.map(({ localStartDateTime, localEndDateTime }) => [
          LOCAL.format(Date.parse(`${localStartDateTime}Z`)),
          LOCAL.format(Date.parse(`${localEndDateTime}Z`)),
        ]),
      );
  }
}

function spansText(spans: readonly (readonly [from: string, to: string])[]): string[] {
  return spans.length === 0 ? [t('Never')] : spans.map(([from, to]) => t('{from} to {to}', { from, to }));
}
