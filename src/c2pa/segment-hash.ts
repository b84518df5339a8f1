/** The hash of a segment that comes in pieces (C2PA 2.4 §18.6.2): each box after its offset. */

import { createHash } from 'node:crypto';
import { BOX_HEADER_BYTES, offsetOf } from './boxes.ts';

const STYP = 'styp';

export class SegmentHash {
  readonly #hash = createHash('sha256');
  readonly #header = Buffer.alloc(BOX_HEADER_BYTES);
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
    this.#header.set(view.subarray(at, at + count), this.#headerBytes);
    this.#headerBytes += count;
    if (this.#headerBytes < BOX_HEADER_BYTES) return count;
    this.#headerBytes = 0;
    if (this.#gapBytes > 0 && this.#header.toString('latin1', 4) !== STYP) {
      this.#gapPosition = this.#position;
      this.#position += this.#gapBytes;
      this.#gapBytes = 0;
    }
    this.#hash.update(offsetOf(this.#position)).update(this.#header);
    this.#position += BOX_HEADER_BYTES;
    this.#leftBytes = this.#header.readUInt32BE(0) - BOX_HEADER_BYTES;
    return count;
  }
}
