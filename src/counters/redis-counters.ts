/**
 * Counters shared by all nodes, in Redis. Every write reaches a local twin first; while Redis is unavailable, the
 * twin answers. When Redis returns, everything is written to it again (`onReturned`, viewers), and after that it
 * answers again.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { CountedShare, Counters, CountersConnection } from './counters.ts';
import { DeviceShares } from './device-shares.ts';
import { COUNTERS_ERRORS } from './errors.ts';
import { DEFAULT_VIEWER_TIMEOUT_MS } from './memory-counters.ts';
import { deviceKey, viewersKey } from './redis-keys.ts';
import { RedisLink } from './redis-link.ts';
import { runPipeline } from './redis-pipeline.ts';
import { SharePublisher } from './share-publisher.ts';
import { ViewerPublisher } from './viewer-publisher.ts';
import { ViewerRegister } from './viewer-register.ts';

/** Keys requested in one round trip. */
const COUNTS_PER_PIPELINE = 1_000;

const DEFAULT_FLUSH_INTERVAL_MS = 500;
const DEFAULT_COMMAND_TIMEOUT_MS = 1_000;

export interface RedisCountersOptions {
  /** `redis://` or `rediss://`, with credentials and database number if needed. */
  readonly url: CredentialUrl;
  readonly clock: Clock;
  readonly log: Log;
  /** Redis is available again, perhaps empty: reconcile with the store. Called again later if it rejects. */
  onReturned(): Promise<void>;
  readonly viewerTimeoutMs?: number;
  /** How often viewer sightings are sent. */
  readonly flushIntervalMs?: number;
  /** A command that takes longer counts as an unavailable Redis: this is the longest that any read can take. */
  readonly commandTimeoutMs?: number;
}

/**
 * Resolves after the first connection attempt, whether or not it succeeded; the caller then reconciles. Fails
 * COUNTERS_REDIS_URL.
 */
export async function openRedisCounters(options: RedisCountersOptions): Promise<Counters> {
  if (!/^rediss?:$/.test(options.url.protocol)) {
    throw new GatewayError(COUNTERS_ERRORS.COUNTERS_REDIS_URL, { protocol: options.url.protocol });
  }
  const counters = new RedisCounters(options);
  await counters.start();
  return counters;
}

class RedisCounters implements Counters {
  readonly #clock: Clock;
  readonly #viewerTimeoutMs: number;
  readonly #link: RedisLink;
  readonly #shares = new DeviceShares();
  readonly #viewers: ViewerRegister;
  readonly #sharePublisher: SharePublisher;
  readonly #viewerPublisher: ViewerPublisher;

  constructor(options: RedisCountersOptions) {
    const { url, clock, log, viewerTimeoutMs = DEFAULT_VIEWER_TIMEOUT_MS } = options;
    this.#clock = clock;
    this.#viewerTimeoutMs = viewerTimeoutMs;
    this.#viewers = new ViewerRegister(clock, viewerTimeoutMs);
    this.#link = new RedisLink({
      url,
      clock,
      log,
      commandTimeoutMs: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
      onReturned: async () => {
        await options.onReturned();
        await this.#viewerPublisher.republish();
      },
    });
    this.#sharePublisher = new SharePublisher(this.#link, this.#shares);
    this.#viewerPublisher = new ViewerPublisher({
      link: this.#link,
      register: this.#viewers,
      clock,
      viewerTimeoutMs,
      flushIntervalMs: options.flushIntervalMs ?? DEFAULT_FLUSH_INTERVAL_MS,
    });
  }

  start(): Promise<void> {
    return this.#link.start();
  }

  async putShare(share: CountedShare): Promise<void> {
    this.#shares.put(share);
    await this.#sharePublisher.publish(share.uuid);
  }

  async removeShare(uuid: Ruuid): Promise<void> {
    this.#shares.remove(uuid);
    await this.#sharePublisher.publish(uuid);
  }

  async shareCounts(deviceUuids: readonly Ruuid[]): Promise<number[]> {
    // A share does not play in the second of its expiration.
    const afterNow = `(${Math.floor(this.#clock.epochMs() / 1_000)}`;
    const counts = await this.#countInRedis(deviceUuids.map(deviceKey), afterNow);
    if (counts !== null) return counts;
    const nowEpochMs = this.#clock.epochMs();
    return deviceUuids.map((uuid) => this.#shares.count(uuid, nowEpochMs));
  }

  async reconcile(shares: readonly CountedShare[]): Promise<void> {
    this.#shares.replaceAll(shares);
    await this.#sharePublisher.publishAll();
  }

  viewerSeen(shareUuid: Ruuid, viewerId: string): void {
    const viewer = this.#viewers.seen(shareUuid, viewerId);
    if (viewer !== null) this.#viewerPublisher.queueSeen(viewer);
  }

  viewerLeft(shareUuid: Ruuid, viewerId: string): void {
    const viewer = this.#viewers.left(shareUuid, viewerId);
    if (viewer !== null) this.#viewerPublisher.queueLeft(viewer);
  }

  async viewerCounts(shareUuids: readonly Ruuid[]): Promise<number[]> {
    if (this.#link.isUp) await this.#viewerPublisher.flush();
    const since = `(${this.#clock.epochMs() - this.#viewerTimeoutMs}`;
    const counts = await this.#countInRedis(shareUuids.map(viewersKey), since);
    return counts ?? shareUuids.map((uuid) => this.#viewers.count(uuid));
  }

  localViewerCount(shareUuid: Ruuid): number {
    return this.#viewers.count(shareUuid);
  }

  connection(): CountersConnection {
    return this.#link.connection;
  }

  status(): 'up' | 'down' {
    return this.#link.isUp ? 'up' : 'down';
  }

  async close(): Promise<void> {
    if (this.#link.isUp) await this.#viewerPublisher.flush();
    this.#viewers.close();
    this.#link.close();
  }

  /** Members of each sorted set with a score from `min` on; null while Redis is unavailable or not up to date. */
  async #countInRedis(keys: readonly string[], min: string): Promise<number[] | null> {
    const counts: number[] = [];
    for (let i = 0; i < keys.length; i += COUNTS_PER_PIPELINE) {
      if (!this.#link.isUp) return null;
      const some = await this.#link.run((client) =>
        countKeys(client, keys.slice(i, i + COUNTS_PER_PIPELINE), min),
      );
      if (some === null) return null;
      counts.push(...some);
    }
    return counts;
  }
}

async function countKeys(client: Redis, keys: readonly string[], min: string): Promise<number[]> {
  const pipeline = client.pipeline();
  for (const key of keys) pipeline.zcount(key, min, '+inf');
  return (await runPipeline(pipeline)).map(Number);
}
