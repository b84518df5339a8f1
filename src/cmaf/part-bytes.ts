/** The bytes of a part as they lie in media blocks: its boxes, its pictures, its sound. */

import type { BlockRun } from './media-blocks.ts';

export class PartBytes {
  readonly byteLength: number;
  readonly #runs: readonly BlockRun[];

  /** The parts of it in order. Takes over the runs. */
  constructor(runs: readonly BlockRun[]) {
    this.#runs = runs;
    this.byteLength = runs.reduce((sum, run) => sum + run.byteLength, 0);
  }

  copyTo(target: Buffer, position: number): void {
    let at = position;
    for (const run of this.#runs) {
      run.copyTo(target, at);
      at += run.byteLength;
    }
  }

  /** A copy in one piece, in memory of its own. */
  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.byteLength);
    this.copyTo(joined, 0);
    return joined;
  }

  /** Gives the blocks back; the bytes must not be read any more. Idempotent. */
  release(): void {
    for (const run of this.#runs) run.release();
  }
}
