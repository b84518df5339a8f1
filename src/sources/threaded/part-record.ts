/**
 * A part in the ring: numbers at fixed places, so that the thread that reads it makes no more objects than it keeps. Only tracks,
 * which come with the first part that has them, are serialized.
 */

import { deserialize, serialize } from 'node:v8';
import type { LentBytes } from '../../cmaf/block-lender.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';

/** A further part of a rendition that was ordered. */
export interface HostedPart {
  readonly rendition: number;
  readonly part: Omit<CmafPart, 'bytes' | 'tracks'>;
  /** Their slabs were announced before. */
  readonly bytes: LentBytes;
  /** null: those of the part before. */
  readonly tracks: PackagedTracks | null;
  readonly partTargetMs: number;
  readonly progress: SegmenterProgress;
}

/** Memory of a record: the same bytes, as each kind of value in them, and where it begins, in words of 8 bytes. */
export interface RecordMemory {
  readonly u8: Uint8Array;
  readonly f64: Float64Array;
}

const WORD_BYTES = 8;
/** Numbers before the places of the bytes. */
const NUMBERS = 21;

const SEGMENT_START = 1;
const SEGMENT_END = 2;
const INDEPENDENT = 4;
const DISCONTINUITY = 8;
const HAS_KEY = 16;
const HAS_ENDED_SEGMENT = 32;

/** What `writePart` takes; tracks were serialized before, because their length is not known otherwise. */
export function partWords({ bytes }: HostedPart, tracks: Uint8Array): number {
  return NUMBERS + bytes.places.length + Math.ceil(tracks.length / WORD_BYTES);
}

/** '' without them. */
export function serializedTracks({ tracks }: HostedPart): Uint8Array {
  return tracks === null ? NO_TRACKS : serialize(tracks);
}

const NO_TRACKS = new Uint8Array(0);

/** Hot: once per part. */
export function writePart(
  { u8, f64 }: RecordMemory,
  at: number,
  hosted: HostedPart,
  tracks: Uint8Array,
): void {
  const { part, bytes, progress } = hosted;
  const { keySample } = part;
  const { places } = bytes;
  f64[at] = hosted.rendition;
  f64[at + 1] = flagsOf(hosted);
  f64[at + 2] = bytes.hold;
  f64[at + 3] = bytes.byteLength;
  f64[at + 4] = places.length;
  f64[at + 5] = tracks.length;
  f64[at + 6] = part.timescaleHz;
  f64[at + 7] = part.startTicks;
  f64[at + 8] = part.durationTicks;
  f64[at + 9] = part.sourceOffsetSec;
  f64[at + 10] = part.pictures;
  f64[at + 11] = part.epochMs;
  f64[at + 12] = keySample?.offsetBytes ?? 0;
  f64[at + 13] = keySample?.sizeBytes ?? 0;
  f64[at + 14] = keySample?.epochMs ?? 0;
  f64[at + 15] = hosted.partTargetMs;
  f64[at + 16] = progress.endTicks;
  f64[at + 17] = progress.timescaleHz;
  f64[at + 18] = progress.soundEndSec;
  f64[at + 19] = progress.partTargetMs;
  f64[at + 20] = progress.sequenceNumber;
  for (let i = 0; i < places.length; i++) f64[at + NUMBERS + i] = places[i]!;
  u8.set(tracks, (at + NUMBERS + places.length) * WORD_BYTES);
}

/** Nothing of it lies in the ring. Hot: once per part. */
export function readPart({ u8, f64 }: RecordMemory, at: number): HostedPart {
  const flags = f64[at + 1]!;
  const placesLength = f64[at + 4]!;
  const places = new Array<number>(placesLength);
  for (let i = 0; i < placesLength; i++) places[i] = f64[at + NUMBERS + i]!;
  return {
    rendition: f64[at]!,
    part: {
      timescaleHz: f64[at + 6]!,
      startTicks: f64[at + 7]!,
      durationTicks: f64[at + 8]!,
      sourceOffsetSec: f64[at + 9]!,
      pictures: f64[at + 10]!,
      epochMs: f64[at + 11]!,
      isSegmentStart: (flags & SEGMENT_START) !== 0,
      isSegmentEnd: (flags & SEGMENT_END) !== 0,
      isIndependent: (flags & INDEPENDENT) !== 0,
      hasDiscontinuity: (flags & DISCONTINUITY) !== 0,
      keySample:
        (flags & HAS_KEY) === 0
          ? null
          : { offsetBytes: f64[at + 12]!, sizeBytes: f64[at + 13]!, epochMs: f64[at + 14]! },
    },
    bytes: { hold: f64[at + 2]!, byteLength: f64[at + 3]!, places },
    tracks: tracksAt(u8, at + NUMBERS + placesLength, f64[at + 5]!),
    partTargetMs: f64[at + 15]!,
    progress: {
      endTicks: f64[at + 16]!,
      timescaleHz: f64[at + 17]!,
      soundEndSec: f64[at + 18]!,
      partTargetMs: f64[at + 19]!,
      hasEndedSegment: (flags & HAS_ENDED_SEGMENT) !== 0,
      sequenceNumber: f64[at + 20]!,
    },
  };
}

function flagsOf({ part, progress }: HostedPart): number {
  return (
    (part.isSegmentStart ? SEGMENT_START : 0) |
    (part.isSegmentEnd ? SEGMENT_END : 0) |
    (part.isIndependent ? INDEPENDENT : 0) |
    (part.hasDiscontinuity ? DISCONTINUITY : 0) |
    (part.keySample === null ? 0 : HAS_KEY) |
    (progress.hasEndedSegment ? HAS_ENDED_SEGMENT : 0)
  );
}

/** A copy: bytes in what comes of it stay where they were read. */
function tracksAt(u8: Uint8Array, at: number, byteLength: number): PackagedTracks | null {
  if (byteLength === 0) return null;
  const start = at * WORD_BYTES;
  return deserialize(Buffer.from(u8.subarray(start, start + byteLength))) as PackagedTracks;
}
