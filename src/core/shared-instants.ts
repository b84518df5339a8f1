/**
 * Timers that need not be exact end at instants that all share: a thread that wakes once for a hundred cameras does as much
 * for each as one that wakes a hundred times, and a wake costs more than the work.
 */

import type { Clock, TimerHandle } from './clock.ts';

/** Between two of them. */
export const INSTANT_MS = 250;
/** What is due once a second takes turns: at each instant so much of it that little else waits. */
export const TURNS = 4;
/** Between two instants at which it is the same turn. */
export const ROUND_MS = TURNS * INSTANT_MS;
/** A timer may end so much too early: then it is time already. */
const EARLY_MS = 1;

/** How many multiples of `intervalMs` have passed. */
export function multiplesPassed(nowMonoMs: number, intervalMs: number): number {
  return Math.floor((nowMonoMs + EARLY_MS) / intervalMs);
}

/** Up to the next multiple of `intervalMs`, whole milliseconds. */
export function delayToMultiple(nowMonoMs: number, intervalMs: number): number {
  return Math.ceil((multiplesPassed(nowMonoMs, intervalMs) + 1) * intervalMs - nowMonoMs);
}

/** What is due once a second at the same turn: one timer for all of it. */
class Turn {
  readonly #clock: Clock;
  readonly #offsetMs: number;
  readonly #fns = new Set<() => void>();
  #timer: TimerHandle | null = null;

  constructor(clock: Clock, offsetMs: number) {
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }

  add(fn: () => void): TimerHandle {
    // The same function may be given twice.
    const once = (): void => fn();
    this.#fns.add(once);
    this.#timer ??= this.#arm();
    return { cancel: () => this.#delete(once) };
  }

  #delete(once: () => void): void {
    if (!this.#fns.delete(once) || this.#fns.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(): TimerHandle {
    const delayMs = delayToMultiple(this.#clock.monoMs() - this.#offsetMs, ROUND_MS);
    return this.#clock.after(delayMs, () => {
      this.#timer = this.#arm();
      for (const fn of this.#fns) fn();
    });
  }
}

class Turns {
  readonly #turns: readonly Turn[];
  #next = 0;

  constructor(clock: Clock) {
    this.#turns = Array.from({ length: TURNS }, (_, turn) => new Turn(clock, turn * INSTANT_MS));
  }

  next(): Turn {
    return this.#turns[this.#next++ % TURNS]!;
  }
}

const turnsOf = new WeakMap<Clock, Turns>();

/** Calls `fn` once a second, for the first time within the next one, until it is canceled. It must not throw. */
export function everySecond(clock: Clock, fn: () => void): TimerHandle {
  const turns = turnsOf.get(clock) ?? new Turns(clock);
  turnsOf.set(clock, turns);
  return turns.next().add(fn);
}
