/**
 * When the gateway's thread looks into the rings of its camera threads, while records come closely: into all of them at once. To
 * be woken costs about as much as to look, so a look that finds the records of many cameras, in whichever ring, is cheaper than a
 * message for each of them; one that finds nothing is wasted.
 */

import type { Clock } from '../../core/clock.ts';

/** Between two looks. A part arrives so much later, which is little of its duration. */
export const LOOK_MS = 10;
/** Records of a ring that are this far apart, or further, each wake the thread. */
export const APART_MS = 2 * LOOK_MS;

export class RingLooks {
  readonly #clock: Clock;
  #due: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `look` must not throw. */
  soon(look: () => void): void {
    this.#due.push(look);
    if (this.#due.length === 1) this.#clock.after(LOOK_MS, () => this.#lookNow());
  }

  #lookNow(): void {
    const due = this.#due;
    this.#due = [];
    for (const look of due) look();
  }
}
