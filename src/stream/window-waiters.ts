/** Requests that wait for a window's next part, and those that wait for its first whole segment, which may take longer. */

import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import type { LiveBody, Unready, Waiter } from './live-media.ts';
import { type Awaited, LiveWaiters } from './live-waiters.ts';

export class WindowWaiters {
  readonly #parts: LiveWaiters;
  readonly #firstSegment: LiveWaiters;

  /** `maxWaiters`: of each kind. */
  constructor(clock: Clock, maxWaiters: number) {
    this.#parts = new LiveWaiters(clock, maxWaiters);
    this.#firstSegment = new LiveWaiters(clock, maxWaiters);
  }

  get count(): number {
    return this.#parts.count + this.#firstSegment.count;
  }

  /** See LiveWaiters. */
  get lastWaitMonoMs(): number {
    return Math.max(this.#parts.lastWaitMonoMs, this.#firstSegment.lastWaitMonoMs);
  }

  /** See LiveWaiters. `maxWaitMs`: the same for all of one kind. */
  add(waiter: Waiter, awaited: Awaited, maxWaitMs: number): void {
    this.#parts.add(waiter, awaited, maxWaitMs);
  }

  /** The same, for the first whole segment. */
  addForFirst(waiter: Waiter, awaited: Awaited, maxWaitMs: number): void {
    this.#firstSegment.add(waiter, awaited, maxWaitMs);
  }

  /** Idempotent. */
  cancel(waiter: Waiter): void {
    this.#parts.cancel(waiter);
    this.#firstSegment.cancel(waiter);
  }

  /** See LiveWaiters. Hot. */
  settle(answer: (awaited: Awaited) => LiveBody | Unready, isBehind: (msn: number) => boolean): void {
    this.#parts.settle(answer, isBehind);
    if (this.#firstSegment.count > 0) this.#firstSegment.settle(answer, isBehind);
  }

  fail(error: GatewayError): void {
    this.#parts.fail(error);
    this.#firstSegment.fail(error);
  }
}
