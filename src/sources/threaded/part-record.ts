/**
 * A part in the ring: numbers at fixed places, so that the thread that reads it makes no more objects than it keeps. Only tracks,
 * which come with the first part that has them, are serialized.
 */

import { deserialize, serialize } from 'node:v8';
import type { LentBytes } from '../../cmaf/block-lender.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import {
  type NumberedPart,
  PART_NUMBERS,
  readPartNumbers,
  writePartNumbers,
} from '../../cmaf/part-numbers.ts';

/** A further part of a rendition that was ordered. */
export interface HostedPart extends NumberedPart {
  readonly rendition: number;
  /** Their slabs were announced before. */
  readonly bytes: LentBytes;
  /** null: those of the part before. */
  readonly tracks: PackagedTracks | null;
}

/** Memory of a record: the same bytes, as each kind of value in them, and where it begins, in words of 8 bytes. */
export interface RecordMemory {
  readonly u8: Uint8Array;
  readonly f64: Float64Array;
}

const WORD_BYTES = 8;
/** Numbers of the record itself, before those of the part. */
const OWN_NUMBERS = 5;
/** Numbers before the places of the bytes. */
const NUMBERS = OWN_NUMBERS + PART_NUMBERS;

/** Length of the record that `writePart` writes. Tracks are serialized before, because their length is not known otherwise. */
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
  const { bytes } = hosted;
  const { places } = bytes;
  f64[at] = hosted.rendition;
  f64[at + 1] = bytes.hold;
  f64[at + 2] = bytes.byteLength;
  f64[at + 3] = places.length;
  f64[at + 4] = tracks.length;
  writePartNumbers(f64, at + OWN_NUMBERS, hosted);
  for (let i = 0; i < places.length; i++) f64[at + NUMBERS + i] = places[i]!;
  u8.set(tracks, (at + NUMBERS + places.length) * WORD_BYTES);
}

/** Length of the part's media. */
export function partByteLength(f64: Float64Array, at: number): number {
  return f64[at + 2]!;
}

/** Nothing of it lies in the ring. Hot: once per part. */
export function readPart({ u8, f64 }: RecordMemory, at: number): HostedPart {
  const placesLength = f64[at + 3]!;
  const places = new Array<number>(placesLength);
  for (let i = 0; i < placesLength; i++) places[i] = f64[at + NUMBERS + i]!;
  const { part, partTargetMs, progress } = readPartNumbers(f64, at + OWN_NUMBERS);
  return {
    rendition: f64[at]!,
    part,
    bytes: { hold: f64[at + 1]!, byteLength: f64[at + 2]!, places },
    tracks: tracksAt(u8, at + NUMBERS + placesLength, f64[at + 4]!),
    partTargetMs,
    progress,
  };
}

/** Deserializes a copy: the tracks' bytes must not stay in the ring. */
function tracksAt(u8: Uint8Array, at: number, byteLength: number): PackagedTracks | null {
  if (byteLength === 0) return null;
  const start = at * WORD_BYTES;
  return deserialize(Buffer.from(u8.subarray(start, start + byteLength))) as PackagedTracks;
}
