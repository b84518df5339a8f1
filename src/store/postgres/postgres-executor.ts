/**
 * Runs statements on a PostgreSQL server: writes on one connection, reads on several, in the order of RequestOrder. One more
 * is for what must not wait for them.
 */

import type { CompiledQuery } from 'kysely';
import type pg from 'pg';
import { type BackoffLimits, doubledMs } from '../../core/backoff.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { STORE_ERRORS } from '../errors.ts';
import { isSelect, type SqlExecutor, type StatementResult, type StatementResults } from '../sql-executor.ts';
import { databaseNameOf } from './database-name.ts';
import { isConnectionLost, isContention, storeErrorOf } from './postgres-failure.ts';
import { PostgresPool } from './postgres-pool.ts';
import { encodeParameter } from './postgres-values.ts';
import { RequestOrder } from './request-order.ts';
import { StatementNames } from './statement-names.ts';

/** How many requests can wait for the database; more are refused with STORE_BUSY, except for vital ones. */
const MAX_WAITING_REQUESTS = 4_096;

const DEFAULT_READ_CONNECTIONS = 7;

/** If another gateway or command changes the same rows, a transaction fails. It is tried this many times. */
const MAX_ATTEMPTS = 10;
/** Longest pause before the second attempt; it doubles with each. */
const PAUSES: BackoffLimits = { firstMs: 10, lastMs: Number.POSITIVE_INFINITY };

const DEFAULT_STATEMENT_TIMEOUT_MS = 15_000;
/** How much longer than the statement itself its response can take before the server counts as lost. */
const RESPONSE_GRACE_MS = 5_000;

/** An acknowledged write is on disk, regardless of the server's default. */
const WRITE_SESSION = `
set session characteristics as transaction isolation level serializable;
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`;

/** A list of selects sees a single state of the database. */
const READ_SESSION = `
set session characteristics as transaction isolation level repeatable read, read only`;

export interface PostgresExecutorOptions {
  readonly url: CredentialUrl;
  readonly clock: Clock;
  /** The server ends a statement that takes longer. Default: 15 s. */
  readonly statementTimeoutMs?: number;
  /** Connections for reading. There is one for writing, and one for `runApart`. Default: 7. */
  readonly readConnections?: number;
  /** Names the stores of one process in the log of changes (change-log.ts). Absent: every process that follows gets the changes. */
  readonly origin?: Ruuid;
}

type Statements = readonly CompiledQuery<unknown>[];
type Results = StatementResult<unknown>[];

export class PostgresExecutor implements SqlExecutor {
  readonly #database: string;
  readonly #clock: Clock;
  readonly #writer: PostgresPool;
  readonly #apart: PostgresPool;
  readonly #readers: PostgresPool;
  readonly #order = new RequestOrder();
  readonly #names = new StatementNames();
  readonly #waiting = new Set<Promise<unknown>>();
  #closed: Promise<void> | null = null;

