/** The hash of a segment that comes in pieces (C2PA 2.4 §18.6.2): each box after its offset. */

import { createHash } from 'node:crypto';
import { BOX_HEADER_BYTES } from './boxes.ts';

const STYP = 'styp';
const OFFSET_BYTES = 8;

export class SegmentHash {
  readonly #hash = createHash('sha256');
  /** The offset of the current box, and its header. */
  readonly #head = Buffer.alloc(OFFSET_BYTES + BOX_HEADER_BYTES);
  #headerBytes = 0;
  /** Of the current box, still to come. */
  #leftBytes = 0;
  /** Where the next byte is in the segment. */
  #position = 0;
  /** Length of a box that is not hashed, and comes before the next one that is not `styp`. */
  #gapBytes = 0;
  #gapPosition = 0;

  /** Hot: once per part, with its bytes in order. */
  add(views: readonly Uint8Array[]): void {
    for (const view of views) this.#update(view);
  }

  /** Leaves `bytes` before the next box that is not `styp`. */
  leave(bytes: number): void {
    this.#gapBytes = bytes;
  }

  /** Where the gap is in the segment. */
  get gapPosition(): number {
    return this.#gapPosition;
  }

  get position(): number {
    return this.#position;
  }

  digest(): Buffer {
    return this.#hash.digest();
  }

  #update(view: Uint8Array): void {
    for (let at = 0; at < view.length; ) {
      if (this.#leftBytes === 0) at += this.#takeHeader(view, at);
      else {
        const count = Math.min(this.#leftBytes, view.length - at);
        this.#hash.update(view.subarray(at, at + count));
        this.#leftBytes -= count;
        this.#position += count;
        at += count;
      }
    }
  }

  #takeHeader(view: Uint8Array, at: number): number {
    const count = Math.min(BOX_HEADER_BYTES - this.#headerBytes, view.length - at);
    this.#head.set(view.subarray(at, at + count), OFFSET_BYTES + this.#headerBytes);
    this.#headerBytes += count;
    if (this.#headerBytes < BOX_HEADER_BYTES) return count;
    this.#headerBytes = 0;
    if (this.#gapBytes > 0 && this.#head.toString('latin1', OFFSET_BYTES + 4) !== STYP) {
      this.#gapPosition = this.#position;
      this.#position += this.#gapBytes;
      this.#gapBytes = 0;
    }
    // A segment has less than 2^32 bytes.
    this.#head.writeUInt32BE(this.#position, 4);
    this.#hash.update(this.#head);
    this.#position += BOX_HEADER_BYTES;
    this.#leftBytes = this.#head.readUInt32BE(OFFSET_BYTES) - BOX_HEADER_BYTES;
    return count;
  }
}
