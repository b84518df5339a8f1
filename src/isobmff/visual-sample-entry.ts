/** The fields that sample entries of all video codecs begin with. ISO/IEC 14496-12 §12.1.3. */

import type { BoxCursor } from './box-reader.ts';
import type { BoxWriter } from './box-writer.ts';

/** Fixed fields before and after the size. */
const BEFORE_SIZE_BYTES = 24;
const AFTER_SIZE_BYTES = 50;
const MAX_PARAMETER_SET_BYTES = 0xffff;

/** After the box header; the decoder configuration record comes next. */
export function visualSampleEntry(
  writer: BoxWriter,
  size: { readonly widthPx: number; readonly heightPx: number },
): void {
  writer.zeros(6); // reserved
  writer.u16(1); // data_reference_index
  writer.zeros(16); // pre_defined, reserved
  writer.u16(size.widthPx); // width
  writer.u16(size.heightPx); // height
  writer.u32(0x00480000); // horizresolution, 72 dpi
  writer.u32(0x00480000); // vertresolution, 72 dpi
  writer.u32(0); // reserved
  writer.u16(1); // frame_count
  writer.zeros(32); // compressorname
  writer.u16(0x0018); // depth
  writer.u16(0xffff); // pre_defined
}

/** Leaves `entry` at its child boxes. */
export function readVisualSampleEntry(entry: BoxCursor): { widthPx: number; heightPx: number } {
  entry.skip(BEFORE_SIZE_BYTES);
  const widthPx = entry.u16();
  const heightPx = entry.u16();
  entry.skip(AFTER_SIZE_BYTES);
  return { widthPx, heightPx };
}

/** A decoder configuration record has 16 bits for the length of a parameter set. */
export function fitsRecord(nalu: Uint8Array): boolean {
  return nalu.length > 0 && nalu.length <= MAX_PARAMETER_SET_BYTES;
}

/** A parameter set after its length, as in `avcC` and `hvcC`. */
export function parameterSet(writer: BoxWriter, nalu: Uint8Array): void {
  writer.u16(nalu.length); // parameterSetLength, nalUnitLength
  writer.put(nalu);
}

/** Copies. */
export function readParameterSets(box: BoxCursor, count: number): Uint8Array[] {
  const sets: Uint8Array[] = [];
  for (let index = 0; index < count; index++) sets.push(new Uint8Array(box.view(box.u16())));
  return sets;
}
