/** Turns a schedule error into a sentence that names the field. Each kind of schedule has its own field names. */

import type { ErrorContext } from '../core/errors.ts';
import type { ScheduleFault, SchedulePlace } from '../sharing/schedule-service.ts';

type Kind = NonNullable<SchedulePlace['of']>;
type PartNames = Readonly<Record<'intervals' | 'start' | 'stop', string>>;

const PARTS: Readonly<Record<Kind, PartNames | null>> = {
  WEEKLY_REPEATING_MINUTES: {
    intervals: 'intervalList',
    start: 'minuteOfWeekStart',
    stop: 'minuteOfWeekStop',
  },
  ABSOLUTE_SECONDS: { intervals: 'intervalList', start: 'b', stop: 'e' },
  RELATIVE_DATETIME_INTERVALS: {
    intervals: 'intervals',
    start: 'localStartDateTime',
    stop: 'localEndDateTime',
  },
  REALTIME_RELATIVE_SECONDS: null,
};

/** `context`: the context of SCHEDULE_INVALID. */
export function scheduleSentence(context: ErrorContext): string {
  const fault = context as unknown as ScheduleFault;
  const field = fieldOf(fault);
  switch (fault.rule) {
    case 'blank':
      return `${field} must not be blank.`;
    case 'too-long':
      return `${field} must have at most ${fault.limit} characters.`;
    case 'too-many':
      return `${field} must have at most ${fault.limit} intervals.`;
    case 'not-in-range':
      return `${field} must be a whole number from 0 to ${fault.limit}.`;
    case 'not-after-start':
      return `${field} must be later than ${fieldOf({ ...fault, part: 'start' })}.`;
    case 'no-local-date-time':
      return `${field} must be a date and time without a zone, such as 2026-03-29T08:30:00.`;
  }
}

function fieldOf({ of, part, index }: SchedulePlace): string {
  if (part === 'name') return 'name';
  const names = of === undefined ? null : PARTS[of];
  if (part === 'past' || names === null) return 'pastSeconds';
  return part === 'intervals' ? names.intervals : `${names.intervals}[${index}].${names[part]}`;
}
