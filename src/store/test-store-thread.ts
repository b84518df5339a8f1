/**
 * The thread of all SQLite stores that a test process opens: to start one for each costs more than most tests. Each
 * port that comes in gets an empty database in memory, until it is closed.
 */

import { type MessagePort, parentPort } from 'node:worker_threads';
import { MIGRATIONS } from './migrations/migrations.ts';
import { DatabaseConnection } from './sqlite/database-connection.ts';
import { openDatabase } from './sqlite/open-database.ts';

/** As in openStore. */
const BUSY_TIMEOUT_MS = 5_000;

export interface NewTestStore {
  readonly port: MessagePort;
  readonly nowEpochMs: number;
}

parentPort?.on('message', ({ port, nowEpochMs }: NewTestStore) => {
  const data = { path: ':memory:', busyTimeoutMs: BUSY_TIMEOUT_MS, nowEpochMs, reserve: null };
  const connection = new DatabaseConnection(openDatabase(data, MIGRATIONS), null, () => undefined);
  connection.connect(port);
  port.once('close', () => connection.close());
});