  /** Connects when first needed. */
  constructor(options: PostgresExecutorOptions) {
    const { url, clock, statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS } = options;
    this.#database = databaseNameOf(url);
    this.#clock = clock;
    const common = { url, clock, responseTimeoutMs: statementTimeoutMs + RESPONSE_GRACE_MS };
    const limits = sessionLimits(statementTimeoutMs);
    const writing = {
      ...common,
      connections: 1,
      session: limits + originSetting(options.origin) + WRITE_SESSION,
    };
    this.#writer = new PostgresPool(writing);
    this.#apart = new PostgresPool(writing);
    this.#readers = new PostgresPool({
      ...common,
      connections: options.readConnections ?? DEFAULT_READ_CONNECTIONS,
      session: limits + READ_SESSION,
    });
  }

  run<const T extends Statements>(...statements: T): Promise<StatementResults<T>> {
    return this.#run(statements, false);
  }

  #run<const T extends Statements>(statements: T, isVital: boolean): Promise<StatementResults<T>> {
    return this.#request(() => {
      if (this.#waiting.size >= MAX_WAITING_REQUESTS && !isVital) throw this.#error(STORE_ERRORS.STORE_BUSY);
      return statements.every(isSelect)
        ? this.#order.read(() => this.#read(statements))
        : this.#order.write(() => this.#write(this.#writer, statements));
    });
  }

  /** Not refused while too many others wait. */
  runApart<const T extends Statements>(...statements: T): Promise<StatementResults<T>> {
    return this.#request(() => this.#write(this.#apart, statements));
  }

  /** The server decides what happens when its disk is full. */
  runVital<const T extends Statements>(...statements: T): Promise<StatementResults<T>> {
    return this.#run(statements, true);
  }

  /** Rows are created as they arrive, one network chunk at a time, so iterating over them costs nothing extra. */
  async readLong<Row extends object>(select: CompiledQuery<Row>): Promise<LongList<Row>> {
    const [{ rows }] = await this.run(select);
    return LongList.of(rows);
  }

  /** Lets waiting requests finish, then closes the connections. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#waiting]);
    await Promise.all([this.#writer.close(), this.#apart.close(), this.#readers.close()]);
  }

  async #request<T extends Statements>(start: () => Promise<Results>): Promise<StatementResults<T>> {
    if (this.#closed !== null) throw this.#error(STORE_ERRORS.STORE_CLOSED);
    const request = start();
    this.#waiting.add(request);
    try {
      return (await request) as StatementResults<T>;
    } catch (thrown) {
      throw storeErrorOf(thrown, this.#database);
    } finally {
      this.#waiting.delete(request);
    }
  }

  #error(definition: ErrorDefinition): GatewayError {
    return new GatewayError(definition, { database: this.#database, waiting: this.#waiting.size });
  }

  /** A read that loses its connection is retried once: the server may have been restarted in between. */
  async #read(statements: Statements): Promise<Results> {
    const attempt = () => this.#readers.withClient((client) => this.#transaction(client, statements));
    try {
      return await attempt();
    } catch (thrown) {
      if (!isConnectionLost(thrown)) throw thrown;
      return attempt();
    }
  }

  /** Not retried after a lost connection: the statements may have been committed or not. */
  async #write(pool: PostgresPool, statements: Statements): Promise<Results> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await pool.withClient((client) => this.#transaction(client, statements));
      } catch (thrown) {
        if (!isContention(thrown) || attempt === MAX_ATTEMPTS) throw thrown;
        await this.#pause(attempt);
      }
    }
  }

  /**
   * One transaction in two round trips, no matter how many statements: the first opens it, and the rest is sent without
   * waiting for responses. If a statement fails, the server refuses those after it, and `commit` rolls back.
   */
  async #transaction(client: pg.PoolClient, statements: Statements): Promise<Results> {
    const [only] = statements;
    if (statements.length === 1 && only !== undefined) return [resultOf(await this.#send(client, only))];
    await client.query('begin');
    const sent = statements.map((statement) => this.#send(client, statement));
    const outcomes = await Promise.allSettled([...sent, client.query('commit')]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return (await Promise.all(sent)).map(resultOf);
  }

  #send(client: pg.PoolClient, { sql, parameters }: CompiledQuery<unknown>): Promise<pg.QueryResult> {
    const name = this.#names.nameOf(sql, parameters.length);
    const query = { text: sql, values: parameters.map(encodeParameter) };
    return client.query(name === undefined ? query : { ...query, name });
  }

  #pause(attempt: number): Promise<void> {
    return pause(this.#clock, Math.random() * doubledMs(PAUSES, attempt));
  }
}

/** Read by the triggers that write the log of changes. */
function originSetting(origin: Ruuid | undefined): string {
  return origin === undefined ? '' : `\nset sluice.origin = '${origin}';`;
}

function sessionLimits(statementTimeoutMs: number): string {
  return `
set statement_timeout = ${statementTimeoutMs};
set idle_in_transaction_session_timeout = ${statementTimeoutMs};
set client_min_messages = warning;`;
}

function resultOf({ rows, rowCount, command }: pg.QueryResult): StatementResult<unknown> {
  return { rows, changes: command === 'SELECT' ? 0 : (rowCount ?? 0) };
}
