/**
 * When the gateway's thread looks into the rings of its camera threads, while records come closely: into all of them at once. To
 * be woken costs about as much as to look, and more than what a record costs. So a look that finds the records of many cameras, in
 * whichever ring, is cheaper than a message for each of them; one that finds nothing is wasted.
 */

import type { Clock } from '../../core/clock.ts';
import { INSTANT_MS } from '../../core/shared-instants.ts';

/** Between two looks, while someone waits for what comes: a part arrives so much later, which is little of its duration. */
export const LOOK_MS = 10;
/** While no one does. */
export const IDLE_LOOK_MS = INSTANT_MS;
/** No one waits when no one waited for so long: for several parts. */
const AWAITED_MS = 2_000;
/** Records of a ring that are further apart than so many looks each wake the thread. */
const APART_LOOKS = 2;

export class RingLooks {
  readonly #clock: Clock;
  #due: (() => void)[] = [];
  #awaitedMonoMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Someone waits for what comes. */
  noteAwaited(nowMonoMs: number): void {
    this.#awaitedMonoMs = nowMonoMs;
  }

  /** Whether records that are so far apart are worth looks. */
  isClose(apartMs: number): boolean {
    return apartMs < APART_LOOKS * this.#intervalMs(this.#clock.monoMs());
  }

  /** `look` must not throw. */
  soon(look: () => void): void {
    this.#due.push(look);
    if (this.#due.length > 1) return;
    const nowMonoMs = this.#clock.monoMs();
    const intervalMs = this.#intervalMs(nowMonoMs);
    // At the same instants as other timers: one wake for all.
    const delayMs = Math.ceil((nowMonoMs + 1) / intervalMs) * intervalMs - nowMonoMs;
    this.#clock.after(Math.ceil(delayMs), () => this.#lookNow());
  }

  #intervalMs(nowMonoMs: number): number {
    return nowMonoMs - this.#awaitedMonoMs < AWAITED_MS ? LOOK_MS : IDLE_LOOK_MS;
  }

  #lookNow(): void {
    const due = this.#due;
    this.#due = [];
    for (const look of due) look();
  }
}
