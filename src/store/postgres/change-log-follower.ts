/**
 * Reads the commits of other processes to the same PostgreSQL database, and publishes them (change-log.ts). The server notifies
 * it of each commit. It also reads twice a second, so that a connection that no longer works, but was not closed, is noticed
 * soon. After a lost connection it continues where it was.
 */

import pg from 'pg';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import type { ChangeEvent } from '../store.ts';
import {
  CHANGE_CHANNEL,
  eventOf,
  hasMissed,
  LOG_KEPT_MS,
  type LogPosition,
  type LogResponse,
  PRUNE,
  positionOf,
  readStatement,
} from './change-log.ts';
import { databaseNameOf } from './database-name.ts';
import { withConnection } from './open-postgres.ts';
import { storeErrorOf } from './postgres-failure.ts';
import { connectionOptions } from './postgres-pool.ts';

/**
 * How often it reads without being notified, and how long a response may take: together with a new connection, less than
 * the two seconds in which a revocation must be in effect everywhere.
 */
export const READ_INTERVAL_MS = 500;
const RESPONSE_TIMEOUT_MS = 800;
const CONNECT_TIMEOUT_MS = 1_500;
const RECONNECT_PAUSE_MS = 250;
/** A caller that waits for a commit waits this long for others, so that many callers cause few reads. */
const CATCH_UP_MS = 20;
const PRUNE_INTERVAL_MS = 60_000;
const PRUNE_TIMEOUT_MS = 15_000;
const PRUNE_STEP_ROWS = 1_000;

const SESSION = `
set session characteristics as transaction isolation level read committed;
set client_min_messages = warning;
listen ${CHANGE_CHANNEL}`;

export interface ChangeLogFollowerOptions {
  readonly url: CredentialUrl;
  /** Origin of this process's stores: it knows their changes. */
  readonly origin: Ruuid;
  readonly clock: Clock;
  readonly log: Log;
  /** In the order of the log. */
  readonly onChange: (event: ChangeEvent) => void;
  /**
   * Changes were missed: the followed data is to be loaded again. Events continue meanwhile. Called again if it rejects, and if
   * changes are missed again.
   */
  readonly onMissed: () => Promise<void>;
  /** A client that is not connected yet; absent: one of a real server. */
  readonly createClient?: (config: pg.ClientConfig) => LogClient;
}

/** The part of a client that the follower needs. */
export type LogClient = Pick<pg.Client, 'connect' | 'query' | 'on' | 'end'>;

/** The part of the follower that its users need. */
export type FollowedChanges = Pick<ChangeLogFollower, 'isUp' | 'caughtUp' | 'close'>;

interface CatchUp {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly timer: TimerHandle;
}

const createLogClient = (config: pg.ClientConfig): LogClient => new pg.Client(config);

export class ChangeLogFollower {
  readonly #options: ChangeLogFollowerOptions;
  readonly #database: string;
  #client: LogClient | null = null;
  #position: LogPosition | null = null;
  /** The server notified it, or the connection broke, since the last read began. */
  #isWoken = false;
  #wake: (() => void) | null = null;
  #catchUp: CatchUp | null = null;
  #isUp = true;
  #isClosed = false;
  #isReloadDue = false;
  #reloading: Promise<void> | null = null;
  #pruning: Promise<void> | null = null;
  #prunedAtMonoMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();

  private constructor(options: ChangeLogFollowerOptions) {
    this.#options = options;
    this.#database = databaseNameOf(options.url);
  }

