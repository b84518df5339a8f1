/** The bytes of a part as they lie in media blocks: its boxes, its video, its audio. */

import type { BlockRun, SharedRun } from './media-blocks.ts';

/** A part's bytes, wherever they lie. */
export interface PackedBytes {
  readonly byteLength: number;
  /** The same bytes for one more user, who releases them on their own. */
  again(): PackedBytes;
  /** The location for other threads: valid until this is released. */
  where(): readonly SharedRun[];
  /** The bytes where they lie, in order: not to be read after `release`. */
  views(): readonly Uint8Array[];
  copyTo(target: Buffer, position: number): void;
  /** A contiguous copy in its own memory. */
  join(): Buffer;
  /** The bytes must not be read anymore. Idempotent. */
  release(): void;
}

export class PartBytes implements PackedBytes {
  readonly byteLength: number;
  readonly #runs: readonly BlockRun[];

  /** Its pieces in order. Takes over the runs. */
  constructor(runs: readonly BlockRun[]) {
    this.#runs = runs;
    this.byteLength = runs.reduce((sum, run) => sum + run.byteLength, 0);
  }

  again(): PartBytes {
    return new PartBytes(this.#runs.map((run) => run.again()));
  }

  where(): readonly SharedRun[] {
    return this.#runs.map((run) => run.where());
  }

  views(): readonly Uint8Array[] {
    return this.#runs.flatMap((run) => run.views());
  }

  copyTo(target: Buffer, position: number): void {
    let at = position;
    for (const run of this.#runs) {
      run.copyTo(target, at);
      at += run.byteLength;
    }
  }

  /** A contiguous copy in its own memory. */
  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.byteLength);
    this.copyTo(joined, 0);
    return joined;
  }

  /** Returns the blocks; the bytes must not be read anymore. Idempotent. */
  release(): void {
    for (const run of this.#runs) run.release();
  }
}
