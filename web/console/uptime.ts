/** The uptime of a camera, as it was read. */

import type { Answer } from './api.ts';
import { t } from './words.ts';

export type UptimeState = UptimeSpan['state'];

export type UptimeSpan = Answer<'camera/getUptimeHistory'>['spans'][number];

export const UPTIME_NAMES: Readonly<Record<UptimeState, string>> = {
  up: t('Up'),
  down: t('Down'),
  'not-running': t('Gateway was not running'),
  unknown: t('Not known'),
};

/** The share of the time that something is known of; null: of none. */
export function upShare(spans: readonly UptimeSpan[]): number | null {
  let [upMs, knownMs] = [0, 0];
  for (const { startMs, endMs, state } of spans) {
    if (state === 'up') upMs += endMs - startMs;
    if (state === 'up' || state === 'down') knownMs += endMs - startMs;
  }
  return knownMs === 0 ? null : upMs / knownMs;
}
