/** Cameras that are paused for maintenance: for a while, no one gets alerts about them. */

import { type Answer, call } from './api.ts';
import { type Expiry, expiryFault } from './expiry.ts';
import { t } from './words.ts';

export type CameraPause = Answer<'camera/getCameraPauses'>['pauses'][number];

/** By camera. */
export type CameraPauses = ReadonlyMap<string, CameraPause>;

const MINUTE_SEC = 60;
const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

/** Offered with a click. */
export const PAUSE_PRESETS = [
  { title: t('30 minutes'), sec: 30 * MINUTE_SEC },
  { title: t('1 hour'), sec: 60 * MINUTE_SEC },
  { title: t('4 hours'), sec: 240 * MINUTE_SEC },
];

/** The one that ends first comes first. */
export async function readPauses(signal: AbortSignal): Promise<CameraPauses> {
  const { pauses } = await call('camera/getCameraPauses', {}, signal);
  return new Map(pauses.map((pause) => [pause.cameraUuid, pause]));
}

/** Describes the fault of an end; null: none. */
export function pauseFault(end: Expiry, nowMs: number): string | null {
  const fault = expiryFault(end, nowMs);
  if (fault !== null || end.kind !== 'at') return fault;
  return end.epochMs! - nowMs > MAX_DAYS * DAY_MS ? t('Choose a time within 31 days.') : null;
}

/** Also moves the end of a pause in effect. Fails with a CallError. */
export async function pauseCamera(cameraUuid: string, end: Expiry): Promise<CameraPause> {
  const until =
    end.kind === 'in' ? { durationSec: end.sec } : end.kind === 'at' ? { untilMs: end.epochMs! } : {};
  return (await call('camera/pauseCamera', { cameraUuid, ...until })).pause;
}

/** Fails with a CallError. */
export async function endPause(cameraUuid: string): Promise<void> {
  await call('camera/endCameraPause', { cameraUuid });
}
