/**
 * Files whose index is missing: a recorder that loses its power has not written the `moov`, which comes last (ISO/IEC 14496-12 §8.2.1). Their
 * video can be read if the media data are nothing but NAL units with their lengths, and have the parameter sets (ISO/IEC 14496-15 §5.3.3).
 */

import { fourCc } from './box-reader.ts';
import type { ByteSource } from './clip-reader.ts';

/** A range of units of four bytes of length and a NAL unit each. */
export interface UnitRange {
  readonly offset: number;
  readonly byteLength: number;
}

export interface LostIndex {
  /** Whole units in the order of the file, from the first parameter set on; empty: there are none that can be read without the index. */
  readonly units: readonly UnitRange[];
}

const MOOV = fourCc('moov');
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');
const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const LENGTH_BYTES = 4;
/** Of a unit, in what is read to judge it. */
const UNIT_HEADER_BYTES = 2;
/** A frame of 4K at the best quality has a few megabytes. */
const MAX_UNIT_BYTES = 16 * 1_048_576;
const MAX_PARAMETER_SET_BYTES = 4_096;
/** Parameter sets come first, perhaps after units of which the first frame was not kept. */
const MAX_UNITS_BEFORE = 64;
/** Ranges have about this size, so that one is a step of work. */
const RANGE_BYTES = 262_144;
const UNITS_PER_STEP = 256;
const MAX_BOXES = 64;

/** The first bytes of a unit; `isSet`: the parameter set that comes first. */
interface UnitKind {
  readonly isUnit: (first: number, second: number) => boolean;
  readonly isSet: (first: number) => boolean;
}

/** ITU-T H.264 §7.4.1: slices, SEI, parameter sets, delimiters, fillers; which of them may be referred to. */
const H264: UnitKind = {
  isUnit: (first) => {
    if ((first & 0x80) !== 0) return false;
    const [type, isReferred] = [first & 0x1f, (first & 0x60) !== 0];
    if (type === 5 || type === 7 || type === 8) return isReferred;
    return type === 1 || (!isReferred && (type === 6 || type === 9 || type === 12));
  },
  isSet: (first) => (first & 0x1f) === 7,
};

/** ITU-T H.265 §7.4.2: of the base layer. */
const H265: UnitKind = {
  isUnit: (first, second) => {
    const type = first >> 1;
    const isKnown = type <= 9 || (type >= 16 && type <= 21) || (type >= 32 && type <= 40);
    return (first & 0x81) === 0 && second >> 3 === 0 && (second & 7) > 0 && isKnown;
  },
  isSet: (first) => first >> 1 === 32,
};

/** null: the file has its index, or is another format. It yields after each step of work. */
export function* findLostIndex(source: ByteSource): Generator<void, LostIndex | null> {
  const media = mediaOf(source);
  if (media === null) return null;
  for (const kind of [H264, H265]) {
    const units = yield* unitsOf(source, media, kind);
    if (units.length > 0) return { units };
  }
  return { units: [] };
}

/** In place: each length becomes a start code (ITU-T H.264 Annex B), which is as long. `units`: of a UnitRange. */
export function lengthsToStartCodes(units: Uint8Array): void {
  const view = new DataView(units.buffer, units.byteOffset, units.byteLength);
  for (let at = 0; at + LENGTH_BYTES <= units.length; ) {
    const byteLength = view.getUint32(at);
    view.setUint32(at, 1);
    at += LENGTH_BYTES + byteLength;
  }
}

/** The content of the first Media Data Box of a file without `moov`; empty: it has none. */
function mediaOf(source: ByteSource): UnitRange | null {
  let media: UnitRange | null = null;
  let at = 0;
  for (let boxes = 0; at + HEADER_BYTES <= source.byteLength; boxes++) {
    if (boxes === MAX_BOXES) return null;
    const left = source.byteLength - at;
    const head = source.read(at, Math.min(LONG_HEADER_BYTES, left));
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    const type = view.getUint32(4);
    if (type === MOOF) return { offset: at, byteLength: 0 };
    const isLong = view.getUint32(0) === 1;
    const headerBytes = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
    if (left < headerBytes) break;
    const said = isLong ? Number(view.getBigUint64(8)) : view.getUint32(0);
    // A part of it is as good as none.
    if (type === MOOV) return said > left ? media : null;
    // The size is written last, too.
    const byteLength = said < headerBytes || said > left ? left : said;
    if (type === MDAT) media ??= { offset: at + headerBytes, byteLength: byteLength - headerBytes };
    else if (byteLength !== said) return null;
    at += byteLength;
  }
  return media;
}

/** Empty: something else is between them, or the parameter sets are missing. */
function* unitsOf(
  source: ByteSource,
  { offset, byteLength }: UnitRange,
  kind: UnitKind,
): Generator<void, UnitRange[]> {
  const end = offset + byteLength;
  const ranges: { offset: number; byteLength: number }[] = [];
  let hasSets = false;
  let before = 0;
  let seen = 0;
  let at = offset;
  while (at + LENGTH_BYTES + UNIT_HEADER_BYTES <= end) {
    const head = source.read(at, LENGTH_BYTES + UNIT_HEADER_BYTES);
    const unitBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
    // Room that was reserved, and never written.
    if (unitBytes === 0) break;
    const [first, second] = [head[LENGTH_BYTES]!, head[LENGTH_BYTES + 1]!];
    if (unitBytes < UNIT_HEADER_BYTES || unitBytes > MAX_UNIT_BYTES || !kind.isUnit(first, second)) return [];
    const next = at + LENGTH_BYTES + unitBytes;
    // The last one is cut.
    if (next > end) break;
    hasSets ||= kind.isSet(first) && unitBytes <= MAX_PARAMETER_SET_BYTES;
    if (hasSets) addUnit(ranges, at, next - at);
    else if (++before > MAX_UNITS_BEFORE) return [];
    at = next;
    if (++seen % UNITS_PER_STEP === 0) yield;
  }
  return ranges;
}

function addUnit(ranges: { offset: number; byteLength: number }[], offset: number, byteLength: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.byteLength + byteLength <= RANGE_BYTES) last.byteLength += byteLength;
  else ranges.push({ offset, byteLength });
}
