/** The boxes that identify a file. ISO/IEC 14496-12 §4.3 and §8.16.2, brands of ISO/IEC 23000-19 §7.2. */

import type { BoxWriter } from './box-writer.ts';

/** `cmfc`: CMAF; `iso6`: movie fragments with `tfdt` and default-base-is-moof. */
const INIT_BRANDS = ['cmfc', 'iso6', 'mp41'] as const;
/** `msdh`: a segment that starts with its `styp`; `cmfs`, `cmff`, `cmfl`: CMAF segment, fragment, chunk. */
const SEGMENT_BRANDS = ['msdh', 'cmfs', 'cmff', 'cmfl'] as const;

export const STYP_BYTES = 16 + 4 * SEGMENT_BRANDS.length;

/** File type: opens a Media Initialization Section. */
export function ftyp(writer: BoxWriter): void {
  brands(writer, 'ftyp', INIT_BRANDS);
}

/** Segment type: opens a Media Segment. */
export function styp(writer: BoxWriter): void {
  brands(writer, 'styp', SEGMENT_BRANDS);
}

function brands(writer: BoxWriter, type: string, compatible: readonly [string, ...string[]]): void {
  const box = writer.begin(type);
  writer.fourcc(compatible[0]); // major_brand
  writer.u32(0); // minor_version
  for (const brand of compatible) writer.fourcc(brand); // compatible_brands
  writer.end(box);
}
