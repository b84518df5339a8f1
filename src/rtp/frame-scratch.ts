/** Gathers the bytes of one frame: one buffer per track, reused for every frame. */

import { copyBytes } from '../bytes/copy-bytes.ts';

/** No camera's access unit comes near this: 8K at quality settings that no camera has stays below 4 MiB. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** The buffer grows in steps of this size, so that a camera holds little more than its largest frame. */
const GROWTH_STEP_BYTES = 8 * 1024;

export class FrameScratch {
  #bytes = Buffer.allocUnsafeSlow(GROWTH_STEP_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The written bytes, borrowed until the next write. */
  view(start = 0): Buffer {
    return this.#bytes.subarray(start, this.#length);
  }

  /** The byte at `at`. It must have been written. */
  byteAt(at: number): number {
    return this.#bytes[at]!;
  }

  /** Drops everything from `length` on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Appends `chunk[start, end)`. Returns false and writes nothing if the frame would get too large. */
  append(chunk: Uint8Array, start: number, end: number): boolean {
    const at = this.#length;
    const length = at + end - start;
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    copyBytes(chunk, start, end, this.#bytes, at);
    this.#length = length;
    return true;
  }

  /** Appends room for a four-byte length and a NAL unit's header. Returns false if the frame would get too large. */
  beginNalu(header: number, headerBytes: 1 | 2): boolean {
    const at = this.#length;
    const length = at + 4 + headerBytes;
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    if (headerBytes === 2) this.#bytes[at + 4] = header >>> 8;
    this.#bytes[length - 1] = header;
    this.#length = length;
    return true;
  }

  /** Writes the length of the NAL unit that began at `start`. ISO/IEC 14496-15 §5.2.3. */
  endNalu(start: number): void {
    this.#bytes.writeUInt32BE(this.#length - start - 4, start);
  }

  #grow(neededBytes: number): boolean {
    if (neededBytes > MAX_FRAME_BYTES) return false;
    const withQuarter = this.#bytes.length + (this.#bytes.length >> 2);
    const target = Math.min(MAX_FRAME_BYTES, Math.max(neededBytes, withQuarter));
    const rounded = Math.ceil(target / GROWTH_STEP_BYTES) * GROWTH_STEP_BYTES;
    const grown = Buffer.allocUnsafeSlow(rounded);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return true;
  }
}
