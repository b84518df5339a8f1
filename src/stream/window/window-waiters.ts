/**
 * Requests that wait for a window's next part, for its playlist or its bytes, and those that wait for its first whole segment,
 * which may take longer. Playlists go first: sending one takes about half as long as sending a part, and a player needs it to
 * request what comes next.
 */

import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { LiveBody, Unready, Waiter } from '../media/live-media.ts';
import { type Awaited, LiveWaiters } from './live-waiters.ts';

export class WindowWaiters {
  readonly #playlists: LiveWaiters;
  readonly #media: LiveWaiters;
  readonly #firstSegment: LiveWaiters;

  /** `maxWaiters`: of each kind. */
  constructor(clock: Clock, maxWaiters: number) {
    this.#playlists = new LiveWaiters(clock, maxWaiters);
    this.#media = new LiveWaiters(clock, maxWaiters);
    this.#firstSegment = new LiveWaiters(clock, maxWaiters);
  }

  get count(): number {
    return this.#playlists.count + this.#media.count + this.#firstSegment.count;
  }

  /** See LiveWaiters. */
  get lastWaitMonoMs(): number {
    return Math.max(
      this.#playlists.lastWaitMonoMs,
      this.#media.lastWaitMonoMs,
      this.#firstSegment.lastWaitMonoMs,
    );
  }

  /** See LiveWaiters. `maxWaitMs`: the same for all of one kind. */
  add(waiter: Waiter, awaited: Awaited, maxWaitMs: number): void {
    const waiters = awaited.isPart ? this.#media : this.#playlists;
    waiters.add(waiter, awaited, maxWaitMs);
  }

  /** The same, for the first whole segment. */
  addForFirst(waiter: Waiter, awaited: Awaited, maxWaitMs: number): void {
    this.#firstSegment.add(waiter, awaited, maxWaitMs);
  }

  /** Idempotent. */
  cancel(waiter: Waiter): void {
    this.#playlists.cancel(waiter);
    this.#media.cancel(waiter);
    this.#firstSegment.cancel(waiter);
  }

  /** See LiveWaiters. Hot. */
  settle(answer: (awaited: Awaited) => LiveBody | Unready, isBehind: (msn: number) => boolean): void {
    this.#playlists.settle(answer, isBehind);
    this.#media.settle(answer, isBehind);
    this.#firstSegment.settle(answer, isBehind);
  }

  fail(error: GatewayError): void {
    this.#playlists.fail(error);
    this.#media.fail(error);
    this.#firstSegment.fail(error);
  }
}
