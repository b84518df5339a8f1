/** The clock on the wall in the document's time zone. Its times are in milliseconds, as if the zone were UTC. */

import { TIME_ZONE } from './choices.ts';

const DAY_MS = 86_400_000;
/** Swedish dates and times are those of ISO 8601. */
const clock = new Intl.DateTimeFormat('sv', { timeZone: TIME_ZONE, dateStyle: 'short', timeStyle: 'medium' });

export function wallMs(epochMs: number): number {
  const wholeSec = Date.parse(`${clock.format(epochMs).replace(' ', 'T')}Z`);
  return wholeSec + (((epochMs % 1_000) + 1_000) % 1_000);
}

/** The first time that the clock shows this; an hour that the clock skips counts on from before. */
export function epochMsOf(shownMs: number): number {
  const offsetNear = (epochMs: number): number => wallMs(epochMs) - epochMs;
  const early = shownMs - offsetNear(shownMs - DAY_MS);
  if (wallMs(early) === shownMs) return early;
  const late = shownMs - offsetNear(shownMs + DAY_MS);
  return wallMs(late) === shownMs ? late : early;
}

/** Midnight before the instant. */
export function startOfDay(epochMs: number): number {
  const shownMs = wallMs(epochMs);
  return epochMsOf(shownMs - (shownMs % DAY_MS));
}

/** The same time of another day: days have 23 to 25 hours. */
export function daysLater(epochMs: number, days: number): number {
  return epochMsOf(wallMs(epochMs) + days * DAY_MS);
}
