/**
 * The newest group of pictures of a stream, kept where the camera is read: who begins to read access units in another thread
 * begins with it. It lies in media blocks, and costs one copy of each frame.
 */

import { ByteQueue } from '../../cmaf/byte-queue.ts';
import type { AccessUnit } from '../../codec/track.ts';
import { MAX_GROUP_BYTES, MAX_GROUP_PICTURES } from '../../stream/pictures/picture-group.ts';

export class UnitGroup {
  readonly #bytes = new ByteQueue();
  /** Without their data. */
  readonly #heads: Omit<AccessUnit, 'data'>[] = [];
  readonly #ends: number[] = [];
  /** Begins with a key frame, and nothing is missing. */
  #isWhole = false;

  /** Video, borrowed. Hot: once per frame. */
  push(unit: AccessUnit): void {
    if (unit.isKey) {
      this.clear();
      this.#isWhole = true;
    } else if (!this.#isWhole) return;
    const end = this.#bytes.byteLength + unit.data.length;
    if (end > MAX_GROUP_BYTES || this.#ends.length >= MAX_GROUP_PICTURES) {
      this.clear();
      return;
    }
    const { trackIndex, dtsTicks, ptsTicks, isKey, arrivalMonoMs } = unit;
    this.#bytes.append(unit.data);
    this.#heads.push({ trackIndex, dtsTicks, ptsTicks, isKey, arrivalMonoMs });
    this.#ends.push(end);
  }

  /** Copies that belong to the caller: the key frame, and the units after it. */
  units(): AccessUnit[] {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes.byteLength);
    const run = this.#bytes.share(bytes.length);
    run.copyTo(bytes, 0);
    run.release();
    return this.#heads.map((head, index) => {
      const start = index === 0 ? 0 : this.#ends[index - 1]!;
      return { ...head, data: bytes.subarray(start, this.#ends[index]!) };
    });
  }

  clear(): void {
    this.#bytes.clear();
    this.#heads.length = 0;
    this.#ends.length = 0;
    this.#isWhole = false;
  }
}