  /** Resolves when it misses nothing that is committed from now on. Fails with a code of STORE_ERRORS. */
  static async open(options: ChangeLogFollowerOptions): Promise<ChangeLogFollower> {
    const follower = new ChangeLogFollower(options);
    try {
      await follower.#connect();
      await follower.#read();
    } catch (thrown) {
      follower.#drop();
      throw storeErrorOf(thrown, follower.#database);
    }
    follower.#running = follower.#run();
    return follower;
  }

  /** Whether changes of other processes arrive. While they do not, the known state stays in force. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Resolves when everything that was committed before this call has been published, or when the attempt to read it failed. For
   * readers that must not report a record as missing while its change is on its way.
   */
  caughtUp(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#catchUp ??= this.#gatherCatchUp();
    return this.#catchUp.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
    this.#wakeUp();
    await this.#running;
    this.#takeCatchUp()?.resolve();
    await Promise.all([this.#reloading, this.#pruning]);
  }

  async #run(): Promise<void> {
    /** Whether the connection has worked: then it is replaced immediately. */
    let hasRead = true;
    while (!this.#isClosed) {
      try {
        if (this.#client === null) await this.#connect();
        else await this.#untilDue();
        if (this.#isClosed) break;
        await this.#read();
        hasRead = true;
        this.#works();
      } catch (thrown) {
        this.#drop();
        this.#takeCatchUp()?.resolve();
        if (!hasRead) {
          this.#fails(thrown);
          await this.#pause(RECONNECT_PAUSE_MS);
        }
        hasRead = false;
      }
    }
  }

  async #connect(): Promise<void> {
    const { url, origin, createClient = createLogClient } = this.#options;
    const client = createClient({
      ...connectionOptions(url, RESPONSE_TIMEOUT_MS),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    this.#client = client;
    client.on('error', () => {
      if (client === this.#client) this.#wakeUp();
    });
    client.on('notification', ({ payload }) => {
      if (client === this.#client && payload !== origin) this.#wakeUp();
    });
    await client.connect();
    await client.query(SESSION);
  }

  async #read(): Promise<void> {
    const from = this.#position;
    this.#isWoken = false;
    const caughtUp = this.#takeCatchUp();
    try {
      await this.#readFrom(from);
    } finally {
      caughtUp?.resolve();
    }
  }

  async #readFrom(from: LogPosition | null): Promise<void> {
    const { rows } = await this.#client!.query<LogResponse>(readStatement(from, this.#options.origin));
    const row = rows[0]!;
    this.#position = positionOf(row);
    if (from !== null) {
      if (hasMissed(from, row)) this.#isReloadDue = true;
      else this.#publish(row.rows);
    }
    this.#reloadIfDue();
    if (row.has_old_rows) this.#pruneIfDue();
  }

  #publish(rows: LogResponse['rows']): void {
    for (const row of rows) {
      const event = eventOf(row);
      if (event !== null) this.#options.onChange(event);
    }
  }

  /** After a failure: with the next read. */
  #reloadIfDue(): void {
    if (!this.#isReloadDue || this.#reloading !== null) return;
    this.#isReloadDue = false;
    const { log, onMissed } = this.#options;
    log.warn({ database: this.#database }, 'changes of other nodes missed, loading everything again');
    this.#reloading = onMissed()
      .catch((thrown) => {
        this.#isReloadDue = true;
        log.error({ err: toGatewayError(thrown) }, 'loading after missed changes failed');
      })
      .finally(() => {
        this.#reloading = null;
      });
  }

  #pruneIfDue(): void {
    const { clock, log } = this.#options;
    const nowMonoMs = clock.monoMs();
    if (this.#pruning !== null || nowMonoMs - this.#prunedAtMonoMs < PRUNE_INTERVAL_MS) return;
    this.#prunedAtMonoMs = nowMonoMs;
    this.#pruning = this.#prune()
      .catch((thrown) => log.warn({ err: toGatewayError(thrown) }, 'log of changes not pruned'))
      .finally(() => {
        this.#pruning = null;
      });
  }

  #prune(): Promise<void> {
    return withConnection(this.#options.url, PRUNE_TIMEOUT_MS, async (client) => {
      let count = PRUNE_STEP_ROWS;
      while (count === PRUNE_STEP_ROWS && !this.#isClosed) {
        const { rows } = await client.query<{ count: number }>(PRUNE, [LOG_KEPT_MS]);
        count = rows[0]?.count ?? 0;
      }
    });
  }

  #works(): void {
    if (!this.#isUp) this.#options.log.info({ database: this.#database }, 'changes of other nodes followed');
    this.#isUp = true;
  }

  #fails(thrown: unknown): void {
    if (this.#isClosed || !this.#isUp) return;
    this.#isUp = false;
    const err = storeErrorOf(thrown, this.#database);
    this.#options.log.warn({ err }, 'changes of other nodes not followed');
  }

  #gatherCatchUp(): CatchUp {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(CATCH_UP_MS, () => {
      if (this.#isUp) this.#wakeUp();
      else this.#takeCatchUp()?.resolve();
    });
    return { promise, resolve, timer };
  }

  /** Takes the callers that a read that begins now serves. */
  #takeCatchUp(): CatchUp | null {
    const caughtUp = this.#catchUp;
    this.#catchUp = null;
    caughtUp?.timer.cancel();
    return caughtUp;
  }

  /** Without a farewell: the server may not respond. */
  #drop(): void {
    const client = this.#client;
    this.#client = null;
    client?.end().catch(() => undefined);
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Resolves when there may be something to read. */
  #untilDue(): Promise<void> {
    return this.#isWoken ? Promise.resolve() : this.#pause(READ_INTERVAL_MS, true);
  }

  /** Resolves early when this closes, and, if `isForNews`, when it is woken. */
  async #pause(pauseMs: number, isForNews = false): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(pauseMs, resolve);
    this.#wake = () => {
      if (isForNews || this.#isClosed) resolve();
    };
    await promise;
    timer.cancel();
    this.#wake = null;
  }
}
