/** The database's thread (sqlite-worker.ts), as seen by the thread that started it. */

import { once } from 'node:events';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { GatewayError } from '../../core/errors.ts';
import { spawnThread } from '../../threads/spawn-thread.ts';
import { STORE_ERRORS } from '../errors.ts';
import { storeErrorOf } from './sqlite-failure.ts';
import type { OpenedMessage, ParentMessage, ReserveMessage, SqliteWorkerData } from './worker-protocol.ts';

export class SqliteThread {
  readonly path: string;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #onFailure: (cause: unknown) => void = () => undefined;
  #onReserve: (state: ReserveMessage['reserve']) => void = () => undefined;

  private constructor(data: SqliteWorkerData) {
    this.path = data.path;
    const module = new URL('./sqlite-worker.ts', import.meta.url);
    this.#worker = spawnThread({ name: 'sluice-store', module, data });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
  }

  /** Resolves when the database is open and migrated; fails with a code of STORE_ERRORS that names the path. */
  static async open(data: SqliteWorkerData): Promise<SqliteThread> {
    const thread = new SqliteThread(data);
    const opened = await thread.#opened();
    thread.#worker.on('error', (cause) => thread.#onFailure(cause));
    if (!opened.ok) {
      await thread.#exited;
      throw storeErrorOf(opened.failure, data.path);
    }
    thread.#worker.on('message', ({ reserve }: ReserveMessage) => thread.#onReserve(reserve));
    // A pending request keeps the process alive, the thread does not.
    thread.#worker.unref();
    return thread;
  }

  /** A port for requests, for an executor of this thread or another. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ op: 'connect', port: port2 }, [port2]);
    return port1;
  }

  /**
   * Calls `listener` if the thread ends on its own. Connected executors are notified through their ports, without the
   * cause.
   */
  onFailure(listener: (cause: unknown) => void): void {
    this.#onFailure = listener;
  }

  /** Calls `listener` when the disk is full and the reserve is in use, and when the reserve is full again. */
  onReserve(listener: (state: ReserveMessage['reserve']) => void): void {
    this.#onReserve = listener;
  }

  /** Closes the file after all earlier requests. Idempotent. */
  async close(): Promise<void> {
    this.#post({ op: 'close' });
    this.#worker.ref();
    await this.#exited;
  }

  async #opened(): Promise<OpenedMessage> {
    try {
      const [message] = (await once(this.#worker, 'message')) as [OpenedMessage];
      return message;
    } catch (cause) {
      throw new GatewayError(STORE_ERRORS.STORE_WORKER_FAILED, { path: this.path }, cause);
    }
  }

  #post(message: ParentMessage, moved: MessagePort[] = []): void {
    this.#worker.postMessage(message, moved);
  }
}
