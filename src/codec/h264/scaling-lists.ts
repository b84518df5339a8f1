/** Scaling lists precede fields that we need in parameter sets, so they are skipped. ISO/IEC 14496-10 §7.3.2.1.1.1. */

import type { BitReader } from '../../bytes/bit-reader.ts';

const SMALL_LISTS = 6;
const SMALL_LIST_SIZE = 16;
const LARGE_LIST_SIZE = 64;

/** `listCount`: 8, or 12 with chroma_format_idc 3. The reader is positioned after the matrix_present_flag. */
export function skipScalingLists(reader: BitReader, listCount: number): void {
  for (let list = 0; list < listCount; list++) {
    if (reader.flag()) skipScalingList(reader, list < SMALL_LISTS ? SMALL_LIST_SIZE : LARGE_LIST_SIZE);
  }
}

function skipScalingList(reader: BitReader, size: number): void {
  let lastScale = 8;
  for (let at = 0; at < size && !reader.isOverrun; at++) {
    const nextScale = (lastScale + reader.signedExpGolomb() + 256) % 256;
    // 0 ends the list: the last value applies to the rest.
    if (nextScale === 0) return;
    lastScale = nextScale;
  }
}
