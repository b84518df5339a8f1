/**
 * The database's thread. It owns the connection, so that no query and no fsync ever blocks an event loop of the gateway.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { DatabaseConnection } from './database-connection.ts';
import { DiskReserve } from './disk-reserve.ts';
import { openDatabase } from './open-database.ts';
import { wireFailureOf } from './sqlite-failure.ts';
import type { OpenedMessage, ParentMessage, SqliteWorkerData } from './worker-protocol.ts';

function start(parent: MessagePort, data: SqliteWorkerData): void {
  try {
    const reserve = data.reserve === null ? null : new DiskReserve(data.reserve.path, data.reserve.bytes);
    const connection = new DatabaseConnection(openDatabase(data, MIGRATIONS), reserve, (message) =>
      parent.postMessage(message),
    );
    parent.on('message', (message: ParentMessage) => {
      if (message.op === 'connect') {
        connection.connect(message.port);
      } else {
        connection.close();
        parent.close();
      }
    });
    parent.postMessage({ ok: true } satisfies OpenedMessage);
  } catch (error) {
    parent.postMessage({ ok: false, failure: wireFailureOf(error) } satisfies OpenedMessage);
    parent.close();
  }
}

if (parentPort !== null) start(parentPort, workerData as SqliteWorkerData);
