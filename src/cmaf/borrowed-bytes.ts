/**
 * Bytes in another thread's media blocks. They are given back once they were copied for the first viewer, or when the
 * window forgets them, and no further thread reads them.
 */

import { type LentBytes, PLACE_NUMBERS, type Places, type SlabEvents } from './block-lender.ts';
import { BLOCK_BYTES, forgetSlab, type ImportedSlab, importSlab, type SharedRun } from './media-blocks.ts';
import type { PackedBytes } from './part-bytes.ts';

/** Another thread's slabs, by their ID there. */
export class SharedSlabs implements SlabEvents {
  readonly #slabs = new Map<number, ImportedSlab>();
  /** Borrowed bytes in them. */
  #borrowed = 0;
  #isClosed = false;

  get size(): number {
    return this.#slabs.size;
  }

  slabShared(slabId: number, memory: SharedArrayBuffer): void {
    this.#slabs.set(slabId, importSlab(memory));
  }

  slabForgotten(slabId: number): void {
    const slab = this.#slabs.get(slabId);
    if (slab === undefined) return;
    this.#slabs.delete(slabId);
    forgetSlab(slab.id);
  }

  /** The other thread has ended. Its memory is there until nothing is borrowed. */
  close(): void {
    this.#isClosed = true;
    if (this.#borrowed > 0) return;
    for (const slabId of [...this.#slabs.keys()]) this.slabForgotten(slabId);
  }

  /** Whether the slabs of all `places` were announced. Hot: once per part. */
  has(places: Places): boolean {
    for (let i = 0; i < places.length; i += PLACE_NUMBERS) if (!this.#slabs.has(places[i]!)) return false;
    return true;
  }

  /** @internal for BorrowedBytes */
  of(slabId: number): ImportedSlab {
    const slab = this.#slabs.get(slabId);
    if (slab === undefined) throw new Error(`slab ${slabId} was not announced`);
    return slab;
  }

  /** @internal for BorrowedBytes */
  count(change: 1 | -1): void {
    this.#borrowed += change;
    if (this.#isClosed) this.close();
  }
}

/** Users of the same bytes in this thread. */
class Loan {
  users = 0;
  readonly slabs: SharedSlabs;
  readonly #hold: number;
  readonly #onReleased: (hold: number) => void;

  constructor(hold: number, slabs: SharedSlabs, onReleased: (hold: number) => void) {
    this.slabs = slabs;
    this.#hold = hold;
    this.#onReleased = onReleased;
    slabs.count(1);
  }

  leave(): void {
    this.users--;
    if (this.users > 0) return;
    this.#onReleased(this.#hold);
    this.slabs.count(-1);
  }
}

export class BorrowedBytes implements PackedBytes {
  readonly byteLength: number;
  readonly #loan: Loan;
  #places: Places | null;

  private constructor(byteLength: number, places: Places, loan: Loan) {
    this.byteLength = byteLength;
    this.#loan = loan;
    this.#places = places;
    loan.users++;
  }

  /**
   * `onReleased`: called once, with what has to be given back, when nothing in this thread, or to which it passed them on, reads
   * the blocks anymore. The same function for all of a thread's bytes: one for each would be an object more.
   */
  static of(lent: LentBytes, slabs: SharedSlabs, onReleased: (hold: number) => void): BorrowedBytes {
    return new BorrowedBytes(lent.byteLength, lent.places, new Loan(lent.hold, slabs, onReleased));
  }

  again(): BorrowedBytes {
    return new BorrowedBytes(this.byteLength, this.#placesNow(), this.#loan);
  }

  where(): readonly SharedRun[] {
    const runs: SharedRun[] = [];
    const places = this.#placesNow();
    for (let i = 0; i < places.length; i += PLACE_NUMBERS) {
      const { id: slabId, memory } = this.#loan.slabs.of(places[i]!);
      const startBytes = places[i + 1]! % BLOCK_BYTES;
      const atBytes = places[i + 1]! - startBytes;
      runs.push({ blocks: [{ slabId, memory, atBytes }], startBytes, byteLength: places[i + 2]! });
    }
    return runs;
  }

  views(): readonly Uint8Array[] {
    const views: Uint8Array[] = [];
    const places = this.#placesNow();
    for (let i = 0; i < places.length; i += PLACE_NUMBERS) {
      const from = places[i + 1]!;
      views.push(this.#loan.slabs.of(places[i]!).bytes.subarray(from, from + places[i + 2]!));
    }
    return views;
  }

  copyTo(target: Buffer, position: number): void {
    const places = this.#placesNow();
    let at = position;
    for (let i = 0; i < places.length; i += PLACE_NUMBERS) {
      const from = places[i + 1]!;
      at += this.#loan.slabs.of(places[i]!).bytes.copy(target, at, from, from + places[i + 2]!);
    }
  }

  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.byteLength);
    this.copyTo(joined, 0);
    return joined;
  }

  release(): void {
    if (this.#places === null) return;
    this.#places = null;
    this.#loan.leave();
  }

  /** Nothing, once they were released. */
  #placesNow(): Places {
    return this.#places ?? [];
  }
}
