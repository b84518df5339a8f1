/**
 * Bytes in another thread's media blocks. They are given back once they were copied for the first viewer, or when the
 * window forgets them.
 */

import { BLOCK_BYTES } from '../cmaf/media-blocks.ts';
import type { PackedBytes } from '../cmaf/part-bytes.ts';
import type { MirroredRun } from './mirror-messages.ts';

/** Another thread's slabs, by their ID. */
export class SharedSlabs {
  readonly #slabs = new Map<number, Buffer>();

  get size(): number {
    return this.#slabs.size;
  }

  add(slabId: number, memory: SharedArrayBuffer): void {
    this.#slabs.set(slabId, Buffer.from(memory));
  }

  forget(slabId: number): void {
    this.#slabs.delete(slabId);
  }

  block(slabId: number, atBytes: number): Buffer {
    const slab = this.#slabs.get(slabId);
    if (slab === undefined) throw new Error(`slab ${slabId} was not announced`);
    return slab.subarray(atBytes, atBytes + BLOCK_BYTES);
  }
}

interface BorrowedRun {
  readonly blocks: readonly Buffer[];
  readonly startBytes: number;
  readonly byteLength: number;
}

export class BorrowedBytes implements PackedBytes {
  readonly byteLength: number;
  readonly #onReleased: () => void;
  #runs: readonly BorrowedRun[];

  /** `onReleased`: called once, when nothing reads the blocks anymore. */
  constructor(runs: readonly MirroredRun[], slabs: SharedSlabs, onReleased: () => void) {
    this.#onReleased = onReleased;
    this.#runs = runs.map(({ blocks, startBytes, byteLength }) => ({
      blocks: blocks.map(({ slabId, atBytes }) => slabs.block(slabId, atBytes)),
      startBytes,
      byteLength,
    }));
    this.byteLength = runs.reduce((sum, run) => sum + run.byteLength, 0);
  }

  copyTo(target: Buffer, position: number): void {
    let at = position;
    for (const { blocks, startBytes, byteLength } of this.#runs) {
      let from = startBytes;
      let left = byteLength;
      for (const bytes of blocks) {
        const copied = bytes.copy(target, at, from, from + left);
        at += copied;
        left -= copied;
        from = 0;
      }
    }
  }

  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.byteLength);
    this.copyTo(joined, 0);
    return joined;
  }

  release(): void {
    if (this.#runs.length === 0) return;
    this.#runs = [];
    this.#onReleased();
  }
}
