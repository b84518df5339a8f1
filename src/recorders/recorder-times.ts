/**
 * Times as recorders write them. Hikvision's end in Z and are the recorder's local time all the same, on most firmware; Dahua's
 * have no zone and are local. So a time is read as if it were UTC, and the recorder's offset is taken off.
 */

/** `20240131T120000Z`, as in URLs (ISO 8601 basic format). */
export function basicTime(epochMs: number): string {
  return new Date(epochMs)
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z')
    .replaceAll(/[-:]/g, '');
}

/** `20240131T120000.250Z`, as in `Range: clock=` (RFC 2326 §3.7). */
export function clockTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replaceAll(/[-:]/g, '');
}

/** `2024-01-31T12:00:00Z`. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** `2024_01_31_12_00_00`. */
export function underscoreTime(epochMs: number): string {
  return isoTime(epochMs).replaceAll(/[-:T]/g, '_').replace('Z', '');
}

/** `2024-01-31 12:00:00`. */
export function spacedTime(epochMs: number): string {
  return isoTime(epochMs).replace('T', ' ').replace('Z', '');
}

const QUARTER_HOUR_MS = 900_000;
/** Recorders show whole seconds, and take a moment to respond. */
const CLOCK_NOISE_MS = 1_500;

/**
 * How far a recorder's clock is ahead, by one reading of it. A clock that is right, in whatever zone, reads as one that is
 * right.
 */
export function steadyOffsetMs(offsetMs: number): number {
  const rightMs = Math.round(offsetMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  return Math.abs(offsetMs - rightMs) < CLOCK_NOISE_MS ? rightMs : offsetMs;
}

const TIME = /(\d{4})-?(\d{1,2})-?(\d{1,2})[T ](\d{1,2}):?(\d{2}):?(\d{2})(?:\.(\d{1,6}))?/i;
const ZONE = /([+-])(\d{2}):?(\d{2})\s*$/;
const MS_PER_MINUTE = 60_000;

/** The time that a text shows, as if it were UTC, whatever zone it names; null: it shows none. */
export function shownTimeMs(text: string): number | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = Number(`0.${match[7] ?? '0'}`);
  const timeMs = Date.UTC(year, month - 1, day, hour, minute, second) + Math.round(fraction * 1_000);
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** How far the zone that a text names is ahead of UTC; null: it names none. */
export function zoneMs(text: string): number | null {
  const match = ZONE.exec(text);
  if (match === null) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === '-' ? -minutes : minutes) * MS_PER_MINUTE;
}
