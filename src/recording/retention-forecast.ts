/**
 * How long recordings stay if cameras continue to record as much as in the last day, and what decides it: the configured time, the
 * largest size of a camera or of an organization, or the disk. Pure. docs/design/recording.md#forecast.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { StoredStream } from '../store/recording.ts';
import type { Owner } from './disk-uses.ts';

/** The reason why a recording is not kept longer. */
export const RETENTION_REASONS = ['age', 'cameraSize', 'organizationSize', 'disk'] as const;
export type RetentionReason = (typeof RETENTION_REASONS)[number];

/** A stream as it is now. */
export interface ForecastStream extends StoredStream {
  readonly orgUuid: Owner;
  readonly byteLength: number;
  /** Of these, what legal holds keep. */
  readonly heldBytes: number;
  /** When its first file begins. */
  readonly startMs: number;
  /** What was recorded in the last day. */
  readonly recentBytes: number;
  readonly keepMs: number;
  /** Of all streams of the camera together; null: no limit. */
  readonly maxBytes: number | null;
}

export interface ForecastDisk {
  readonly freeBytes: number;
  readonly minFreeBytes: number;
}

/** What all recordings together are bounded by. */
export interface ForecastBounds {
  /** null: recordings are elsewhere, and room does not run out. */
  readonly disk: ForecastDisk | null;
  /** Of one organization, without what is held; null: no limit. */
  readonly maxOrganizationBytes: number | null;
}

export interface StreamForecast {
  readonly bytesPerDay: number;
  readonly keptMs: number;
  readonly decidedBy: RetentionReason;
}

/** Of all streams. */
export interface TotalForecast extends StreamForecast {
  /** That of the stream whose recordings stay longest; `keptMs` is the shortest. */
  readonly longestKeptMs: number;
  /** Until the oldest recordings are deleted because the disk is full. 0: it is full; null: it does not fill. */
  readonly diskFullInMs: number | null;
}

export interface RetentionForecast {
  /** Those that recorded in the last day, for long enough. */
  readonly streams: readonly (StoredStream & StreamForecast)[];
  /** null: none of them did. */
  readonly total: TotalForecast | null;
}

export const RATE_WINDOW_MS = 86_400_000;
/** A stream that has recorded for a shorter time shows no rate yet. */
export const MIN_RATE_MS = 600_000;
/** Halvings of a time; 36,500 days become less than a second. */
const HALVINGS = 32;

/** A stream with its rate. */
interface RatedStream extends ForecastStream {
  /** Per millisecond. */
  readonly rate: number;
}

/** The streams of an organization, and how much all of them can have. */
interface OwnedStreams {
  readonly streams: readonly RatedStream[];
  readonly maxBytes: number;
}

export function forecastRetention(
  streams: readonly ForecastStream[],
  { disk, maxOrganizationBytes }: ForecastBounds,
  nowMs: number,
): RetentionForecast {
  const rated = withOwnSizes(streams.map((stream) => ({ ...stream, rate: rateOf(stream, nowMs) })));
  const owned = [...Map.groupBy(rated, ({ orgUuid }) => orgUuid)].map(([owner, own]) => ({
    streams: own,
    maxBytes: maxOf(own, owner === null ? null : maxOrganizationBytes),
  }));
  const roomBytes = disk === null ? Number.POSITIVE_INFINITY : roomOf(rated, disk);
  const wantedBytes = owned.map((own) =>
    Math.min(own.maxBytes, usedAfter(own.streams, Number.POSITIVE_INFINITY)),
  );
  const levelBytes = fairLevel(wantedBytes, roomBytes);
  const forecasts = owned.flatMap(({ streams: own, maxBytes }) => {
    const limits = { ownerMs: timeWithin(own, maxBytes), diskMs: timeWithin(own, levelBytes) };
    return own.filter(({ rate }) => rate > 0).map((stream) => forecastOf(stream, limits));
  });
  const [shortest] = forecasts.toSorted((one, other) => one.keptMs - other.keptMs);
  if (shortest === undefined) return { streams: [], total: null };
  return {
    streams: forecasts,
    total: {
      bytesPerDay: forecasts.reduce((sum, { bytesPerDay }) => sum + bytesPerDay, 0),
      keptMs: shortest.keptMs,
      longestKeptMs: Math.max(...forecasts.map(({ keptMs }) => keptMs)),
      decidedBy: shortest.decidedBy,
      diskFullInMs: disk === null ? null : diskFullInMs(owned, disk, roomBytes, nowMs),
    },
  };
}

/** Of a camera that has too much, the main stream is deleted first: it has what the substream leaves. */
function withOwnSizes(streams: readonly RatedStream[]): RatedStream[] {
  const substreams = new Map(
    streams.filter(({ rendition }) => rendition === 'sub').map((stream) => [stream.cameraUuid, stream]),
  );
  return streams.map((stream) => {
    const substream = stream.rendition === 'main' ? substreams.get(stream.cameraUuid) : undefined;
    if (substream === undefined || stream.maxBytes === null) return stream;
    return { ...stream, maxBytes: Math.max(0, stream.maxBytes - substream.rate * substream.keepMs) };
  });
}

