/** The service levels of one share, or of all, over a day: a row for every five minutes, and one for all since the start. */

import type { Clock } from '../core/clock.ts';
import type { Goals } from './goals.ts';
import { addMeasurement, LevelSums, ROW_LENGTH } from './level-sums.ts';
import type { Measurement } from './measurement.ts';

export const SLOT_MS = 300_000;
/** A day. */
export const SLOTS = 288;
/** The size of one history, in bytes. */
export const HISTORY_BYTES =
  SLOTS * ROW_LENGTH * Float32Array.BYTES_PER_ELEMENT + ROW_LENGTH * Float64Array.BYTES_PER_ELEMENT;

/** Slots are numbered by the monotonic clock, so that a clock that is set loses nothing. */
export class LevelHistory {
  readonly #clock: Pick<Clock, 'monoMs'>;
  /** Slot n is at n modulo SLOTS. */
  readonly #rows = new Float32Array(SLOTS * ROW_LENGTH);
  readonly #total = new Float64Array(ROW_LENGTH);
  #newestSlot: number;

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.#clock = clock;
    this.#newestSlot = this.#slotNow();
  }

  add(measured: Measurement, goals: Goals): void {
    this.#forgetOld();
    addMeasurement(this.#rowOf(this.#newestSlot), measured, goals);
    addMeasurement(this.#total, measured, goals);
  }

  /** Since the start. */
  get total(): LevelSums {
    return new LevelSums(this.#total);
  }

  /** The sums of the newest slots, at most SLOTS. */
  recent(slots: number): LevelSums {
    this.#forgetOld();
    const sums = new Float64Array(ROW_LENGTH);
    for (let back = 0; back < Math.min(slots, SLOTS); back++) {
      const row = this.#rowOf(this.#newestSlot - back);
      for (let i = 0; i < ROW_LENGTH; i++) sums[i]! += row[i]!;
    }
    return new LevelSums(sums);
  }

  /** One for each slot, oldest first; the last one is not over. */
  slots(): LevelSums[] {
    this.#forgetOld();
    return Array.from(
      { length: SLOTS },
      (_each, i) => new LevelSums(this.#rowOf(this.#newestSlot - SLOTS + 1 + i).slice()),
    );
  }

  #forgetOld(): void {
    const now = this.#slotNow();
    const missed = Math.min(SLOTS, now - this.#newestSlot);
    for (let back = 0; back < missed; back++) this.#rowOf(now - back).fill(0);
    this.#newestSlot = now;
  }

  #slotNow(): number {
    return Math.floor(this.#clock.monoMs() / SLOT_MS);
  }

  #rowOf(slot: number): Float32Array {
    const at = (((slot % SLOTS) + SLOTS) % SLOTS) * ROW_LENGTH;
    return this.#rows.subarray(at, at + ROW_LENGTH);
  }
}
