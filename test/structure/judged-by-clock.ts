/**
 * Comparisons in tests that name a clock's reading, and why none of them judges how fast a machine is. All others belong
 * in a benchmark, as a ratio against a reference of the same run, or become a condition: an order, a count, a media time.
 */

export interface AllowedComparison {
  /** What the file's name begins with. */
  readonly file: string;
  /** A piece of the comparison. */
  readonly text: string;
  readonly reason: string;
}

const LOWER = 'A lower bound: a slow machine only adds to it.';
const BRACKETED = 'Between two readings, one before and one after: however long that took, it holds.';
const STORED = 'Times that the gateway stores: later ones are not earlier.';
const DAYS = 'Days apart: a slow machine is late by minutes at most.';

export const ALLOWED: readonly AllowedComparison[] = [
  {
    file: 'cdn',
    text: "Date.parse(late.get('expires')!)",
    reason: 'The response was just served: its end is to come.',
  },
  { file: 'cluster-ptz', text: 'performance.now() - sinceMonoMs', reason: LOWER },
  { file: 'console-bulk', text: 'share.expirationTime - Date.now()', reason: DAYS },
  { file: 'console-timeline', text: 'gapMs.toMs - gapMs.fromMs', reason: LOWER },
  { file: 'dash', text: 'timeMs', reason: BRACKETED },
  { file: 'gateways-on-one-database', text: 'tookMs', reason: LOWER },
  { file: 'live-page-access', text: 'Date.now()', reason: LOWER },
  {
    file: 'past-page',
    text: 'resumedMs',
    reason: 'Positions in a recording that plays at the pace of time.',
  },
  { file: 'rtmp', text: 'performance.now() - startedMonoMs', reason: LOWER },
  { file: 'playback', text: 'createdMs', reason: 'What a share shows begins when it was created.' },
  { file: 'service-levels', text: 'firstPictureMs', reason: LOWER },
  { file: 'service-levels', text: 'delayP99Ms', reason: LOWER },
  { file: 'service-levels-http2', text: 'firstPictureMs', reason: LOWER },
  { file: 'service-levels-http2', text: 'delayP50Ms', reason: LOWER },
  { file: 'share-page-refused', text: 'Date.now()', reason: LOWER },
  { file: 'share-viewers', text: 'viewer.sinceMs', reason: STORED },
  { file: 'share-viewers', text: 'lastViewedAtMs', reason: STORED },
  { file: 'stills', text: 'beforeMs', reason: LOWER },
  { file: 'system-calls', text: 'state.uptimeMs', reason: LOWER },
  {
    file: 'system-calls',
    text: 'timesMs.at(-1) - Date.now()',
    reason: 'Whether it is a time of today at all.',
  },
  { file: 'takeovers', text: 'followedAfterMs', reason: 'The time of the simulation, which is exact.' },
  { file: 'viewer-reports', text: 'delayP50Ms', reason: LOWER },
  { file: 'wall-page', text: 'Date.now()', reason: LOWER },
];

const LINEAR = 'What is not linear takes minutes: no machine is that slow.';
const BRACKET = 'Between two readings of the same clock.';

/** Next to their sources. */
export const NEXT_TO_SOURCES: readonly AllowedComparison[] = [
  { file: 'camera-leases', text: 'monoMs()).toBeGreaterThan', reason: LOWER },
  { file: 'camera-threads', text: 'MonoMs', reason: BRACKET },
  { file: 'certificate', text: 'validToEpochMs', reason: 'A certificate that expired long ago.' },
  { file: 'clock', text: 'startMonoMs', reason: LOWER },
  { file: 'history-sources', text: 'lateMs', reason: 'A ratio to the time that the test itself took.' },
  { file: 'hostile-text', text: 'tookMs', reason: LINEAR },
  { file: 'onvif-client', text: 'clockOffsetMs', reason: 'Years apart.' },
  { file: 'playlist', text: 'startMonoMs', reason: LINEAR },
  { file: 'redis-outages', text: 'monoMs()).toBeGreaterThan', reason: LOWER },
  { file: 'rtp-info', text: 'startMonoMs', reason: LINEAR },
  { file: 'unknown-fields', text: 'medianMs', reason: 'A ratio against a reference in the same run.' },
];
