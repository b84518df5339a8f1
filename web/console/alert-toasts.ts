/**
 * Which new alerts a page tells of, and how. A few are shown one by one. More than that become one notice with a count, so that a storm of
 * alerts covers nothing, makes one sound, and is announced in a few words.
 */

import type { Answer } from './api.ts';

export type AlertNotice = Answer<'event/getAlertInbox'>['notices'][number];

export type Toasts =
  /** The newest first. */
  | { readonly kind: 'few'; readonly notices: readonly AlertNotice[] }
  /** `uuids`: all of them, the newest first. */
  | { readonly kind: 'many'; readonly uuids: readonly string[]; readonly newest: AlertNotice };

export const NO_TOASTS: Toasts = { kind: 'few', notices: [] };

/** As many as are shown one by one. */
export const MAX_SHOWN = 3;
/** One notice counts no further. */
const MAX_COUNTED = 2_000;
export const STORM_MS = 60_000;

/** `uuids`: the new alerts, newest first. `notices`: the newest of them, at least MAX_SHOWN if there are so many. */
export function withNotices(
  toasts: Toasts,
  uuids: readonly string[],
  notices: readonly AlertNotice[],
): Toasts {
  const known = uuidsOf(toasts);
  const added = uuids.filter((uuid) => !known.includes(uuid));
  const newest = notices[0];
  if (added.length === 0 || newest === undefined) return toasts;
  if (toasts.kind === 'few' && known.length + added.length <= MAX_SHOWN) {
    const shown = notices.filter(({ alert }) => added.includes(alert.uuid));
    return { kind: 'few', notices: [...shown, ...toasts.notices] };
  }
  return { kind: 'many', uuids: [...added, ...known].slice(0, MAX_COUNTED), newest };
}

/** Those that are acknowledged, or closed, go. */
export function withoutAlerts(toasts: Toasts, gone: ReadonlySet<string>): Toasts {
  if (!uuidsOf(toasts).some((uuid) => gone.has(uuid))) return toasts;
  if (toasts.kind === 'few') {
    return { kind: 'few', notices: toasts.notices.filter(({ alert }) => !gone.has(alert.uuid)) };
  }
  const uuids = toasts.uuids.filter((uuid) => !gone.has(uuid));
  return uuids.length === 0 ? NO_TOASTS : { ...toasts, uuids };
}

export function uuidsOf(toasts: Toasts): readonly string[] {
  return toasts.kind === 'many' ? toasts.uuids : toasts.notices.map(({ alert }) => alert.uuid);
}

/** Alerts of the last minute, to tell a storm. */
export class AlertStorm {
  #recent: readonly { readonly atMs: number; readonly count: number }[] = [];

  /** Notes new alerts. Returns whether a storm had begun before them: there was a sound for it already. */
  note(count: number, nowMs: number): boolean {
    const recent = this.#recent.filter(({ atMs }) => isWithin(atMs, nowMs, STORM_MS));
    const before = recent.reduce((sum, each) => sum + each.count, 0);
    this.#recent = [...recent, { atMs: nowMs, count }];
    return before > MAX_SHOWN;
  }
}

/** Whether `atMs` (NaN: never) was in the time before now. After a clock was set back, it was not. */
export function isWithin(atMs: number, nowMs: number, spanMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < spanMs;
}
