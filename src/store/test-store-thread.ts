/**
 * The thread of all SQLite stores that a test process opens: to start one for each costs more than most tests. Each
 * port that comes in gets an empty database in memory, until it is closed.
 */

import { type MessagePort, parentPort } from 'node:worker_threads';
import { MIGRATIONS } from './migrations/migrations.ts';
import { DatabaseConnection } from './sqlite/database-connection.ts';
import { openDatabase } from './sqlite/open-database.ts';

export interface NewTestStore {
  readonly port: MessagePort;
  readonly nowEpochMs: number;
}

parentPort?.on('message', ({ port, nowEpochMs }: NewTestStore) => {
  // No one else has the database: there is nothing to wait for.
  const data = { path: ':memory:', busyTimeoutMs: 0, nowEpochMs, reserve: null };
  const connection = new DatabaseConnection(openDatabase(data, MIGRATIONS), null, () => undefined);
  connection.connect(port);
  port.once('close', () => connection.close());
});
