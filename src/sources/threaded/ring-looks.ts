/**
 * When the gateway's thread looks into the rings of its camera threads, while records come closely: into all of them at once. To
 * be woken costs about as much as to look, and more than what a record costs. So a look that finds the records of many cameras, in
 * whichever ring, is cheaper than a message for each of them; one that finds nothing is wasted.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { delayToMultiple, INSTANT_MS } from '../../core/shared-instants.ts';

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
  #timer: TimerHandle | null = null;
  #awaitedMonoMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Someone waits for what comes: the next look is soon. */
  noteAwaited(nowMonoMs: number): void {
    const wasIdle = this.#intervalMs(nowMonoMs) === IDLE_LOOK_MS;
    this.#awaitedMonoMs = nowMonoMs;
    if (wasIdle && this.#timer !== null) this.#arm(nowMonoMs);
  }

  /** Whether records that are so far apart are worth looks. */
  isClose(apartMs: number): boolean {
    return apartMs < APART_LOOKS * this.#intervalMs(this.#clock.monoMs());
  }

  /** `look` must not throw. */
  soon(look: () => void): void {
    this.#due.push(look);
    if (this.#timer === null) this.#arm(this.#clock.monoMs());
  }

  /** At the same instants as other timers: one wake for all. */
  #arm(nowMonoMs: number): void {
    this.#timer?.cancel();
    const delayMs = delayToMultiple(nowMonoMs, this.#intervalMs(nowMonoMs));
    this.#timer = this.#clock.after(delayMs, () => this.#lookNow());
  }

  #intervalMs(nowMonoMs: number): number {
    return nowMonoMs - this.#awaitedMonoMs < AWAITED_MS ? LOOK_MS : IDLE_LOOK_MS;
  }

  #lookNow(): void {
    const due = this.#due;
    this.#due = [];
    this.#timer = null;
    for (const look of due) look();
  }
}
