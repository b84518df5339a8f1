/**
 * Connections of one kind to one server. A request waits for a free one, first come, first served. While the server is
 * down, requests fail immediately instead of each waiting for its own attempt to connect.
 */

import pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { databaseNameOf } from './database-name.ts';
import { isConnectionLost, storeErrorOf } from './postgres-failure.ts';
import { COLUMN_TYPES } from './postgres-values.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 60_000;
/** After a failed attempt to connect, others fail the same way for this long. */
const RECONNECT_PAUSE_MS = 500;

export interface PostgresPoolOptions {
  readonly url: CredentialUrl;
  readonly connections: number;
  /** A server that has not responded by then counts as lost. */
  readonly responseTimeoutMs: number;
  /** Statements that every new connection runs, without parameters. */
  readonly session: string;
  readonly clock: Clock;
}

/**
 * Options of pools and single connections. A server that has not responded to a statement after `answerTimeoutMs` counts as lost.
 */
export function connectionOptions(url: CredentialUrl, responseTimeoutMs: number): pg.ClientConfig {
  return {
    connectionString: url.reveal(),
    application_name: 'sluice',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: responseTimeoutMs,
    keepAlive: true,
    types: COLUMN_TYPES,
  };
}

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #database: string;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #away: { readonly error: GatewayError; readonly untilMonoMs: number } | null = null;

  constructor({ url, connections, responseTimeoutMs, session, clock }: PostgresPoolOptions) {
    this.#clock = clock;
    this.#database = databaseNameOf(url);
    this.#free = connections;
    this.#pool = new pg.Pool({
      ...connectionOptions(url, responseTimeoutMs),
      max: connections,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      pipeline: true,
      onConnect: (client) => prepareSession(client, session),
    });
    // A broken connection fails the request that uses it, and an idle one has no request: nothing to do here.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
  }

  /** Runs `use` with its own connection. Fails with a code of STORE_ERRORS, or with what `use` threw. */
  async withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await this.#slot();
    try {
      const client = await this.#connect();
      let failure: unknown = null;
      try {
        return await use(client);
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      } finally {
        client.release(failure !== null && isConnectionLost(failure));
      }
    } finally {
      this.#leaveSlot();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#away !== null && this.#clock.monoMs() < this.#away.untilMonoMs) throw this.#away.error;
    try {
      const client = await this.#pool.connect();
      this.#away = null;
      return client;
    } catch (thrown) {
      const error = storeErrorOf(thrown, this.#database);
      this.#away = { error, untilMonoMs: this.#clock.monoMs() + RECONNECT_PAUSE_MS };
      throw error;
    }
  }

  async #slot(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leaveSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** The pool waits for it, though its type does not say so. */
async function prepareSession(client: pg.ClientBase, session: string): Promise<void> {
  await client.query(session);
}
