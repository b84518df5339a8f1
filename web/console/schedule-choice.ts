/** Which schedule shows a share, or hides it: none, a stored one, or one that was painted for it. Pure. */

import type { Week } from './week.ts';
import { weekText } from './week-words.ts';
import { t } from './words.ts';

export interface ScheduleChoice {
  /** Null: always shown, unless a week was painted. */
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
  /** Stored with the share; null: none. */
  readonly painted: PaintedSchedule | null;
}

export interface PaintedSchedule {
  /** Empty: named by its times. */
  readonly name: string;
  readonly week: Week;
}

export const NO_SCHEDULE: ScheduleChoice = { scheduleUuid: null, invertSchedule: false, painted: null };

/** As the API takes it. */
const MAX_NAME_CHARS = 256;

/** As in "Monday to Friday 9:00 to 17:00". */
export function paintedName({ name, week }: PaintedSchedule): string {
  return (name.trim() || weekText(week).join('; ')).slice(0, MAX_NAME_CHARS);
}

/** Null: none. */
export function scheduleFault({ painted, invertSchedule }: ScheduleChoice): string | null {
  if (painted === null || painted.week.length > 0) return null;
  return invertSchedule
    ? t('Paint when viewers cannot watch, or choose a stored schedule.')
    : t('Paint when viewers can watch, or choose a stored schedule.');
}
