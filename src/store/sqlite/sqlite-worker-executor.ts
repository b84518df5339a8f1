/** Runs statements in the database's thread (sqlite-worker.ts), through a bounded queue of requests. */

import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { STORE_ERRORS } from '../errors.ts';
import { isSelect, type SqlExecutor, type StatementResult, type StatementResults } from '../sql-executor.ts';
import { unpackRows } from './packed-rows.ts';
import { storeErrorOf } from './sqlite-failure.ts';
import type { SqliteValue, WireRow } from './wire-row.ts';
import {
  OPENED_REPLY_ID,
  type SqliteWorkerData,
  type WireResult,
  type WorkerReply,
  type WorkerRequest,
} from './worker-protocol.ts';

/** Requests that may wait for the database; more are refused with STORE_BUSY. */
export const MAX_WAITING_REQUESTS = 4_096;

type Row = Record<string, SqliteValue>;

const NO_ROW: Row = {};

interface WaitingRequest {
  resolve(results: readonly WireResult[]): void;
  reject(error: GatewayError): void;
}

export class SqliteWorkerExecutor implements SqlExecutor {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, WaitingRequest>();
  readonly #exited: Promise<void>;
  #nextId = OPENED_REPLY_ID;
  #closing = false;
  #failure: GatewayError | null = null;

  private constructor(data: SqliteWorkerData) {
    this.#path = data.path;
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      name: 'sluice-store',
      workerData: data,
      execArgv: [],
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (exitCode) => {
        this.#fail(this.#closing ? STORE_ERRORS.STORE_CLOSED : STORE_ERRORS.STORE_WORKER_FAILED, exitCode);
        resolve();
      });
    });
    this.#worker.on('message', (reply: WorkerReply) => this.#onReply(reply));
    this.#worker.on('error', (cause) => this.#fail(STORE_ERRORS.STORE_WORKER_FAILED, null, cause));
  }

  /** Resolves when the database is open and migrated; fails with a code of STORE_ERRORS that names the path. */
  static async open(data: SqliteWorkerData): Promise<SqliteWorkerExecutor> {
    const executor = new SqliteWorkerExecutor(data);
    try {
      await executor.#expectReply();
    } catch (error) {
      await executor.#untilExit();
      throw error;
    }
    return executor;
  }

  async run<const T extends readonly CompiledQuery<unknown>[]>(
    ...statements: T
  ): Promise<StatementResults<T>> {
    const results = await this.#execute(statements);
    // Nothing is waited for without need: what is told of commits keeps their order.
    const rows = results.some(({ packed }) => packed !== null)
      ? await Promise.all(results.map((result) => longListOf(result).toArray()))
      : results.map(namedRows);
    const named = results.map(({ changes }, index) => ({ rows: rows[index]!, changes }));
    return named as StatementResult<Row>[] as StatementResults<T>;
  }

  async readLong<R extends object>(select: CompiledQuery<R>): Promise<LongList<R>> {
    const [result] = await this.#execute([select]);
    // The row type of a query says what its columns are.
    return longListOf(result!) as LongList<object> as LongList<R>;
  }

  #execute(statements: readonly CompiledQuery<unknown>[]): Promise<readonly WireResult[]> {
    const places = new Map<string, number>();
    const wire = statements.map(({ sql, parameters }) => {
      const text = places.get(sql) ?? places.size;
      places.set(sql, text);
      // Repositories bind columns of their row types (tables.ts), which hold nothing else.
      return { text, parameters: parameters as readonly SqliteValue[] };
    });
    return this.#send({
      op: 'run',
      id: this.#nextId,
      access: statements.every(isSelect) ? 'read' : 'write',
      texts: [...places.keys()],
      statements: wire,
    });
  }

  /** Lets waiting requests finish, then closes the file and ends the thread. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closing && this.#failure === null) {
      this.#closing = true;
      this.#post({ op: 'close', id: this.#nextId });
      await this.#expectReply();
    }
    await this.#untilExit();
  }

  /** The thread has nothing left to answer, so it must be kept in mind by hand. */
  #untilExit(): Promise<void> {
    this.#worker.ref();
    return this.#exited;
  }

  async #send(request: WorkerRequest): Promise<readonly WireResult[]> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#closing) throw new GatewayError(STORE_ERRORS.STORE_CLOSED, { path: this.#path });
    if (this.#waiting.size >= MAX_WAITING_REQUESTS) {
      throw new GatewayError(STORE_ERRORS.STORE_BUSY, { path: this.#path, waiting: this.#waiting.size });
    }
    this.#post(request);
    return this.#expectReply();
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  /** Registers who waits for the reply with the next id. An idle thread does not keep the process alive. */
  #expectReply(): Promise<readonly WireResult[]> {
    if (this.#waiting.size === 0) this.#worker.ref();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #onReply(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.ok) waiting.resolve(reply.results);
    else waiting.reject(storeErrorOf(reply.failure, this.#path));
  }

  #fail(
    definition: (typeof STORE_ERRORS)[keyof typeof STORE_ERRORS],
    exitCode: number | null,
    cause?: unknown,
  ): void {
    this.#failure ??= new GatewayError(definition, { path: this.#path, exitCode }, cause);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
    this.#waiting.clear();
  }
}

function namedRows({ columns, rows }: WireResult): Row[] {
  return rows.map((values) => namedRow(columns, values, NO_ROW));
}

function longListOf({ columns, rows, packed }: WireResult): LongList<Row> {
  const wireRows =
    packed === null ? LongList.of(rows) : LongList.from(packed.rowCount, () => unpackRows(packed));
  let previous: Row = {};
  return wireRows.map((values) => {
    previous = namedRow(columns, values, previous);
    return previous;
  });
}

/** Texts that `previous` has as well are kept once: neighbours share their organisation, their location, their kind… */
function namedRow(columns: readonly string[], values: WireRow, previous: Row): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const value = values[i]!;
    row[column] = value === previous[column] ? previous[column]! : value;
  }
  return row;
}
