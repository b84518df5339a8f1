/**
 * Who is next: the most urgent, and among equals the one that came first. Waiting makes urgent: a class is gained with each
 * quarter of the longest wait, so that whoever still waits when three quarters are over is behind none that came later.
 */

import type { Clock } from '../core/clock.ts';
import { YIELDING_RANK } from './shared-work.ts';

/** From the least urgent class to the most urgent one, in this part of the longest wait. */
const QUARTERS = 4;

export interface Waiting {
  /** Asked whenever the order matters: 0 is the most urgent. From YIELDING_RANK on, waiting gains nothing. */
  readonly rank: () => number;
  readonly sinceMonoMs: number;
}

export class WaitingLine<T extends Waiting> {
  readonly #classMs: number;
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #waiting = new Set<T>();

  constructor(longestWaitMs: number, clock: Clock) {
    this.#classMs = longestWaitMs / QUARTERS;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(waiting: T): void {
    this.#waiting.add(waiting);
  }

  remove(waiting: T): void {
    this.#waiting.delete(waiting);
  }

  all(): Iterable<T> {
    return this.#waiting;
  }

  first(): T | undefined {
    return this.inOrder()[0];
  }

  /** Who is next, and then. */
  inOrder(): T[] {
    const nowMonoMs = this.#clock.monoMs();
    const ranked = Array.from(this.#waiting, (waiting) => ({
      waiting,
      rank: this.#rank(waiting, nowMonoMs),
    }));
    // Sorting keeps the order of equals.
    return ranked.sort((a, b) => a.rank - b.rank).map(({ waiting }) => waiting);
  }

  #rank(waiting: T, nowMonoMs: number): number {
    const own = waiting.rank();
    if (own >= YIELDING_RANK) return own;
    const classes = Math.floor((nowMonoMs - waiting.sinceMonoMs) / this.#classMs);
    // A wait of no time at all gains nothing, and no class is above the first.
    return Math.max(0, own - (Number.isFinite(classes) ? classes : 0));
  }
}
