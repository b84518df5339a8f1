/** A connection of the database's thread, and the ports that send it requests. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { systemClock, type TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { packRows } from './packed-rows.ts';
import { wireFailureOf } from './sqlite-failure.ts';
import type { SqliteValue } from './wire-row.ts';
import type {
  ReplyPort,
  ReserveMessage,
  WireResult,
  WireStatement,
  WorkerReply,
  WorkerRequest,
} from './worker-protocol.ts';

/** How often the gateway tries to refill the reserve. */
const REFILL_INTERVAL_MS = 2_000;
/** How writes fail on a full disk or quota. */
const ROOM_CODES: ReadonlySet<string> = new Set(['STORE_DISK_FULL', 'STORE_IO']);

/** How many prepared statements are kept; the repositories have far fewer. */
const MAX_PREPARED_STATEMENTS = 256;

interface Prepared {
  readonly statement: StatementSync;
  /** Empty for statements that return no rows. */
  readonly columns: readonly string[];
}

/** Runs all requests one after the other, each as one transaction, and replies in order. */
export class DatabaseConnection {
  readonly #db: DatabaseSync;
  readonly #ports = new Set<ReplyPort>();
  readonly #prepared = new Map<string, Prepared>();
  readonly #reserve: DiskReserve | null;
  readonly #tell: (message: ReserveMessage) => void;
  #refill: TimerHandle | null = null;

  constructor(db: DatabaseSync, reserve: DiskReserve | null, tell: (message: ReserveMessage) => void) {
    this.#db = db;
    this.#reserve = reserve;
    this.#tell = tell;
    if (reserve?.refill() === false) this.#armRefill();
  }

  connect(port: ReplyPort): void {
    this.#ports.add(port);
    port.on('message', (request: WorkerRequest) => this.#handle(request, port));
    port.once('close', () => this.#ports.delete(port));
  }

  close(): void {
    this.#refill?.cancel();
    this.#db.close();
    for (const port of this.#ports) port.close();
  }

  #handle(request: WorkerRequest, port: ReplyPort): void {
    const { id } = request;
    if (request.op === 'leave') {
      reply(port, { id, ok: true, results: [] });
      port.close();
      return;
    }
    try {
      reply(port, { id, ok: true, results: this.#run(request) });
    } catch (error) {
      reply(port, { id, ok: false, failure: wireFailureOf(error) });
    }
  }

  #run(request: WorkerRequest & { op: 'run' }): WireResult[] {
    const isOrdinary = request.access === 'write' && !request.isVital;
    if (isOrdinary && this.#reserve?.isGiven === true) throw new GatewayError(STORE_ERRORS.STORE_DISK_FULL);
    for (;;) {
      try {
        return this.#transaction(request);
      } catch (error) {
        if (!request.isVital || !ROOM_CODES.has(wireFailureOf(error).code) || !this.#giveReserve())
          throw error;
      }
    }
  }

  /** Makes room for something vital; false if that is not possible. */
  #giveReserve(): boolean {
    const wasGiven = this.#reserve?.isGiven === true;
    if (this.#reserve?.give() !== true) return false;
    if (!wasGiven) this.#tell({ reserve: 'given' });
    this.#armRefill();
    return true;
  }

  #armRefill(): void {
    this.#refill?.cancel();
    this.#refill = systemClock.after(REFILL_INTERVAL_MS, () => this.#tryRefill());
  }

  #tryRefill(): void {
    const wasGiven = this.#reserve?.isGiven === true;
    try {
      // The log takes up room too.
      this.#db.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // The disk is still full, or another process is reading: try next time.
    }
    if (this.#reserve?.refill() === false) this.#armRefill();
    else if (wasGiven) this.#tell({ reserve: 'whole' });
  }

  #transaction(request: WorkerRequest & { op: 'run' }): WireResult[] {
    const [only] = request.statements;
    if (request.statements.length === 1 && only !== undefined) return [this.#execute(request.texts, only)];
    this.#db.exec(request.access === 'write' ? 'begin immediate' : 'begin');
    try {
      const results = request.statements.map((statement) => this.#execute(request.texts, statement));
      this.#db.exec('commit');
      return results;
    } catch (error) {
      // Some failures (full disk, I/O) end the transaction on their own.
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  #execute(texts: readonly string[], wire: WireStatement): WireResult {
    const { statement, columns } = this.#prepare(texts[wire.text]!);
    if (columns.length === 0) {
      return { columns, rows: [], packed: null, changes: Number(statement.run(...wire.parameters).changes) };
    }
    // setReturnArrays makes rows arrays, which the types of `all` do not express.
    const all: unknown = statement.all(...wire.parameters);
    const rows = all as SqliteValue[][];
    const packed = packRows(rows);
    return { columns, rows: packed === null ? rows : [], packed, changes: 0 };
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map((column) => column.name) };
    if (this.#prepared.size >= MAX_PREPARED_STATEMENTS) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function reply(port: ReplyPort, response: WorkerReply): void {
  const results = response.ok ? response.results : [];
  const moved: ArrayBuffer[] = [];
  for (const { packed } of results) if (packed !== null) moved.push(packed.bytes.buffer);
  port.postMessage(response, moved);
}