function maxOf(streams: readonly ForecastStream[], maxBytes: number | null): number {
  if (maxBytes === null) return Number.POSITIVE_INFINITY;
  return streams.reduce((sum, { heldBytes }) => sum + heldBytes, maxBytes);
}

function rateOf({ recentBytes, startMs }: ForecastStream, nowMs: number): number {
  const lengthMs = Math.min(RATE_WINDOW_MS, nowMs - startMs);
  return lengthMs < MIN_RATE_MS ? 0 : recentBytes / lengthMs;
}

function forecastOf(
  { cameraUuid, rendition, rate, keepMs, maxBytes }: RatedStream,
  { ownerMs, diskMs }: { readonly ownerMs: number; readonly diskMs: number },
): StoredStream & StreamForecast {
  const sizeMs = maxBytes === null ? Number.POSITIVE_INFINITY : maxBytes / rate;
  const times: readonly (readonly [RetentionReason, number])[] = [
    ['age', keepMs],
    ['cameraSize', sizeMs],
    ['organizationSize', ownerMs],
    ['disk', diskMs],
  ];
  const [decidedBy, keptMs] = times.reduce((least, each) => (each[1] < least[1] ? each : least));
  const bytesPerDay = Math.round(rate * RATE_WINDOW_MS);
  return { cameraUuid, rendition, bytesPerDay, keptMs: Math.round(keptMs), decidedBy };
}

/** What recordings can have of the disk. */
function roomOf(streams: readonly ForecastStream[], { freeBytes, minFreeBytes }: ForecastDisk): number {
  const usedBytes = streams.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return Math.max(0, usedBytes + freeBytes - minFreeBytes);
}

/** Use of the disk if everything is kept for `keptMs`, in the end. */
function usedAfter(streams: readonly RatedStream[], keptMs: number): number {
  return streams.reduce(
    (sum, { heldBytes, rate, keepMs, maxBytes }) =>
      sum + heldBytes + Math.min(rate * Math.min(keptMs, keepMs), maxBytes ?? Number.POSITIVE_INFINITY),
    0,
  );
}

/**
 * How much an organization can have, as a full disk takes from the one that uses most: one that wants less than an equal part gets
 * it, and the others share the rest.
 */
function fairLevel(wantedBytes: readonly number[], roomBytes: number): number {
  let leftBytes = roomBytes;
  const ascending = wantedBytes.toSorted((one, other) => one - other);
  for (const [index, wanted] of ascending.entries()) {
    const part = leftBytes / (ascending.length - index);
    if (wanted > part) return part;
    leftBytes -= wanted;
  }
  return Number.POSITIVE_INFINITY;
}

/** How long an organization's recordings stay within `levelBytes`, because its oldest are deleted first. */
function timeWithin(streams: readonly RatedStream[], levelBytes: number): number {
  const longestMs = Math.max(...streams.map(({ keepMs }) => keepMs));
  if (usedAfter(streams, longestMs) <= levelBytes) return Number.POSITIVE_INFINITY;
  return firstTime(longestMs, (keptMs) => usedAfter(streams, keptMs) > levelBytes);
}

function diskFullInMs(
  owned: readonly OwnedStreams[],
  { freeBytes, minFreeBytes }: ForecastDisk,
  roomBytes: number,
  nowMs: number,
): number | null {
  if (freeBytes <= minFreeBytes) return 0;
  const sumOf = (usedOf: (streams: readonly RatedStream[]) => number) =>
    owned.reduce((sum, { streams, maxBytes }) => sum + Math.min(maxBytes, usedOf(streams)), 0);
  const longestMs = Math.max(...owned.flatMap(({ streams }) => streams.map(({ keepMs }) => keepMs)));
  if (sumOf((streams) => usedAfter(streams, longestMs)) <= roomBytes) return null;
  const isFull = (laterMs: number) => sumOf((streams) => usedLater(streams, laterMs, nowMs)) > roomBytes;
  return Math.round(firstTime(longestMs, isFull));
}

/** Use of the disk after `laterMs`, if only age and sizes of cameras delete. What is there counts as evenly spread over its time. */
function usedLater(streams: readonly RatedStream[], laterMs: number, nowMs: number): number {
  let sum = 0;
  for (const { byteLength, heldBytes, startMs, rate, keepMs, maxBytes } of streams) {
    const ageMs = Math.max(1, nowMs - startMs);
    const leftShare = Math.min(1, Math.max(0, keepMs - laterMs) / ageMs);
    const bytes = (byteLength - heldBytes) * leftShare + rate * Math.min(laterMs, keepMs);
    sum += heldBytes + Math.min(bytes, maxBytes ?? Number.POSITIVE_INFINITY);
  }
  return sum;
}

/** The first time up to `longestMs` from which on `isReached`, which is so at `longestMs`. */
function firstTime(longestMs: number, isReached: (ms: number) => boolean): number {
  let [fromMs, toMs] = [0, longestMs];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middleMs = (fromMs + toMs) / 2;
    if (isReached(middleMs)) toMs = middleMs;
    else fromMs = middleMs;
  }
  return toMs;
}

/** The forecast of a camera: of its main stream. */
export function forecastOfCamera({ streams }: RetentionForecast, cameraUuid: Ruuid): StreamForecast | null {
  return streams.find((stream) => stream.cameraUuid === cameraUuid && stream.rendition === 'main') ?? null;
}
