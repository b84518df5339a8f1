/** A site's timeline: its cameras, their recordings, what happened, and clips. */

import { type Answer, call } from './api.ts';
import { type CameraItem, listCameras } from './camera-state.ts';
import { type EventPage, readEvents, type TimelineEvent } from './event-feed.ts';

/** Half-open, epoch milliseconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Site {
  readonly uuid: string;
  readonly name: string;
  readonly timeZone: string;
}

export interface Sites {
  readonly cameras: readonly CameraItem[];
  readonly sites: readonly Site[];
}

export interface Recorded {
  /** The range that has been read. */
  readonly range: Span;
  readonly byCamera: ReadonlyMap<string, readonly Span[]>;
  /** Of these, when only pictures are left. */
  readonly picturesOnly: ReadonlyMap<string, readonly Span[]>;
  /** What the cameras' NVRs have; absent: not known yet. */
  readonly onNvr?: NvrFootage;
  /** False: short gaps may be missing. */
  readonly isExact: boolean;
  /** The gateway's clock when it was read. */
  readonly nowMs: number;
}

/** What a camera's NVR has, and whether it is played. */
export interface OnNvr {
  readonly state: Answer<'camera/getRecorderFootage'>['cameras'][number]['state'];
  /** Recordings of this NVR that wait for a session. */
  readonly waiting: number;
  readonly spans: readonly Span[];
}

/** By camera. */
export type NvrFootage = ReadonlyMap<string, OnNvr>;

export type TimelineClip = Answer<'event/getSavedClipsV2'>['savedClips'][number];

export type ClipProgress = Answer<'event/getClipWithProgress'>['clip'];

/** As the gateway takes them in one call. */
export const MAX_LANES = 64;
export const MAX_CLIP_SEC = 3_600;
export const MAX_CLIP_CAMERAS = 16;
const MAX_EVENTS = 500;
/** As many marks as can be told apart on a wide screen. */
const MAX_MARK_PAGES = 4;
/** A recording counts as unfinished if it ended this shortly before it was read. */
export const GROWING_MS = 20_000;
const UTC = 'UTC';
/** As the gateway takes it in one call. */
const MAX_NVR_MS = 8 * 86_400_000;
const NO_FOOTAGE: NvrFootage = new Map();

export async function readSites(signal: AbortSignal): Promise<Sites> {
  const [cameras, { locations }] = await Promise.all([
    listCameras(signal),
    call('location/getLocationsV2', {}, signal),
  ]);
  const sites = locations.map(({ uuid, name, tz }) => ({ uuid, name, timeZone: knownZone(tz) }));
  return { cameras, sites };
}

/** UTC if this browser does not know the zone: the named zone is always the one in effect. */
function knownZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone ?? UTC }).resolvedOptions().timeZone;
  } catch {
    // RangeError: an unknown zone
    return UTC;
  }
}

/** `joinMs`: gaps that are too short to be seen. Fails with a CallError. */
export async function readRecorded(
  cameraUuids: readonly string[],
  { fromMs, toMs }: Span,
  joinMs: number,
  signal: AbortSignal,
): Promise<Recorded> {
  const { cameras, exact, nowMs } = await call(
    'camera/getRecordedSpans',
    { cameraUuids, fromMs, toMs, joinMs },
    signal,
  );
  return {
    range: { fromMs, toMs },
    byCamera: new Map(cameras.map(({ cameraUuid, spans }) => [cameraUuid, spans])),
    picturesOnly: new Map(cameras.map(({ cameraUuid, pictures }) => [cameraUuid, pictures])),
    isExact: exact,
    nowMs,
  };
}

/** What the cameras' NVRs have; nothing for a range that is too long to be listed. Fails with a CallError. */
export async function readOnNvr(
  cameraUuids: readonly string[],
  { fromMs, toMs }: Span,
  signal: AbortSignal,
): Promise<NvrFootage> {
  if (toMs - fromMs > MAX_NVR_MS || cameraUuids.length === 0) return NO_FOOTAGE;
  const { cameras } = await call('camera/getRecorderFootage', { cameraUuids, fromMs, toMs }, signal);
  return new Map(
    cameras.map(({ cameraUuid, state, waiting, spans }) => [cameraUuid, { state, waiting, spans }]),
  );
}

/** Whether what NVRs have can change, or how many recordings wait: some of the cameras have one. */
export function mayNvrChange(onNvr: NvrFootage | null): boolean {
  return [...(onNvr?.values() ?? [])].some(({ state }) => state !== 'none');
}

/** How many recordings wait for NVRs of these cameras: cameras of one NVR wait in one queue. */
export function waitingForNvr(recorded: Recorded | null): number {
  return Math.max(0, ...[...(recorded?.onNvr?.values() ?? [])].map(({ waiting }) => waiting));
}

/** The cameras whose NVR cannot be read now. */
export function failedNvrs(recorded: Recorded | null): string[] {
  return [...(recorded?.onNvr ?? [])].filter(([, { state }]) => state === 'failed').map(([uuid]) => uuid);
}

/** Both, as far as they were read. */
export function withNvr(recorded: Recorded | null, onNvr: NvrFootage | null): Recorded | null {
  return recorded === null || onNvr === null ? recorded : { ...recorded, onNvr };
}

