/** Which parts of a camera someone is interested in, and which ones were not requested lately. */

import type { Clock } from '../core/clock.ts';
import type { Interest } from './media/live-media.ts';

export class CameraInterests {
  readonly #clock: Clock;
  readonly #idleStopMs: number;
  /** When it was last of interest. */
  readonly #touchedMonoMs = new Map<Interest, number>();
  readonly #open = new Set<Interest>();

  /** `idleStopMs`: an interest of which nothing was heard for this long is idle. */
  constructor(clock: Clock, idleStopMs: number) {
    this.#clock = clock;
    this.#idleStopMs = idleStopMs;
  }

  /** Someone asks for it. Hot: once per request. */
  touch(interest: Interest): void {
    this.#touchedMonoMs.set(interest, this.#clock.monoMs());
  }

  /** Someone was there at that time. */
  touchAt(interest: Interest, monoMs: number): void {
    if (monoMs > this.#touchedAt(interest)) this.#touchedMonoMs.set(interest, monoMs);
  }

  has(interest: Interest): boolean {
    return this.#open.has(interest);
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  all(): Iterable<Interest> {
    return this.#open;
  }

  add(interest: Interest): void {
    this.#open.add(interest);
  }

  delete(interest: Interest): void {
    this.#open.delete(interest);
  }

  clear(): void {
    this.#open.clear();
  }

  /** Those that are idle, and in how long the next one may be; infinite: all are. */
  look(): { readonly idle: readonly Interest[]; readonly nextMs: number } {
    const nowMonoMs = this.#clock.monoMs();
    const idle: Interest[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const interest of this.#open) {
      const leftMs = this.#idleStopMs - (nowMonoMs - this.#touchedAt(interest));
      if (leftMs <= 0) idle.push(interest);
      else nextMs = Math.min(nextMs, leftMs);
    }
    return { idle, nextMs };
  }

  #touchedAt(interest: Interest): number {
    return this.#touchedMonoMs.get(interest) ?? Number.NEGATIVE_INFINITY;
  }
}
