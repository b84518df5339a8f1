/**
 * Access units made of NAL units after 4-byte lengths (ISO/IEC 14496-15 §5.2.3): finds slices and replaces their heads.
 */

import { isVcl, nalType } from '../../codec/h264/nal-unit.ts';
import { FrameScratch } from '../frame-scratch.ts';

const LENGTH_BYTES = 4;
const NO_SLICE = new Uint8Array(0);

/** The bytes that replace the first `replaced` bytes of a NAL unit. */
export interface NaluHead {
  readonly head: Uint8Array;
  readonly replaced: number;
}

/** A view of the first slice; empty when there is none. */
export function firstSliceOf(data: Uint8Array): Uint8Array {
  for (let at = 0; at + LENGTH_BYTES < data.length; ) {
    const start = at + LENGTH_BYTES;
    const end = start + lengthAt(data, at);
    if (isVcl(nalType(data[start]!))) return data.subarray(start, end);
    at = end;
  }
  return NO_SLICE;
}

export class PictureRewriter {
  readonly #scratch = new FrameScratch();

  /** One NAL unit as an access unit; borrowed until the next call. */
  single(nalu: Uint8Array): Uint8Array {
    const scratch = this.#scratch;
    scratch.truncate(0);
    this.#append(nalu, NO_SLICE);
    return scratch.view();
  }

  /**
   * `data` with every slice's head replaced; borrowed until the next call. null if `headOf` returns null, or the result
   * gets too large.
   */
  rewrite(data: Uint8Array, headOf: (slice: Uint8Array) => NaluHead | null): Uint8Array | null {
    this.#scratch.truncate(0);
    for (let at = 0; at + LENGTH_BYTES < data.length; ) {
      const start = at + LENGTH_BYTES;
      const end = start + lengthAt(data, at);
      const nalu = data.subarray(start, end);
      const isSlice = isVcl(nalType(nalu[0]!));
      const head = isSlice ? headOf(nalu) : null;
      if (isSlice && head === null) return null;
      const isWritten =
        head === null ? this.#append(nalu, NO_SLICE) : this.#append(head.head, nalu.subarray(head.replaced));
      if (!isWritten) return null;
      at = end;
    }
    return this.#scratch.view();
  }

  /** A NAL unit in two pieces. */
  #append(head: Uint8Array, rest: Uint8Array): boolean {
    const scratch = this.#scratch;
    const start = scratch.length;
    const isWritten =
      scratch.beginNalu(head[0]!, 1) &&
      scratch.append(head, 1, head.length) &&
      scratch.append(rest, 0, rest.length);
    if (isWritten) scratch.endNalu(start);
    return isWritten;
  }
}

function lengthAt(data: Uint8Array, at: number): number {
  return ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0;
}
