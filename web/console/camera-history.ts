/** A camera's history: its uptime, its counters, its recordings, and who viewed or changed it. */

import { call } from './api.ts';
import type { AuditEntry } from './audit-feed.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import { type Counters, countersOf } from './gateway-state.ts';
import { place } from './places.ts';
import type { UptimeSpan } from './uptime.ts';

/** In epoch milliseconds. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

const DAY_SEC = 86_400;
const DAYS = 7;
/** The camera and its newest shares: one call for each. */
const MAX_AUDITED = 6;
const AUDIT_PAGE_SIZE = 10;

/** Reads the last seven days, in order and without gaps. Fails with a CallError. */
export async function readUptime(cameraUuid: string, signal: AbortSignal): Promise<readonly UptimeSpan[]> {
  const { spans } = await call('camera/getUptimeHistory', { cameraUuid }, signal);
  return spans;
}

/** The last hour. Fails with a CallError. */
export async function readStreamCounters(
  cameraUuid: string,
  profile: 'main' | 'sub',
  signal: AbortSignal,
): Promise<Counters> {
  return countersOf(await call('camera/getStreamCounters', { cameraUuid, profile }, signal));
}

/** Recordings that can be played within the range, newest first. Fails with a CallError. */
export async function readRecorded(
  cameraUuid: string,
  startTimeSec: number,
  durationSec: number,
  signal: AbortSignal,
): Promise<readonly TimeSpan[]> {
  const { presenceWindows } = await call(
    'camera/getPresenceWindows',
    { cameraUuid, startTimeSec, durationSec },
    signal,
  );
  return (presenceWindows.VideoCloud ?? [])
    .map(({ startSeconds, durationSeconds }) => ({
      startMs: startSeconds * 1_000,
      endMs: (startSeconds + durationSeconds) * 1_000,
    }))
    .reverse();
}

/** Recordings of the last seven days. Fails with a CallError. */
export function readRecentRecordings(cameraUuid: string, signal: AbortSignal): Promise<readonly TimeSpan[]> {
  const nowSec = Math.ceil(gatewayNowMs() / 1_000);
  return readRecorded(cameraUuid, nowSec - DAYS * DAY_SEC, DAYS * DAY_SEC, signal);
}

/** Audit entries of the camera and of some of its shares, newest first. Fails with a CallError. */
export async function readCameraAudit(
  targetUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly AuditEntry[]> {
  const pages = await Promise.all(
    targetUuids
      .slice(0, MAX_AUDITED)
      .map((targetUuid) =>
        call('report/findAuditEvents', { targetUuid, maxPageSize: AUDIT_PAGE_SIZE }, signal),
      ),
  );
  const entries = pages.flatMap(({ auditEvents }) => auditEvents);
  return entries.sort((a, b) => Date.parse(b.lastTimestamp) - Date.parse(a.lastTimestamp));
}

/** `spanMs`: of the axis; absent: an hour. */
export function timelinePlace(cameraUuid: string, atMs: number, spanMs?: number): string {
  const span = spanMs === undefined ? '' : `&span=${Math.round(spanMs)}`;
  return place(`timeline?camera=${encodeURIComponent(cameraUuid)}&at=${Math.round(atMs)}${span}`);
}

export function activityPlace(cameraUuid: string): string {
  return place(`activity?camera=${encodeURIComponent(cameraUuid)}`);
}
