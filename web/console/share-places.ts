/** Addresses of the pages for shares and schedules. */

import { place } from './places.ts';

/** The list. */
export const SHARES_PLACE = place('shares');
/** The list, with the form for a new share. */
export const NEW_SHARE_PLACE = place('shares?new');
export const SCHEDULES_PLACE = place('schedules');
export const NEW_SCHEDULE_PLACE = place('schedules/new');

/** The list for a filter, as `filterText` says it, perhaps with one share opened. */
export function sharesPlace(filter: string, uuid?: string): string {
  const opened = uuid === undefined ? '' : `share=${encodeURIComponent(uuid)}`;
  const parts = [filter, opened].filter(Boolean).join('&');
  return parts === '' ? SHARES_PLACE : `${SHARES_PLACE}?${parts}`;
}

/** The list, with one share opened. */
export function sharePlace(uuid: string): string {
  return sharesPlace('', uuid);
}

export function schedulePlace(uuid: string): string {
  return place(`schedules/${encodeURIComponent(uuid)}`);
}
