/**
 * Bytes in another thread's media blocks. They are given back once they were copied for the first viewer, or when the
 * window forgets them.
 */

import type { SharedBlock, SharedRun } from '../cmaf/media-blocks.ts';
import { BLOCK_BYTES } from '../cmaf/media-blocks.ts';
import type { PackedBytes } from '../cmaf/part-bytes.ts';

interface SlabView {
  readonly bytes: Buffer;
  users: number;
}

/**
 * Another thread's slabs, as far as this one borrows from them. Each message brings objects of its own for the same
 * memory, which would outlive a few collections; the first is kept for all.
 */
export class SlabViews {
  readonly #views = new Map<number, SlabView>();

  get size(): number {
    return this.#views.size;
  }

  /** Until `release`. */
  take({ slabId, memory, atBytes }: SharedBlock): Buffer {
    let view = this.#views.get(slabId);
    if (view === undefined) {
      view = { bytes: Buffer.from(memory), users: 0 };
      this.#views.set(slabId, view);
    }
    view.users++;
    return view.bytes.subarray(atBytes, atBytes + BLOCK_BYTES);
  }

  release(slabId: number): void {
    const view = this.#views.get(slabId);
    if (view === undefined) return;
    view.users--;
    if (view.users === 0) this.#views.delete(slabId);
  }
}

interface BorrowedBlock {
  readonly slabId: number;
  readonly bytes: Buffer;
}

interface BorrowedRun {
  readonly blocks: readonly BorrowedBlock[];
  readonly startBytes: number;
  readonly byteLength: number;
}

export class BorrowedBytes implements PackedBytes {
  readonly byteLength: number;
  readonly #views: SlabViews;
  readonly #onReleased: () => void;
  #runs: readonly BorrowedRun[];

  /** `onReleased`: called once, when nothing reads the blocks anymore. */
  constructor(runs: readonly SharedRun[], views: SlabViews, onReleased: () => void) {
    this.#views = views;
    this.#onReleased = onReleased;
    this.#runs = runs.map(({ blocks, startBytes, byteLength }) => ({
      blocks: blocks.map((block) => ({ slabId: block.slabId, bytes: views.take(block) })),
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
      for (const { bytes } of blocks) {
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
    for (const { blocks } of this.#runs) for (const { slabId } of blocks) this.#views.release(slabId);
    this.#runs = [];
    this.#onReleased();
  }
}
