/**
 * Requests that wait for a window's next part, for its playlist or its bytes, and those that wait for its first whole segment,
 * which may take longer. Playlists go first: sending one takes about half as long as sending a part, and a player needs it to
 * request what comes next.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { MediaExtension } from '../../hls/media-names.ts';
import { LIVE_ERRORS, STREAM_ERRORS } from '../media/errors.ts';
import type { LiveBody, Unready, Waiter } from '../media/live-media.ts';

/**
 * A waiter's request. `isPart`: the bytes of a part, or with -1 of the complete segment; otherwise a playlist that contains
 * it.
 */
export interface Awaited {
  readonly isPart: boolean;
  readonly msn: number;
  readonly part: number;
  readonly skip: boolean;
  readonly extension: MediaExtension;
  readonly isSwitch?: boolean;
  readonly isShared?: boolean;
  readonly firstMsn?: number;
}

interface Waiting {
  readonly awaited: Awaited;
  readonly deadlineMonoMs: number;
}

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
  settle(respond: (awaited: Awaited) => LiveBody | Unready, isBehind: (msn: number) => boolean): void {
    this.#playlists.settle(respond, isBehind);
    this.#media.settle(respond, isBehind);
    this.#firstSegment.settle(respond, isBehind);
  }

  fail(error: GatewayError): void {
    this.#playlists.fail(error);
    this.#media.fail(error);
    this.#firstSegment.fail(error);
  }
}

/** Those of one kind. They are called in one loop per part; one timer ends those that waited too long, which are always the oldest. */
export class LiveWaiters {
  readonly #clock: Clock;
  readonly #maxWaiters: number;
  /** In order of arrival, and so of their deadlines. */
  readonly #waiting = new Map<Waiter, Waiting>();
  #timer: TimerHandle | null = null;
  #lastWaitMonoMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, maxWaiters: number) {
    this.#clock = clock;
    this.#maxWaiters = maxWaiters;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** When someone last waited: now while someone does, -Infinity before the first. */
  get lastWaitMonoMs(): number {
    return this.#waiting.size > 0 ? this.#clock.monoMs() : this.#lastWaitMonoMs;
  }

  /**
   * A full list fails immediately with LIVE_TOO_MANY_WAITERS; after `maxWaitMs` a wait fails with LIVE_WAIT_TIMEOUT.
   */
  add(waiter: Waiter, awaited: Awaited, maxWaitMs: number): void {
    if (this.#waiting.size >= this.#maxWaiters) {
      waiter.onGone(new GatewayError(LIVE_ERRORS.LIVE_TOO_MANY_WAITERS, { maxWaiters: this.#maxWaiters }));
      return;
    }
    this.#waiting.set(waiter, { awaited, deadlineMonoMs: this.#clock.monoMs() + maxWaitMs });
    this.#timer ??= this.#clock.after(maxWaitMs, () => this.#expire());
  }

  /** Idempotent. */
  cancel(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    this.#disarmWhenEmpty();
  }

  /**
   * Offers everyone the new state; those that must still wait stay. `isBehind`: what cannot be waited for here may be on another
   * node. Hot: once per part, for thousands.
   */
  settle(
    respond: (awaited: Awaited) => LiveBody | Unready,
    isBehind: (msn: number) => boolean = () => false,
  ): void {
    if (this.#waiting.size === 0) return;
    for (const [waiter, { awaited }] of this.#waiting) {
      const body = respond(awaited);
      if (body === 'wait') continue;
      this.#waiting.delete(waiter);
      if (typeof body !== 'string') waiter.onReady(body);
      else if (isBehind(awaited.msn)) {
        waiter.onGone(new GatewayError(STREAM_ERRORS.STREAM_BEHIND, { retryAfterSec: 1 }));
      } else {
        waiter.onGone(new GatewayError(LIVE_ERRORS.LIVE_PART_GONE, { msn: awaited.msn, part: awaited.part }));
      }
    }
    this.#disarmWhenEmpty();
  }

  /** Ends every wait. Waits that begin while this runs are kept. */
  fail(error: GatewayError): void {
    const waiters = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#disarmWhenEmpty();
    for (const waiter of waiters) waiter.onGone(error);
  }

  #expire(): void {
    this.#timer = null;
    const nowMonoMs = this.#clock.monoMs();
    for (const [waiter, { deadlineMonoMs }] of this.#waiting) {
      if (deadlineMonoMs > nowMonoMs) {
        this.#timer ??= this.#clock.after(deadlineMonoMs - nowMonoMs, () => this.#expire());
        return;
      }
      this.#waiting.delete(waiter);
      this.#lastWaitMonoMs = nowMonoMs;
      waiter.onGone(new GatewayError(LIVE_ERRORS.LIVE_WAIT_TIMEOUT));
    }
  }

  #disarmWhenEmpty(): void {
    if (this.#waiting.size > 0) return;
    // Without a timer, nothing was waiting.
    if (this.#timer !== null) this.#lastWaitMonoMs = this.#clock.monoMs();
    this.#timer?.cancel();
    this.#timer = null;
  }
}
