/**
 * The connection to Redis, which may come and go. A connection is never repaired: when it closes, responds late or
 * refuses a command, it is dropped and a new one is made, after growing pauses. While there is none, work on the
 * link returns null immediately.
 */

import { Redis } from 'ioredis';
import { Backoff } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { CountersConnection } from './counters.ts';

/** Limit of work items in flight. One more has no result, as while Redis is unavailable; the connection stays. */
export const MAX_WORK_UNDER_WAY = 10_000;

const CONNECT_TIMEOUT_MS = 3_000;
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

export interface RedisLinkOptions {
  readonly url: CredentialUrl;
  readonly clock: Clock;
  readonly log: Log;
  /** How long one work item may take. */
  readonly commandTimeoutMs: number;
  /** Between two attempts to connect, at most. Default: BACKOFF_MAX_MS. */
  readonly maxPauseMs?: number;
  /** The log message when it becomes unavailable. */
  readonly unavailableMessage?: string;
  /**
   * Runs on every new connection after an outage. The link is not `isUp` until it resolves; if it fails, the
   * connection is dropped.
   */
  onReturned(): Promise<void>;
  /** Absent: a client of a real server. */
  readonly createClient?: CreateRedisClient;
}

/** A client that is not connected yet. */
export type CreateRedisClient = (url: string) => Redis;

const createRedisClient: CreateRedisClient = (url) =>
  new Redis(url, {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  });

export class RedisLink {
  readonly #options: RedisLinkOptions;
  #client: Redis | null = null;
  #isUp = false;
  #closed = false;
  #workUnderWay = 0;
  readonly #backoff: Backoff;
  /** When it became unavailable, null while it is available. */
  #awaySinceMonoMs: number | null = null;
  #sinceEpochMs: number;
  #lastError: string | null = null;
  #retry: TimerHandle | null = null;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    const { maxPauseMs = BACKOFF_MAX_MS } = options;
    this.#backoff = new Backoff({ firstMs: BACKOFF_MIN_MS, lastMs: maxPauseMs, random: Math.random });
    this.#sinceEpochMs = options.clock.epochMs();
  }

  get connection(): CountersConnection {
    return { isConnected: this.#isUp, sinceEpochMs: this.#sinceEpochMs, lastError: this.#lastError };
  }

  /** Connected, and brought up to date. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The first attempt: resolves when it succeeded, or failed and will be repeated in the background. */
  async start(): Promise<void> {
    const client = await this.#connect();
    if (client === null) return;
    this.#isUp = true;
    this.#sinceEpochMs = this.#options.clock.epochMs();
    this.#options.log.info({ redis: this.#options.url }, 'Redis connected');
  }

  /** The result of `work`; null if Redis is unavailable or became so. Never rejects. */
  async run<T>(work: (client: Redis) => Promise<T>): Promise<T | null> {
    const client = this.#client;
    if (client === null) return null;
    // A Redis that is slow is noticed by its answers. Many callers alone must not end the connection for all.
    if (this.#workUnderWay >= MAX_WORK_UNDER_WAY) return null;
    this.#workUnderWay++;
    try {
      return await this.#inTime(work(client));
    } catch (error) {
      this.#giveUp(client, error);
      return null;
    } finally {
      this.#workUnderWay--;
    }
  }

  /**
   * Rejects when the work takes too long. What has arrived by then is read first: a process that stood still wakes to its timers, and
   * would take replies for late that wait in the socket.
   */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock, commandTimeoutMs } = this.#options;
    let timer: TimerHandle | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const giveUp = () => setImmediate(reject, new Error('Command timed out'));
      timer = clock.after(commandTimeoutMs, giveUp);
    });
    try {
      return await Promise.race([work, tooLate]);
    } finally {
      timer?.cancel();
    }
  }

  close(): void {
    this.#closed = true;
    this.#isUp = false;
    this.#retry?.cancel();
    this.#client?.disconnect();
    this.#client = null;
  }

  /** A new connection, or null after scheduling the next attempt. */
  async #connect(): Promise<Redis | null> {
    const { url, clock, createClient = createRedisClient } = this.#options;
    const client = createClient(url.reveal());
    let lastError: unknown = new Error('the connection was closed');
    client.on('error', (error) => {
      lastError = error;
    });
    // A server that accepts connections and then says nothing: connecting would never end.
    const deadline = clock.after(CONNECT_TIMEOUT_MS, () => client.disconnect());
    try {
      await client.connect();
    } catch {
      // The error event has given the reason; the rejection only says that the connection is closed.
      client.disconnect();
      this.#noteAway(lastError);
      this.#scheduleRetry();
      return null;
    } finally {
      deadline.cancel();
    }
    if (this.#closed) {
      client.disconnect();
      return null;
    }
    this.#client = client;
    client.once('close', () => this.#giveUp(client, lastError));
    return client;
  }

  #giveUp(client: Redis, error: unknown): void {
    if (client !== this.#client) return;
    this.#client = null;
    this.#isUp = false;
    client.disconnect();
    this.#noteAway(error);
    this.#scheduleRetry();
  }

  #noteAway(error: unknown): void {
    if (this.#closed) return;
    // Only the message: Redis errors carry the command that failed, which may have been AUTH.
    const reason = error instanceof Error ? error.message : String(error);
    this.#lastError = reason;
    if (this.#awaySinceMonoMs !== null) return;
    this.#awaySinceMonoMs = this.#options.clock.monoMs();
    this.#sinceEpochMs = this.#options.clock.epochMs();
    const { log, url, unavailableMessage } = this.#options;
    const fields = { redis: url, reason };
    if (unavailableMessage === undefined)
      log.warn(fields, 'Redis unavailable, counting in this process only');
    else log.warn(fields, unavailableMessage);
  }

  #scheduleRetry(): void {
    if (this.#closed) return;
    this.#retry = this.#options.clock.after(this.#backoff.failed(), () => void this.#reconnect());
  }

  async #reconnect(): Promise<void> {
    const client = await this.#connect();
    if (client === null) return;
    try {
      await this.#options.onReturned();
    } catch (error) {
      this.#giveUp(client, error);
    }
    if (client !== this.#client) return;
    this.#isUp = true;
    this.#sinceEpochMs = this.#options.clock.epochMs();
    this.#backoff.reset();
    const awayMs = Math.round(this.#options.clock.monoMs() - (this.#awaySinceMonoMs ?? 0));
    this.#awaySinceMonoMs = null;
    this.#options.log.info({ redis: this.#options.url, awayMs }, 'Redis available again');
  }
}
