/** The boxes that identify a file. ISO/IEC 14496-12 §4.3 and §8.16.2, brands of ISO/IEC 23000-19 §7.2. */

import type { BoxWriter } from './box-writer.ts';

/**
 * CMAF has no file with two tracks: a CMAF header has one track, and a chunk one track fragment (ISO/IEC 23000-19
 * §7.3). So a file with audio and video has only the brands of ISO/IEC 14496-12 and 23009-1, which is all that HLS
 * requires (RFC 8216bis §3.1.2).
 */
interface Brands {
  readonly init: readonly [string, ...string[]];
  readonly segment: readonly [string, ...string[]];
}

/** `cmfc`, `cmfs`, `cmff`, `cmfl`: CMAF track, segment, fragment, chunk. */
const ONE_TRACK: Brands = { init: ['cmfc', 'iso6', 'mp41'], segment: ['msdh', 'cmfs', 'cmff', 'cmfl'] };
/** `iso6`: movie fragments with `tfdt` and default-base-is-moof; `msdh`: a segment that starts with its `styp`. */
const SEVERAL_TRACKS: Brands = { init: ['iso6', 'mp41'], segment: ['msdh', 'iso6'] };

/** Brands for `styp`. */
export function stypBytes(trackCount: number): number {
  return 16 + 4 * brandsOf(trackCount).segment.length;
}

/** File type: opens a Media Initialization Section. */
export function ftyp(writer: BoxWriter, trackCount: number): void {
  brands(writer, 'ftyp', brandsOf(trackCount).init);
}

/** Segment type: opens a Media Segment. `trackCount`: of its Media Initialization Section. */
export function styp(writer: BoxWriter, trackCount: number): void {
  brands(writer, 'styp', brandsOf(trackCount).segment);
}

function brandsOf(trackCount: number): Brands {
  return trackCount === 1 ? ONE_TRACK : SEVERAL_TRACKS;
}

function brands(writer: BoxWriter, type: string, compatible: readonly [string, ...string[]]): void {
  const box = writer.begin(type);
  writer.fourcc(compatible[0]); // major_brand
  writer.u32(0); // minor_version
  for (const brand of compatible) writer.fourcc(brand); // compatible_brands
  writer.end(box);
}
