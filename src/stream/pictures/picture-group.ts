/**
 * The newest group of pictures of a stream, kept while the camera is open, so that viewers start immediately. It shares the
 * bytes that a packager keeps for the live window, and copies them only if no packager keeps them.
 */

import { ByteQueue } from '../../cmaf/byte-queue.ts';
import type { BlockRun } from '../../cmaf/media-blocks.ts';
import type { AccessUnit } from '../../codec/track.ts';

/** A longer group is not kept: viewers wait for the next key frame. 10 s at 6 Mbit/s. */
export const MAX_GROUP_BYTES = 8 * 1_048_576;
export const MAX_GROUP_PICTURES = 2_048;

export interface KeptPicture {
  readonly dtsTicks: number;
  readonly ptsTicks: number;
  readonly arrivalMonoMs: number;
  readonly epochMs: number;
  /** A copy, so that it outlives the group. */
  readonly data: Uint8Array;
}

/** Values per picture in `#numbers`: dtsTicks, ptsTicks, arrivalMonoMs, epochMs. */
const NUMBERS = 4;

export class PictureGroup {
  /** One run per picture. */
  readonly #runs: BlockRun[] = [];
  readonly #numbers: number[] = [];
  #byteLength = 0;
  /** Holds pictures that no packager keeps. */
  readonly #own = new ByteQueue();
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

  /** The next picture does not belong to the group, or exceeds its limits. */
  spoil(): void {
    this.#clear();
    this.#isWhole = false;
  }

  /** Borrowed. Hot: once per frame. `keeper`: has its bytes if they are kept anyway. */
  add(unit: AccessUnit, epochMs: number, keeper: { shareNewest(): BlockRun | null }): void {
    if (!this.#isWhole) return;
    const { data } = unit;
    if (this.#byteLength + data.length > MAX_GROUP_BYTES || this.#runs.length >= MAX_GROUP_PICTURES) {
      this.spoil();
      return;
    }
    this.#runs.push(keeper.shareNewest() ?? this.#copy(data));
    this.#numbers.push(unit.dtsTicks, unit.ptsTicks, unit.arrivalMonoMs, epochMs);
    this.#byteLength += data.length;
  }

  /** The first one is the key frame. */
  *pictures(): Iterable<KeptPicture> {
    const bytes = Buffer.allocUnsafeSlow(this.#byteLength);
    let start = 0;
    for (const [index, run] of this.#runs.entries()) {
      run.copyTo(bytes, start);
      const end = start + run.byteLength;
      const at = index * NUMBERS;
      yield {
        dtsTicks: this.#numbers[at]!,
        ptsTicks: this.#numbers[at + 1]!,
        arrivalMonoMs: this.#numbers[at + 2]!,
        epochMs: this.#numbers[at + 3]!,
        data: bytes.subarray(start, end),
      };
      start = end;
    }
  }

  #copy(data: Uint8Array): BlockRun {
    this.#own.append(data);
    const run = this.#own.shareLast(data.length);
    this.#own.drop(data.length);
    return run;
  }

  #clear(): void {
    for (const run of this.#runs) run.release();
    this.#own.clear();
    this.#runs.length = 0;
    this.#numbers.length = 0;
    this.#byteLength = 0;
  }
}
