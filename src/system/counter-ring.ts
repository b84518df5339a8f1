/** The newest samples of a few counters, in one typed array of fixed size. NaN: not known at that time. */

/** Samples that a ring holds: an hour of one every ten seconds. */
export const RING_SAMPLES = 360;

const BYTES_PER_VALUE = Float32Array.BYTES_PER_ELEMENT;

/** The size of a ring with this many counters, in bytes. */
export function ringBytes(counters: number): number {
  return counters * RING_SAMPLES * BYTES_PER_VALUE;
}

/** Ticks are numbered without gaps, one for each interval of time. A tick without a sample reads as unknown. */
export class CounterRing<Name extends string> {
  readonly #names: readonly Name[];
  /** One counter after the other; the value of tick n is at n modulo RING_SAMPLES. */
  readonly #values: Float32Array;
  #lastTick = Number.NEGATIVE_INFINITY;

  constructor(names: readonly Name[]) {
    this.#names = names;
    this.#values = new Float32Array(names.length * RING_SAMPLES).fill(Number.NaN);
  }

  /** The tick of the newest sample; -Infinity: none. */
  get lastTick(): number {
    return this.#lastTick;
  }

  /** Ticks only grow; one that is not newer than the last is ignored. */
  put(tick: number, sample: Readonly<Record<Name, number | null>>): void {
    if (tick <= this.#lastTick) return;
    const firstMissed = Math.max(this.#lastTick + 1, tick - RING_SAMPLES + 1);
    for (let missed = firstMissed; missed < tick; missed++) {
      for (let i = 0; i < this.#names.length; i++) this.#values[this.#at(i, missed)] = Number.NaN;
    }
    for (const [i, name] of this.#names.entries()) {
      this.#values[this.#at(i, tick)] = sample[name] ?? Number.NaN;
    }
    this.#lastTick = tick;
  }

  /** A copy: for each counter, its values from `fromTick` to `toTick`, both included. */
  columns(fromTick: number, toTick: number): Record<Name, Float32Array> {
    const columns = {} as Record<Name, Float32Array>;
    for (const [i, name] of this.#names.entries()) {
      const column = new Float32Array(Math.max(0, toTick - fromTick + 1));
      for (let tick = fromTick; tick <= toTick; tick++) {
        const isHeld = tick <= this.#lastTick && tick > this.#lastTick - RING_SAMPLES && tick >= 0;
        column[tick - fromTick] = isHeld ? this.#values[this.#at(i, tick)]! : Number.NaN;
      }
      columns[name] = column;
    }
    return columns;
  }

  #at(counter: number, tick: number): number {
    return counter * RING_SAMPLES + (tick % RING_SAMPLES);
  }
}
