/** How long recordings stay, in words. Pure. */

import type { RecordingSettings } from './camera-recording.ts';
import type { SystemState } from './gateway-state.ts';
import { t } from './words.ts';

type TotalForecast = NonNullable<SystemState['recorder']['forecast']>;
type CameraForecast = NonNullable<RecordingSettings['forecast']>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Shorter times are in hours. */
const DAYS_FROM_MS = 2 * DAY_MS;
/** Longer times have no tenths. */
const WHOLE_DAYS_FROM = 100;
/** Times that differ by less are the same to a person. */
const SAME_SHARE = 1.05;

const WHY_NO_LONGER: Readonly<Record<CameraForecast['decidedBy'], string>> = {
  age: t('That is the configured time.'),
  cameraSize: t('More would exceed the configured size of a camera.'),
  organizationSize: t('More would exceed the configured size of all cameras.'),
  disk: t('The disk has no room for more.'),
};

/** As in "11.4 days". */
export function stayText(ms: number): string {
  if (ms < DAYS_FROM_MS) {
    return t('{count, plural, one {# hour} other {# hours}}', { count: Math.floor(ms / HOUR_MS) });
  }
  const days = ms / DAY_MS;
  const count = days < WHOLE_DAYS_FROM ? Math.round(days * 10) / 10 : Math.round(days);
  return t('{count, plural, one {# day} other {# days}}', { count });
}

export function cameraStayText({ keptMs, decidedBy }: CameraForecast): string {
  const stays = t('At today’s rate, recordings of this camera are kept for {time}.', {
    time: stayText(keptMs),
  });
  return `${stays} ${WHY_NO_LONGER[decidedBy]}`;
}

export function allStayText({ keptMs, longestKeptMs, decidedBy }: TotalForecast): string {
  if (longestKeptMs < keptMs * SAME_SHARE) {
    const stay = t('At today’s rate, recordings are kept for {time}.', { time: stayText(keptMs) });
    return `${stay} ${WHY_NO_LONGER[decidedBy]}`;
  }
  return t('At today’s rate, recordings are kept for {shortest} to {longest}, depending on the camera.', {
    shortest: stayText(keptMs),
    longest: stayText(longestKeptMs),
  });
}

/** null: they are not on a disk that fills. */
export function diskText({ diskFullInMs }: TotalForecast): string | null {
  if (diskFullInMs === undefined) return null;
  if (diskFullInMs === 0) return t('The disk is full: new recordings replace the oldest.');
  return t('The disk fills in {time}. From then on, new recordings replace the oldest.', {
    time: stayText(diskFullInMs),
  });
}
