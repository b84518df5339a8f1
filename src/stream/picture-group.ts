/**
 * The newest group of pictures of a stream, kept while the camera is open, so that a viewer starts at once. It lies in
 * media blocks: without viewers, a frame costs one copy, and a group no more memory than its bytes.
 */

import { ByteQueue } from '../cmaf/byte-queue.ts';
import type { AccessUnit } from '../codec/track.ts';

/** A longer group is not kept: viewers wait for the next key frame. 10 s at 6 Mbit/s. */
export const MAX_GROUP_BYTES = 8 * 1_048_576;
export const MAX_GROUP_PICTURES = 2_048;

export interface KeptPicture {
  readonly epochMs: number;
  /** A copy, so that it outlives the group. */
  readonly data: Uint8Array;
}

export class PictureGroup {
  readonly #bytes = new ByteQueue();
  readonly #ends: number[] = [];
  readonly #epochMs: number[] = [];
  /** Begins with a key frame, and nothing is missing. */
  #isWhole = false;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** A key frame follows. */
  begin(): void {
    this.#clear();
    this.#isWhole = true;
  }

  /** What follows does not belong to the group, or is too much. */
  spoil(): void {
    this.#clear();
    this.#isWhole = false;
  }

  /** Borrowed. Hot: once per frame. */
  add(unit: AccessUnit, epochMs: number): void {
    if (!this.#isWhole) return;
    const end = this.#bytes.byteLength + unit.data.length;
    if (end > MAX_GROUP_BYTES || this.#ends.length >= MAX_GROUP_PICTURES) {
      this.spoil();
      return;
    }
    this.#bytes.append(unit.data);
    this.#ends.push(end);
    this.#epochMs.push(epochMs);
  }

  /** The first one is the key frame. */
  *pictures(): Iterable<KeptPicture> {
    const bytes = this.#copy();
    let start = 0;
    for (const [index, end] of this.#ends.entries()) {
      yield { epochMs: this.#epochMs[index]!, data: bytes.subarray(start, end) };
      start = end;
    }
  }

  #copy(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes.byteLength);
    const run = this.#bytes.share(bytes.length);
    run.copyTo(bytes, 0);
    run.release();
    return bytes;
  }

  #clear(): void {
    this.#bytes.clear();
    this.#ends.length = 0;
    this.#epochMs.length = 0;
  }
}
