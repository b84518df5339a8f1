/** What was with a camera: its uptime, its counters, its recordings, and who viewed or changed it. */

import { call } from './api.ts';
import { type AuditEntry, readAuditPage } from './audit-feed.ts';
import { place } from './places.ts';
import type { Counters } from './system.ts';

export type UptimeState = 'up' | 'down' | 'not-running' | 'unknown';

export interface UptimeSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly state: UptimeState;
}

/** In epoch milliseconds. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

export const UPTIME_NAMES: Readonly<Record<UptimeState, string>> = {
  up: 'Up',
  down: 'Down',
  'not-running': 'Gateway was not running',
  unknown: 'Not known',
};

const DAY_SEC = 86_400;
const DAYS = 7;

/** Of the last seven days, in order and without gaps. Fails with a CallError. */
export async function readUptime(cameraUuid: string, signal: AbortSignal): Promise<readonly UptimeSpan[]> {
  const { spans } = await call<{ spans: readonly UptimeSpan[] }>(
    'camera/getUptimeHistory',
    { cameraUuid },
    signal,
  );
  return spans;
}

/** The share of the time that something is known of; null: of none. */
export function upShare(spans: readonly UptimeSpan[]): number | null {
  let [upMs, knownMs] = [0, 0];
  for (const { startMs, endMs, state } of spans) {
    if (state === 'up') upMs += endMs - startMs;
    if (state === 'up' || state === 'down') knownMs += endMs - startMs;
  }
  return knownMs === 0 ? null : upMs / knownMs;
}

/** The last hour. Fails with a CallError. */
export function readStreamCounters(
  cameraUuid: string,
  profile: 'main' | 'sub',
  signal: AbortSignal,
): Promise<Counters> {
  return call<Counters>('camera/getStreamCounters', { cameraUuid, profile }, signal);
}

/** What can be played within the range, newest first. Fails with a CallError. */
export async function readRecorded(
  cameraUuid: string,
  startTimeSec: number,
  durationSec: number,
  signal: AbortSignal,
): Promise<readonly TimeSpan[]> {
  interface Window {
    readonly startSeconds: number;
    readonly durationSeconds: number;
  }
  const { presenceWindows } = await call<{ presenceWindows: { readonly VideoCloud?: readonly Window[] } }>(
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

/** Of the last seven days. Fails with a CallError. */
export function readRecentRecordings(cameraUuid: string, signal: AbortSignal): Promise<readonly TimeSpan[]> {
  const nowSec = Math.ceil(Date.now() / 1_000);
  return readRecorded(cameraUuid, nowSec - DAYS * DAY_SEC, DAYS * DAY_SEC, signal);
}

/** Of the camera and its shares, from the newest page of the trail. Fails with a CallError. */
export async function readCameraAudit(
  targetUuids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly AuditEntry[]> {
  const { entries } = await readAuditPage({ kind: 'all', fromMs: null, toMs: null }, signal);
  return entries.filter(({ targetUuid }) => targetUuids.has(targetUuid));
}

export function timelinePlace(cameraUuid: string, atMs: number): string {
  return place(`timeline?camera=${encodeURIComponent(cameraUuid)}&at=${Math.round(atMs)}`);
}

export function activityPlace(text: string): string {
  return place(`activity?text=${encodeURIComponent(text)}`);
}
