/** IANA time zones, as this browser knows them. Pure. */

import { dayTimeFormat } from '../words/formats.ts';

/** In the order of names. */
export function timeZones(): readonly string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes('UTC') ? known : [...known, 'UTC'];
}

/** Also accepts former names, such as `Asia/Calcutta`. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text !== '';
  } catch {
    return false;
  }
}

/** As in "14:05"; empty if this browser does not know the zone. */
export function timeIn(zone: string, epochMs: number): string {
  if (!isTimeZone(zone)) return '';
  return dayTimeFormat('minutes', zone).format(epochMs);
}

/** "new york" finds America/New_York. */
export function zoneTitle(zone: string): string {
  return zone.replaceAll('_', ' ');
}
