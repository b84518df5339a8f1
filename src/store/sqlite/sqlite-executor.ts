/** Runs statements in the database's thread (sqlite-worker.ts), through its own bounded queue of requests. */

import type { CompiledQuery } from 'kysely';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { STORE_ERRORS } from '../errors.ts';
import { isSelect, type SqlExecutor, type StatementResult, type StatementResults } from '../sql-executor.ts';
import { unpackRows } from './packed-rows.ts';
import { storeErrorOf } from './sqlite-failure.ts';
import type { SqliteValue, WireRow } from './wire-row.ts';
import type { RequestPort, WireResult, WorkerReply, WorkerRequest } from './worker-protocol.ts';

/** How many requests can wait for the database; more are refused with STORE_BUSY, except for vital ones. */
export const MAX_WAITING_REQUESTS = 4_096;

type Row = Record<string, SqliteValue>;

interface WaitingRequest {
  resolve(results: readonly WireResult[]): void;
  reject(error: GatewayError): void;
}

export class SqliteExecutor implements SqlExecutor {
  readonly #path: string;
  readonly #port: RequestPort;
  readonly #waiting = new Map<number, WaitingRequest>();
  readonly #whenLeft: () => Promise<void>;
  readonly #ended: Promise<void>;
  #nextId = 0;
  #isClosing = false;
  #failure: GatewayError | null = null;

  /** Over a port of the database's thread (SqliteThread), or of one in this thread. `path` is for errors; `whenLeft` ends what closes with it. */
  constructor(port: RequestPort, path: string, whenLeft = async () => {}) {
    this.#path = path;
    this.#port = port;
    this.#whenLeft = whenLeft;
    this.#ended = new Promise((resolve) => {
      port.once('close', () => {
        this.#fail(this.#isClosing ? STORE_ERRORS.STORE_CLOSED : STORE_ERRORS.STORE_WORKER_FAILED);
        resolve();
      });
    });
    port.on('message', (reply: WorkerReply) => this.#onReply(reply));
    port.unref();
  }

  run<const T extends readonly CompiledQuery<unknown>[]>(...statements: T): Promise<StatementResults<T>> {
    return this.#run(statements, false);
  }

  /** One thread runs everything, so there is nothing that it could pass. */
  runApart<const T extends readonly CompiledQuery<unknown>[]>(
    ...statements: T
  ): Promise<StatementResults<T>> {
    return this.#run(statements, false);
  }

  runVital<const T extends readonly CompiledQuery<unknown>[]>(
    ...statements: T
  ): Promise<StatementResults<T>> {
    return this.#run(statements, true);
  }

  async #run<const T extends readonly CompiledQuery<unknown>[]>(
    statements: T,
    isVital: boolean,
  ): Promise<StatementResults<T>> {
    const results = await this.#execute(statements, isVital);
    // Waits for nothing unnecessarily: notifications of commits keep their order.
    const rows = results.some(({ packed }) => packed !== null)
      ? await Promise.all(results.map((result) => longListOf(result).toArray()))
      : results.map(namedRows);
    const named = results.map(({ changes }, index) => ({ rows: rows[index]!, changes }));
    return named as StatementResult<Row>[] as StatementResults<T>;
  }

  async readLong<R extends object>(select: CompiledQuery<R>): Promise<LongList<R>> {
    const [result] = await this.#execute([select], false);
    // The row type of a query says what its columns are.
    return longListOf(result!) as LongList<object> as LongList<R>;
  }

  #execute(statements: readonly CompiledQuery<unknown>[], isVital: boolean): Promise<readonly WireResult[]> {
    const places = new Map<string, number>();
    const wire = statements.map(({ sql, parameters }) => {
      const text = places.get(sql) ?? places.size;
      places.set(sql, text);
      // Repositories bind columns of their row types (tables.ts), which contain nothing else.
      return { text, parameters: parameters as readonly SqliteValue[] };
    });
    return this.#send({
      op: 'run',
      id: this.#nextId,
      access: statements.every(isSelect) ? 'read' : 'write',
      isVital,
      texts: [...places.keys()],
      statements: wire,
    });
  }

  /** Lets waiting requests finish. Idempotent. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#failure === null) {
      this.#isClosing = true;
      this.#post({ op: 'leave', id: this.#nextId });
      await this.#expectReply();
    }
    // No request is pending any more, so the port must be kept referenced explicitly.
    this.#port.ref();
    await this.#ended;
    await this.#whenLeft();
  }

  async #send(request: WorkerRequest): Promise<readonly WireResult[]> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosing) throw new GatewayError(STORE_ERRORS.STORE_CLOSED, { path: this.#path });
    const isVital = request.op === 'run' && request.isVital;
    if (this.#waiting.size >= MAX_WAITING_REQUESTS && !isVital) {
      throw new GatewayError(STORE_ERRORS.STORE_BUSY, { path: this.#path, waiting: this.#waiting.size });
    }
    this.#post(request);
    return this.#expectReply();
  }

  #post(request: WorkerRequest): void {
    this.#port.postMessage(request, []);
  }

  /** Registers the request that waits for the reply with the next id. An idle thread does not keep the process alive. */
  #expectReply(): Promise<readonly WireResult[]> {
    if (this.#waiting.size === 0) this.#port.ref();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #onReply(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#port.unref();
    if (reply.ok) waiting.resolve(reply.results);
    else waiting.reject(storeErrorOf(reply.failure, this.#path));
  }

  #fail(definition: ErrorDefinition): void {
    this.#failure ??= new GatewayError(definition, { path: this.#path });
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
    this.#waiting.clear();
  }
}

function namedRows({ columns, rows }: WireResult): Row[] {
  return rows.map((values) => namedRow(columns, values, []));
}

function longListOf({ columns, rows, packed }: WireResult): LongList<Row> {
  const wireRows =
    packed === null ? LongList.of(rows) : LongList.from(packed.rowCount, () => unpackRows(packed));
  const previous: SqliteValue[] = [];
  return wireRows.map((values) => namedRow(columns, values, previous));
}

/**
 * Texts that are the same in `previous`, which becomes this row's values, are kept once: neighbors share their organization,
 * location, kind…
 */
function namedRow(columns: readonly string[], values: WireRow, previous: SqliteValue[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    if (values[i] !== previous[i]) previous[i] = values[i]!;
    row[columns[i]!] = previous[i]!;
  }
  return row;
}
