/**
 * Reports to Redis who watches through this process, in batches. A viewer who keeps watching is reported again only after
 * a third of the timeout; a sighting in between waits until then, so the last one always arrives.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { viewersKey } from './redis-keys.ts';
import type { RedisLink } from './redis-link.ts';
import { runPipeline } from './redis-pipeline.ts';
import type { RegisteredViewer, ViewerRegister } from './viewer-register.ts';

/** Viewers written in one round trip. */
const VIEWERS_PER_PIPELINE = 1_000;

/** Departures that can wait to be reported: of everyone who can be there. Those beyond time out instead. */
export const MAX_QUEUED_DEPARTURES = LIMITS.viewerSessions.total * 2;

export interface ViewerPublisherOptions {
  readonly link: RedisLink;
  readonly register: ViewerRegister;
  readonly clock: Clock;
  readonly viewerTimeoutMs: number;
  readonly flushIntervalMs: number;
}

export class ViewerPublisher {
  readonly #options: ViewerPublisherOptions;
  readonly #repeatAfterMs: number;
  /** Entries of the register, each at most once. */
  #seen: RegisteredViewer[] = [];
  #left: RegisteredViewer[] = [];
  #flushPending = false;
  #flushing: Promise<void> | null = null;

  constructor(options: ViewerPublisherOptions) {
    this.#options = options;
    this.#repeatAfterMs = options.viewerTimeoutMs / 3;
  }

  /** Synchronous and cheap: called on every media request. */
  queueSeen(viewer: RegisteredViewer): void {
    if (viewer.isQueued) return;
    viewer.isQueued = true;
    this.#seen.push(viewer);
    this.#armFlush();
  }

  queueLeft(viewer: RegisteredViewer): void {
    if (this.#left.length >= MAX_QUEUED_DEPARTURES) return;
    this.#left.push(viewer);
    this.#armFlush();
  }

  /** Redis may have forgotten everything: report every current viewer again. */
  async republish(): Promise<void> {
    for (const viewer of this.#options.register.all()) {
      viewer.publishedMonoMs = Number.NEGATIVE_INFINITY;
      this.queueSeen(viewer);
    }
    await this.flush();
  }

  /** Resolves when Redis has everything that was due at the call, or is unavailable. */
  async flush(): Promise<void> {
    await this.#flushing;
    this.#flushing ??= this.#send().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  #armFlush(): void {
    if (this.#flushPending) return;
    this.#flushPending = true;
    this.#options.clock.after(this.#options.flushIntervalMs, () => {
      this.#flushPending = false;
      void this.flush().then(() => {
        if (this.#seen.length + this.#left.length > 0) this.#armFlush();
      });
    });
  }

  async #send(): Promise<void> {
    const departed = this.#left;
    this.#left = [];
    const due = this.#takeDue();
    for (let i = 0; i < departed.length; i += VIEWERS_PER_PIPELINE) {
      await this.#sendDeparted(departed.slice(i, i + VIEWERS_PER_PIPELINE));
    }
    for (let i = 0; i < due.length; i += VIEWERS_PER_PIPELINE) {
      await this.#sendSeen(due.slice(i, i + VIEWERS_PER_PIPELINE));
    }
  }

  /** Takes the viewers from the queue who have not been reported for long enough; drops those who have left. */
  #takeDue(): RegisteredViewer[] {
    const nowMonoMs = this.#options.clock.monoMs();
    const due: RegisteredViewer[] = [];
    const early: RegisteredViewer[] = [];
    for (const viewer of this.#seen) {
      if (nowMonoMs - viewer.publishedMonoMs < this.#repeatAfterMs) {
        early.push(viewer);
        continue;
      }
      viewer.isQueued = false;
      if (!viewer.isGone) due.push(viewer);
    }
    this.#seen = early;
    return due;
  }

  async #sendSeen(viewers: readonly RegisteredViewer[]): Promise<void> {
    const { link, clock, viewerTimeoutMs } = this.#options;
    const nowMonoMs = clock.monoMs();
    const nowEpochMs = clock.epochMs();
    const sent = await link.run((client) => {
      const pipeline = client.pipeline();
      const keys = new Set<string>();
      for (const viewer of viewers) {
        const key = viewersKey(viewer.shareUuid);
        keys.add(key);
        const seenEpochMs = Math.round(nowEpochMs - (nowMonoMs - viewer.seenMonoMs));
        viewer.publishedMonoMs = nowMonoMs;
        // GT: a viewer who changed nodes may already be known with a later sighting.
        pipeline.zadd(key, 'GT', seenEpochMs, viewer.viewerId);
      }
      for (const key of keys) {
        pipeline.zremrangebyscore(key, '-inf', nowEpochMs - viewerTimeoutMs);
        pipeline.pexpire(key, 2 * viewerTimeoutMs);
      }
      return runPipeline(pipeline);
    });
    // The same as when it returns, which reports everyone again.
    if (sent === null) for (const viewer of viewers) viewer.publishedMonoMs = Number.NEGATIVE_INFINITY;
  }

  async #sendDeparted(viewers: readonly RegisteredViewer[]): Promise<void> {
    await this.#options.link.run((client: Redis) => {
      const pipeline = client.pipeline();
      for (const viewer of viewers) pipeline.zrem(viewersKey(viewer.shareUuid), viewer.viewerId);
      return runPipeline(pipeline);
    });
  }
}
