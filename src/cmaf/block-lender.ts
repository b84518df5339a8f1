/**
 * Lends the bytes of parts to another thread, which reads them where they lie: in media blocks. They have one more user until
 * that thread gives them back, or ends.
 */

import { BLOCK_BYTES, type SharedRun, slabWatchers } from './media-blocks.ts';
import type { PackedBytes } from './part-bytes.ts';

/** Plain values, for a message. */
export interface LentBytes {
  /** The number that the other thread gives back. */
  readonly hold: number;
  readonly byteLength: number;
  readonly places: Places;
}

/**
 * Where bytes lie, in slabs that were announced: for each piece of them the slab's ID, the position in the slab and the
 * number of bytes. One list of numbers costs the other thread less than an object for each piece.
 */
export type Places = readonly number[];

/** Numbers for a piece. */
export const PLACE_NUMBERS = 3;

/** Notices for the other thread, in the order in which they are called. */
export interface SlabEvents {
  /** Before the first bytes in it. Its memory comes once: an object for it costs more than the rest of a message. */
  slabShared(slabId: number, memory: SharedArrayBuffer): void;
  /** Nothing in it is lent, nor will be. */
  slabForgotten(slabId: number): void;
}

export class BlockLender {
  readonly #events: SlabEvents;
  readonly #lent = new Map<number, PackedBytes>();
  /** Those that the other thread knows. */
  readonly #slabs = new Set<number>();
  readonly #forgetSlab = (slabId: number): void => {
    if (this.#slabs.delete(slabId)) this.#events.slabForgotten(slabId);
  };
  #nextHold = 0;

  constructor(events: SlabEvents) {
    this.#events = events;
    slabWatchers.add(this.#forgetSlab);
  }

  /** Number of loans that the other thread can still read. */
  get holds(): number {
    return this.#lent.size;
  }

  /** Takes over `bytes`. */
  lend(bytes: PackedBytes): LentBytes {
    const hold = this.#nextHold++;
    this.#lent.set(hold, bytes);
    const places: number[] = [];
    for (const run of bytes.where()) this.#place(run, places);
    return { hold, byteLength: bytes.byteLength, places };
  }

  /** The other thread has read these for the last time. */
  release(holds: readonly number[]): void {
    for (const hold of holds) {
      this.#lent.get(hold)?.release();
      this.#lent.delete(hold);
    }
  }

  /** The other thread has ended. */
  close(): void {
    slabWatchers.delete(this.#forgetSlab);
    this.release([...this.#lent.keys()]);
  }

  #place({ blocks, startBytes, byteLength }: SharedRun, places: number[]): void {
    let from = startBytes;
    let left = byteLength;
    for (const { slabId, memory, atBytes } of blocks) {
      if (!this.#slabs.has(slabId)) {
        this.#slabs.add(slabId);
        this.#events.slabShared(slabId, memory);
      }
      const taken = Math.min(left, BLOCK_BYTES - from);
      places.push(slabId, atBytes + from, taken);
      left -= taken;
      from = 0;
    }
  }
}
