/**
 * Segment numbers from before a node took over. Another node may have published some of them that never came here, and viewers may have
 * them in a playlist: for a while, they are not known not to exist.
 */

import type { Clock } from '../../core/clock.ts';

/** Longer than a viewer keeps using a playlist of the previous owner. */
export const FORMER_MS = 30_000;

export interface FormerNumbersState {
  /** The first number that is known since. */
  readonly belowMsn: number;
  readonly leftMs: number;
}

export class FormerNumbers {
  readonly #clock: Clock;
  #belowMsn = 0;
  #untilMonoMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The known numbers begin here from now on. */
  jumped(belowMsn: number): void {
    this.#take({ belowMsn, leftMs: FORMER_MS });
  }

  /** null: none. */
  state(): FormerNumbersState | null {
    const leftMs = this.#untilMonoMs - this.#clock.monoMs();
    return leftMs > 0 ? { belowMsn: this.#belowMsn, leftMs } : null;
  }

  /** As another window has it. */
  become(state: FormerNumbersState | null): void {
    if (state === null) this.#untilMonoMs = Number.NEGATIVE_INFINITY;
    else this.#take(state);
  }

  /** Whether another node may have had it. */
  has(msn: number): boolean {
    return msn < this.#belowMsn && this.#clock.monoMs() < this.#untilMonoMs;
  }

  #take({ belowMsn, leftMs }: FormerNumbersState): void {
    this.#belowMsn = belowMsn;
    this.#untilMonoMs = this.#clock.monoMs() + leftMs;
  }
}
