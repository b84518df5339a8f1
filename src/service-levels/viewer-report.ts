/**
 * A viewer page's report about its own playback (opt-in). It comes from outside, so nothing in it is believed beyond what could have
 * happened since the viewer's last report.
 */

import type { Clock } from '../core/clock.ts';
import type { Measurement } from './measurement.ts';

/** The average interval. Two reports can arrive together, because the last one is sent when the viewer leaves the page. */
export const REPORT_INTERVAL_MS = 60_000;
export const MAX_REPORT_BYTES = 1_024;
/** Viewers who wait longer than this for the first frame have left. */
const MAX_FIRST_PICTURE_MS = 120_000;
const MAX_DELAY_MS = 600_000;
/** Low-latency players make about six. */
const MAX_REQUESTS_PER_SEC = 30;
/** A page is open a little longer than its session. */
const BEFORE_SESSION_MS = 5_000;
const MS_PER_SEC = 1_000;
/** Delays are counted by the second: a report is worth what it played, in this many samples at most. */
const MAX_DELAY_SAMPLES = 120;

/** The state of a viewer between two reports, for as long as it watches. It does not reveal who the viewer is. */
export interface ReportingViewer {
  /** It counts as a viewer: a client that only opens links does not (share-audience.ts). */
  readonly isCounted: boolean;
  readonly start: { readonly atEpochMs: number };
  reportsUntilMonoMs: number;
  lastReportEpochMs: number | null;
}

/** null: it is not counted, because it came too early, from no viewer, or is not a report. */
export function takeReport(
  viewer: ReportingViewer,
  body: unknown,
  clock: Pick<Clock, 'monoMs' | 'epochMs'>,
): Measurement | null {
  if (!viewer.isCounted || typeof body !== 'object' || body === null) return null;
  const nowMonoMs = clock.monoMs();
  if (viewer.reportsUntilMonoMs > nowMonoMs + REPORT_INTERVAL_MS) return null;
  const nowEpochMs = clock.epochMs();
  const isFirst = viewer.lastReportEpochMs === null;
  const sinceEpochMs = viewer.lastReportEpochMs ?? viewer.start.atEpochMs - BEFORE_SESSION_MS;
  const measured = measuredBy(
    body as Readonly<Record<string, unknown>>,
    Math.max(0, nowEpochMs - sinceEpochMs),
    isFirst,
  );
  if (measured === null) return null;
  viewer.reportsUntilMonoMs = Math.max(viewer.reportsUntilMonoMs, nowMonoMs) + REPORT_INTERVAL_MS;
  viewer.lastReportEpochMs = nowEpochMs;
  return measured;
}

function measuredBy(
  body: Readonly<Record<string, unknown>>,
  elapsedMs: number,
  isFirst: boolean,
): Measurement | null {
  const watchedMs = Math.min(elapsedMs, 2 * REPORT_INTERVAL_MS);
  const playedMs = numberIn(body.playedMs, watchedMs);
  const stalledMs = numberIn(body.stalledMs, watchedMs - (playedMs ?? 0));
  const stalls = numberIn(body.stalls, Math.ceil((stalledMs ?? 0) / MS_PER_SEC) * 10);
  const requests = numberIn(body.requests, (watchedMs / MS_PER_SEC) * MAX_REQUESTS_PER_SEC);
  const failed = numberIn(body.failedRequests, requests ?? 0);
  if (playedMs === null || stalledMs === null || stalls === null || requests === null || failed === null)
    return null;
  const firstPictureMs = isFirst ? numberIn(body.firstPictureMs, MAX_FIRST_PICTURE_MS) : null;
  const delayMs = numberIn(body.delayMs, MAX_DELAY_MS);
  const samples = delayMs === null ? 0 : Math.min(MAX_DELAY_SAMPLES, Math.round(playedMs / MS_PER_SEC));
  return {
    firstPictureMs,
    isWithoutPicture: false,
    playedMs,
    stalledMs,
    stalls: Math.floor(stalls),
    delaysMs: new Array<number>(samples).fill(delayMs ?? 0),
    requests: Math.floor(requests),
    errors: failed >= 1 ? { other: Math.floor(failed) } : {},
  };
}

/** null: not a number that can be. More than could have happened counts as what could. */
function numberIn(value: unknown, most: number): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  return Math.min(value, Math.max(0, most));
}
