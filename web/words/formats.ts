/** Dates, numbers, and lists in the document's language and time zone. The only place that makes formats of `Intl`. */

import { LOCALE, TIME_ZONE } from './choices.ts';

const made = new Map<string, unknown>();

/** Also for another zone: `options.timeZone`. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once('date', options, () => new Intl.DateTimeFormat(LOCALE, { timeZone: TIME_ZONE, ...options }));
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

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;

/** Equal for moments of one day in the document's time zone. */
export function dayOf(epochMs: number): string {
  return dateFormat(DAY).format(epochMs);
}

/** "6:00 PM", with the day if it is not that of now. */
export function momentText(epochMs: number, nowEpochMs: number): string {
  const isToday = dayOf(epochMs) === dayOf(nowEpochMs);
  const day: Intl.DateTimeFormatOptions = isToday ? {} : { weekday: 'short', day: 'numeric', month: 'short' };
  return dateFormat({ hour: 'numeric', minute: '2-digit', ...day }).format(epochMs);
}

/** Formats are expensive to make. */
function once<Format>(kind: string, options: object, make: () => Format): Format {
  const key = `${kind} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Format;
}
