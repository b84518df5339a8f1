/** Runs statements in the database's thread (sqlite-worker.ts), through its own bounded queue of requests. */

import type { CompiledQuery } from 'kysely';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { PendingCalls } from '../../threads/pending-calls.ts';
import { STORE_ERRORS } from '../errors.ts';
import { isSelect, type SqlExecutor, type StatementResult, type StatementResults } from '../sql-executor.ts';
import { unpackRows } from './packed-rows.ts';
import { storeErrorOf } from './sqlite-failure.ts';
import type { SqliteValue, WireRow } from './wire-row.ts';
import type { RequestPort, WireResult, WorkerReply, WorkerRequest } from './worker-protocol.ts';

/** How many requests can wait for the database; more are refused with STORE_BUSY, except for vital ones. */
export const MAX_WAITING_REQUESTS = 4_096;

type Row = Record<string, SqliteValue>;

/** A request without its number. */
type Requested = Omit<Extract<WorkerRequest, { op: 'run' }>, 'id'> | { readonly op: 'leave' };

export class SqliteExecutor implements SqlExecutor {
  readonly #path: string;
  readonly #port: RequestPort;
  readonly #calls = new PendingCalls<readonly WireResult[]>();
  readonly #whenLeft: () => Promise<void>;
  readonly #ended: Promise<void>;
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
      await this.#ask({ op: 'leave' });
    }
    // No request is pending any more, so the port must be kept referenced explicitly.
    this.#port.ref();
    await this.#ended;
    await this.#whenLeft();
  }

  async #send(request: Requested): Promise<readonly WireResult[]> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosing) throw new GatewayError(STORE_ERRORS.STORE_CLOSED, { path: this.#path });
    const isVital = request.op === 'run' && request.isVital;
    if (this.#calls.size >= MAX_WAITING_REQUESTS && !isVital) {
      throw new GatewayError(STORE_ERRORS.STORE_BUSY, { path: this.#path, waiting: this.#calls.size });
    }
    return await this.#ask(request);
  }

  /** An idle thread does not keep the process alive. */
  #ask(requested: Requested): Promise<readonly WireResult[]> {
    if (this.#calls.size === 0) this.#port.ref();
    const { id, result } = this.#calls.add();
    this.#port.postMessage({ ...requested, id }, []);
    return result;
  }

  #onReply(reply: WorkerReply): void {
    if (reply.ok) this.#calls.resolve(reply.id, reply.results);
    else this.#calls.reject(reply.id, storeErrorOf(reply.failure, this.#path));
    if (this.#calls.size === 0) this.#port.unref();
  }

  #fail(definition: ErrorDefinition): void {
    const failure = this.#failure ?? new GatewayError(definition, { path: this.#path });
    this.#failure = failure;
    this.#calls.rejectAll(() => failure);
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
