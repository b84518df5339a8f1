/** Dates, numbers, and lists in the document's language and time zone. The only place that makes formats of `Intl`. */

import { LOCALE, TIME_ZONE } from './choices.ts';

const made = new Map<string, unknown>();

const MINUTES = { hour: 'numeric', minute: '2-digit' } as const;
const SECONDS = { ...MINUTES, second: '2-digit' } as const;
const DAY_MONTH = { day: 'numeric', month: 'short' } as const;
const DATE = { ...DAY_MONTH, year: 'numeric' } as const;
const ZONE = { timeZoneName: 'short' } as const;

/** All forms in which pages show times. */
const TIMES = {
  /** 14:05 */
  minutes: MINUTES,
  /** 14:05:09 */
  seconds: SECONDS,
  /** 14:05 CEST */
  zonedMinutes: { ...MINUTES, ...ZONE },
  /** Mon 14:05 */
  weekdayMinutes: { weekday: 'short', ...MINUTES },
  /** 15 Apr, 14:05 */
  shortMinutes: { ...DAY_MONTH, ...MINUTES },
  /** Wed, 15 Apr */
  day: { weekday: 'short', ...DAY_MONTH },
  /** Wed, 15 Apr, 14:05 */
  dayMinutes: { weekday: 'short', ...DAY_MONTH, ...MINUTES },
  /** Wed, 15 Apr, 14:05:09 */
  daySeconds: { weekday: 'short', ...DAY_MONTH, ...SECONDS },
  /** 15 Apr, 14:05:09 CEST */
  zonedSeconds: { ...DAY_MONTH, ...SECONDS, ...ZONE },
  /** 15 Apr 2026 */
  date: DATE,
  /** 15 Apr 2026, 14:05 */
  dateMinutes: { ...DATE, ...MINUTES },
  /** 15 Apr 2026, 14:05:09 */
  dateSeconds: { ...DATE, ...SECONDS },
  /** 15 Apr 2026, 14:05 CEST */
  dateZone: { ...DATE, ...MINUTES, ...ZONE },
  /** 15 Apr 2026, 14:05:09 CEST */
  zonedDate: { ...DATE, ...SECONDS, ...ZONE },
  /** Wed, 15 Apr 2026, 14:05:09 CEST */
  exact: { weekday: 'short', ...DATE, ...SECONDS, ...ZONE },
  /** Wednesday, 15 April */
  longDay: { weekday: 'long', day: 'numeric', month: 'long' },
  /** Wednesday, 15 April 2026 */
  fullDay: { dateStyle: 'full' },
  /** April 2026 */
  month: { month: 'long', year: 'numeric' },
  year: { year: 'numeric' },
  zone: ZONE,
  longZone: { timeZoneName: 'long' },
  offset: { timeZoneName: 'shortOffset' },
  /** Equal for moments of one day. */
  comparedDay: { year: 'numeric', month: '2-digit', day: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeForm = keyof typeof TIMES;

/** With the hours of the language, such as 2:05 PM. */
export function timeFormat(form: TimeForm, timeZone: string = TIME_ZONE): Intl.DateTimeFormat {
  return madeTime(form, timeZone, false);
}

/** With hours from 00 to 23, whatever the language: where times are compared with those of recordings and schedules. */
export function dayTimeFormat(form: TimeForm, timeZone: string = TIME_ZONE): Intl.DateTimeFormat {
  return madeTime(form, timeZone, true);
}

function madeTime(form: TimeForm, timeZone: string, is24: boolean): Intl.DateTimeFormat {
  return once(`time ${form} ${timeZone} ${is24}`, {}, () => {
    const options: Intl.DateTimeFormatOptions = { timeZone, ...TIMES[form] };
    const counts24 = is24 || hourCycle() === 'h23';
    const hours =
      counts24 && options.hour !== undefined ? ({ hour: '2-digit', hourCycle: 'h23' } as const) : {};
    return new Intl.DateTimeFormat(LOCALE, { ...options, ...hours });
  });
}

/** Languages that count to 23 would write 2:05 where people write 02:05. */
function hourCycle(): string | undefined {
  return once(
    'hours',
    {},
    () => new Intl.DateTimeFormat(LOCALE, { hour: 'numeric' }).resolvedOptions().hourCycle,
  );
}

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return once('number', options, () => new Intl.NumberFormat(LOCALE, options));
}

export function relativeFormat(options: Intl.RelativeTimeFormatOptions): Intl.RelativeTimeFormat {
  return once('relative', options, () => new Intl.RelativeTimeFormat(LOCALE, options));
}

/** Names in the order of people: "camera 2" before "camera 10". */
export function nameOrder(): Intl.Collator {
  return once('order', {}, () => new Intl.Collator(LOCALE, { numeric: true }));
}

/** As in "A, B, and C". */
export function listText(items: Iterable<string>): string {
  return once('list', {}, () => new Intl.ListFormat(LOCALE)).format(items);
}

/** As in "1,234". */
export function numberText(value: number): string {
  return numberFormat().format(value);
}

/** Equal for moments of one day in the document's time zone. */
export function dayOf(epochMs: number): string {
  return timeFormat('comparedDay').format(epochMs);
}

/** "6:00 PM", with the day if it is not that of now. */
export function momentText(epochMs: number, nowEpochMs: number): string {
  const isToday = dayOf(epochMs) === dayOf(nowEpochMs);
  return timeFormat(isToday ? 'minutes' : 'dayMinutes').format(epochMs);
}

/** Formats are expensive to make. */
function once<Format>(kind: string, options: object, make: () => Format): Format {
  const key = `${kind} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Format;
}
