/** Tells the owner of a sound that its payloads wait for a worker, unless the wait is that of a normal start. */

import type { Clock, TimerHandle } from '../../core/clock.ts';

const WAITING_AFTER_MS = 1_000;

export class WaitingNotice {
  readonly #clock: Clock;
  readonly #onWaiting: (isWaiting: boolean) => void;
  #timer: TimerHandle | null = null;
  #isWaiting = false;
  #isClosed = false;

  constructor(clock: Clock, onWaiting: (isWaiting: boolean) => void) {
    this.#clock = clock;
    this.#onWaiting = onWaiting;
  }

  /** No worker is there, or not any more. */
  waits(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#clock.after(WAITING_AFTER_MS, () => this.#set(true));
  }

  served(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#set(false);
  }

  /** Says nothing from now on. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #set(isWaiting: boolean): void {
    if (this.#isWaiting === isWaiting || this.#isClosed) return;
    this.#isWaiting = isWaiting;
    this.#onWaiting(isWaiting);
  }
}
