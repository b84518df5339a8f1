/**
 * SQLite databases in memory, in the test's own thread: every request is answered in a microtask, so a test that awaits the
 * store waits for nothing real, and the same calls always interleave in the same way.
 */

import { EventEmitter } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { DatabaseConnection } from './database-connection.ts';
import { openDatabase } from './open-database.ts';
import type { RequestPort, WorkerReply, WorkerRequest } from './worker-protocol.ts';

/** The bytes of an empty migrated database: to copy them takes a hundredth of the time that the migrations take. */
let template: Uint8Array | null = null;

/** A new empty database, migrated, with the store's settings. */
export function openLocalDatabase(): DatabaseSync {
  const data = { path: ':memory:', busyTimeoutMs: 0, nowEpochMs: 0, reserve: null };
  if (template === null) {
    const first = openDatabase(data, MIGRATIONS);
    template = first.serialize();
    first.close();
  }
  const database = new DatabaseSync(':memory:', { timeout: 0, enableForeignKeyConstraints: true });
  database.deserialize(template);
  database.exec('pragma trusted_schema = off');
  return database;
}

/** A port of `connection`, for `openStore` with kind `sqlite-port`. */
export function connectLocally(connection: DatabaseConnection): RequestPort {
  const own = new LocalPort<WorkerRequest, WorkerReply>();
  const other = new LocalPort<WorkerReply, WorkerRequest>();
  own.peer = other;
  other.peer = own;
  connection.connect(other);
  return own;
}

/** A port of a new empty database, which is closed with the port. */
export function openLocalPort(): RequestPort {
  return portOf(openLocalDatabase());
}

/** A port of the database in the file at `path`, which has the newest schema or is empty; closed with the port. */
export function openLocalFile(path: string): RequestPort {
  return portOf(openDatabase({ path, busyTimeoutMs: 0, nowEpochMs: 0, reserve: null }, MIGRATIONS));
}

function portOf(database: DatabaseSync): RequestPort {
  const connection = new DatabaseConnection(database, null, () => undefined);
  const port = connectLocally(connection);
  port.once('close', () => connection.close());
  return port;
}

/** One end of a pair. A message to a closed end is dropped, as by a MessagePort. */
class LocalPort<Sent, Received> extends EventEmitter {
  #isClosed = false;
  peer: LocalPort<Received, Sent> | null = null;

  postMessage(message: Sent): void {
    queueMicrotask(() => this.peer?.receive(message));
  }

  receive(message: Sent | Received): void {
    if (!this.#isClosed) this.emit('message', message);
  }

  close(): void {
    queueMicrotask(() => {
      this.end();
      this.peer?.end();
    });
  }

  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.emit('close');
  }

  /** There is nothing to keep alive. */
  ref(): void {}

  unref(): void {}
}
