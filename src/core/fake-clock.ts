/** A clock that moves only on a test's command. Timers fire in order of their due time, then of creation. */

import type { Clock, TimerHandle } from './clock.ts';

interface PendingTimer {
  readonly dueMonoMs: number;
  readonly sequence: number;
  readonly fn: () => void;
}

export class FakeClock implements Clock {
  #monoMs = 0;
  #epochMs: number;
  #sequence = 0;
  readonly #timers = new Set<PendingTimer>();

  /** `epochMs`: the wall clock at the start; 2026-01-01T00:00Z by default. */
  constructor(epochMs = Date.UTC(2026, 0, 1)) {
    this.#epochMs = epochMs;
  }

  monoMs(): number {
    return this.#monoMs;
  }

  epochMs(): number {
    return Math.floor(this.#epochMs);
  }

  after(delayMs: number, fn: () => void): TimerHandle {
    const timer: PendingTimer = {
      dueMonoMs: this.#monoMs + Math.max(0, delayMs),
      sequence: this.#sequence++,
      fn,
    };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Number of pending timers. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Moves both clocks forward, firing every timer that comes due on the way at its own time. */
  advance(byMs: number): void {
    const untilMonoMs = this.#monoMs + byMs;
    for (let timer = this.#next(untilMonoMs); timer !== null; timer = this.#next(untilMonoMs)) {
      this.#timers.delete(timer);
      this.#moveTo(timer.dueMonoMs);
      timer.fn();
    }
    this.#moveTo(untilMonoMs);
  }

  /** Steps the wall clock alone, as NTP or an operator does. */
  stepWallClock(byMs: number): void {
    this.#epochMs += byMs;
  }

  #next(untilMonoMs: number): PendingTimer | null {
    let first: PendingTimer | null = null;
    for (const timer of this.#timers) {
      if (timer.dueMonoMs > untilMonoMs) continue;
      if (
        first === null ||
        timer.dueMonoMs < first.dueMonoMs ||
        (timer.dueMonoMs === first.dueMonoMs && timer.sequence < first.sequence)
      ) {
        first = timer;
      }
    }
    return first;
  }

  #moveTo(monoMs: number): void {
    this.#epochMs += monoMs - this.#monoMs;
    this.#monoMs = monoMs;
  }
}