/** Marks for the axis: what happened, the newest first. `isAll` false: there are older ones. */
export interface TimelineMarks {
  readonly events: readonly TimelineEvent[];
  readonly isAll: boolean;
}

/** The newest ones of the range. Fails with a CallError. */
export async function readMarks(
  cameraUuids: readonly string[],
  range: Span,
  signal: AbortSignal,
): Promise<TimelineMarks> {
  const events: TimelineEvent[] = [];
  let key: string | null = null;
  for (let page = 0; page < MAX_MARK_PAGES; page++) {
    const wanted = { cameraUuids, range, kinds: null, maxPageSize: MAX_EVENTS };
    const read: EventPage = await readEvents(wanted, key, signal);
    events.push(...read.events);
    key = read.nextKey;
    if (key === null) break;
  }
  return { events, isAll: key === null };
}

/** The newest clips of these cameras. Fails with a CallError. */
export async function readTimelineClips(
  cameraUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly TimelineClip[]> {
  const { savedClips } = await call('event/getSavedClipsV2', { maxPageSize: MAX_EVENTS }, signal);
  const wanted = new Set(cameraUuids);
  return savedClips.filter((clip) => camerasOf(clip).some((uuid) => wanted.has(uuid)));
}

/** UUIDs without facets. */
export function camerasOf({ deviceUuids }: Pick<TimelineClip, 'deviceUuids'>): string[] {
  return deviceUuids.map((each) => each.split('.')[0]!);
}

export function clipSpan({ timestampMs, durationSec = 0 }: TimelineClip): Span {
  return { fromMs: timestampMs, toMs: timestampMs + durationSec * 1_000 };
}

export async function readClipProgress(clipUuid: string, signal: AbortSignal): Promise<ClipProgress> {
  return (await call('event/getClipWithProgress', { clipUuid }, signal)).clip;
}

export type Coverage = 'recorded' | 'gap' | 'unknown';

/** Whether the camera was recorded at the instant, as far as that was read. */
export function coverageAt(recorded: Recorded | null, cameraUuid: string, atMs: number): Coverage {
  const spans = recorded?.byCamera.get(cameraUuid);
  if (recorded === null || spans === undefined) return 'unknown';
  const { range, nowMs } = recorded;
  if (atMs < range.fromMs || atMs >= range.toMs) return 'unknown';
  const isIn = ({ fromMs, toMs }: Span) => fromMs <= atMs && atMs < toMs;
  if (spans.some(isIn) || nvrSpans(recorded, cameraUuid).some(isIn)) return 'recorded';
  const last = spans.at(-1);
  const isGrowing = last !== undefined && atMs >= last.toMs && last.toMs > nowMs - GROWING_MS;
  return isGrowing ? 'recorded' : 'gap';
}

/** Whether only pictures are left of the instant. */
export function isPicturesOnly(recorded: Recorded | null, cameraUuid: string, atMs: number): boolean {
  const spans = recorded?.picturesOnly.get(cameraUuid) ?? [];
  return spans.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
}

/** Whether any camera was recorded at any time that was read; true if that is not known yet. */
export function isAnyRecorded(recorded: Recorded | null): boolean {
  if (recorded === null) return true;
  const onNvrs = [...(recorded.onNvr?.values() ?? [])].map(({ spans }) => spans);
  return [...recorded.byCamera.values(), ...onNvrs].some((spans) => spans.length > 0);
}

/** Where the recording of any of the cameras continues after the instant; null: nowhere that is known. */
export function nextRecorded(
  recorded: Recorded | null,
  cameraUuids: readonly string[],
  atMs: number,
): number | null {
  const starts = cameraUuids.flatMap((uuid) =>
    [...(recorded?.byCamera.get(uuid) ?? []), ...nvrSpans(recorded, uuid)]
      .filter(({ fromMs }) => fromMs > atMs)
      .map(({ fromMs }) => fromMs),
  );
  return starts.length === 0 ? null : Math.min(...starts);
}

/** How much of the time a camera was not recorded; null: not all of it was read. The future is not missing. */
export function missingMs(recorded: Recorded, cameraUuid: string, { fromMs, toMs }: Span): number | null {
  const untilMs = Math.min(toMs, recorded.nowMs - GROWING_MS);
  const spans = recorded.byCamera.get(cameraUuid);
  const isRead = fromMs >= recorded.range.fromMs && untilMs <= recorded.range.toMs;
  if (spans === undefined || !isRead) return null;
  let atMs = fromMs;
  let there = 0;
  const all = [...spans, ...nvrSpans(recorded, cameraUuid)].toSorted((a, b) => a.fromMs - b.fromMs);
  for (const span of all) {
    const endMs = Math.min(span.toMs, untilMs);
    there += Math.max(0, endMs - Math.max(span.fromMs, atMs));
    atMs = Math.max(atMs, endMs);
  }
  return Math.max(0, untilMs - fromMs - there);
}

function nvrSpans(recorded: Recorded | null, cameraUuid: string): readonly Span[] {
  return recorded?.onNvr?.get(cameraUuid)?.spans ?? [];
}
