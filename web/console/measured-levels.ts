/** Service levels measured for viewers, as the API returns them. For administrators. */

import { type Answer, call, type Request } from './api.ts';
import { type Counters, countersOf } from './gateway-state.ts';
import type { StateFilter } from './state-filter.ts';
import { t } from './words.ts';

export type LevelSource = NonNullable<Request<'console/getServiceHistory'>['source']>;
export type GoalName = LevelGoal['goal'];

/** Figures of a period. An absent field was not measured. */
export type LevelFigures = MeasuredLevels['hour'];

export type LevelGoal = MeasuredLevels['goals'][number];

export type MeasuredLevels = ServiceLevels['probe'];

export type ProbeRun = ShareLevels['runs'][number];

export type ProbeState = NonNullable<ShareLevels['state']>;

export type ShareLevels = ServiceLevels['shares'][number];

export type ServiceLevels = Answer<'console/getServiceLevels'>;

export function readLevels(signal: AbortSignal): Promise<ServiceLevels> {
  return call('console/getServiceLevels', {}, signal);
}

/** The last 24 hours. `shareUuid`: null for all shares. */
export async function readLevelHistory(
  shareUuid: string | null,
  source: LevelSource,
  signal: AbortSignal,
): Promise<Counters> {
  const of = shareUuid === null ? {} : { sharedLiveVideoStreamUuid: shareUuid };
  return countersOf(await call('console/getServiceHistory', { ...of, source }, signal));
}

export async function chooseShare(shareUuid: string, isProbed: boolean): Promise<void> {
  await call('console/updateServiceProbe', { sharedLiveVideoStreamUuid: shareUuid, isProbed });
}

const STATE_WORDS: Readonly<Record<ProbeState, readonly [words: string, sign: string]>> = {
  waiting: [t('Waiting for a run'), ''],
  measured: [t('Plays'), 'live'],
  failing: [t('No picture'), 'offline'],
  'camera-offline': [t('Camera offline'), 'offline'],
  'sound-only': [t('Only sound'), ''],
  hidden: [t('Hidden by schedule'), ''],
  expired: [t('Expired'), ''],
  revoked: [t('Deleted'), ''],
  refused: [t('Refused'), 'connecting'],
};

/** Why there was no picture, where that says what to do. */
const REASON_WORDS: Readonly<Record<string, string>> = {
  'certificate-expired': t('Certificate expired'),
  'certificate-not-yet-valid': t('Certificate not valid yet'),
  'certificate-name': t('Wrong certificate name'),
  'certificate-untrusted': t('Certificate not trusted'),
};

/** In words, and as a class of `.sign`. */
export function stateWords({
  isProbed,
  state = 'waiting',
  isRunning,
  runs: [last],
}: ShareLevels): readonly [string, string] {
  if (!isProbed) return [t('Viewers only'), ''];
  const reason = state === 'failing' ? REASON_WORDS[last?.reason ?? ''] : undefined;
  if (reason !== undefined) return [reason, 'offline'];
  return state === 'waiting' && isRunning ? [t('Playing now'), 'connecting'] : STATE_WORDS[state];
}

/** Filters of measured shares. */
export const LEVEL_STATES: StateFilter<Pick<ShareLevels, 'isProbed' | 'state'>> = {
  states: [
    ...Object.entries(STATE_WORDS).map(([value, [title, sign]]) => ({
      value,
      title,
      isBad: sign === 'offline',
    })),
    { value: 'viewers', title: t('Viewers only') },
  ],
  of: ({ isProbed, state = 'waiting' }) => (isProbed ? state : 'viewers'),
};

/** Protocol of the newest run that got a response, as in "HTTP/2"; null: no run did. */
export function protocolWords({ runs }: Pick<ShareLevels, 'runs'>): string | null {
  const protocol = runs.find((run) => run.protocol !== undefined)?.protocol;
  if (protocol === undefined) return null;
  return protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1';
}

/** As in "820 ms" and "1.4 s"; null: not known. */
export function shortMs(ms: number | null | undefined): string | null {
  if (ms === null || ms === undefined) return null;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** As in "99 %" and "99.95 %". */
export function goalText(percent: number): string {
  return `${Number(percent.toFixed(3))} %`;
}

/** As in "0.12 %". Something that is little does not read as nothing, and almost all not as all. */
export function percentText(percent: number): string {
  if (percent > 0 && percent < 0.01) return '< 0.01 %';
  if (percent < 100 && percent > 99.99) return '> 99.99 %';
  const digits = percent === 0 || percent >= 100 ? 0 : percent >= 99 || percent < 1 ? 2 : 1;
  return `${percent.toFixed(digits)} %`;
}

/** null: there was nothing to be stalled. */
export function stalledPercent({ playedSec, stalledSec }: LevelFigures): number | null {
  const allSec = playedSec + stalledSec;
  return allSec <= 0 ? null : (stalledSec / allSec) * 100;
}

export function failedPercent({ requests, failedRequests }: LevelFigures): number | null {
  return requests <= 0 ? null : (failedRequests / requests) * 100;
}
