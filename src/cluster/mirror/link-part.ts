/**
 * A part on a link, as a record: numbers at fixed places, then the tracks if they are others than those of the part before, in V8's
 * format. Its media are those of the record.
 */

import { copyBytes } from '../../bytes/copy-bytes.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import {
  type NumberedPart,
  PART_NUMBERS,
  readPartNumbers,
  writePartNumbers,
} from '../../cmaf/part-numbers.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import { RENDITIONS } from '../../stream/media/renditions.ts';
import { malformed } from '../links/frame-header.ts';
import { packed, unpacked } from './mirror-messages.ts';

/** The receiver of a part. */
export interface PartAddress {
  readonly sub: number;
  readonly rendition: RenditionName;
}

export interface LinkPart extends PartAddress, NumberedPart {
  /** null: those of the part before. */
  readonly tracks: PackagedTracks | null;
}

/** Renditions by number. */
const NAMES = Object.keys(RENDITIONS) as RenditionName[];
const ADDRESS_NUMBERS = 2;
const NUMBERS_BYTES = (ADDRESS_NUMBERS + PART_NUMBERS) * Float64Array.BYTES_PER_ELEMENT;
const numbers = new Float64Array(ADDRESS_NUMBERS + PART_NUMBERS);
const numbersBytes = new Uint8Array(numbers.buffer);

/** Without tracks, it is the same memory each time. Hot: once per part and mirror. */
export function writeLinkPart(
  { sub, rendition }: PartAddress,
  part: NumberedPart,
  tracks: PackagedTracks | null,
): Uint8Array {
  numbers[0] = sub;
  numbers[1] = NAMES.indexOf(rendition);
  writePartNumbers(numbers, ADDRESS_NUMBERS, part);
  return tracks === null ? numbersBytes : Buffer.concat([numbersBytes, packed(tracks)]);
}

/** Nothing of it lies in `record`. Fails LINK_FRAME_MALFORMED. Hot: once per part. */
export function readLinkPart(record: Buffer): LinkPart {
  if (record.length < NUMBERS_BYTES) throw malformed('a record is shorter than a part');
  copyBytes(record, 0, NUMBERS_BYTES, numbersBytes, 0);
  const rendition = NAMES[numbers[1]!];
  if (rendition === undefined) throw malformed('a part is of no rendition');
  const sub = numbers[0]!;
  const { part, partTargetMs, progress } = readPartNumbers(numbers, ADDRESS_NUMBERS);
  // A copy: bytes in what comes of it stay where they were read.
  const tracks = record.length === NUMBERS_BYTES ? null : Buffer.from(record.subarray(NUMBERS_BYTES));
  return {
    sub,
    rendition,
    part,
    partTargetMs,
    progress,
    tracks: tracks === null ? null : unpacked<PackagedTracks>(tracks),
  };
}
