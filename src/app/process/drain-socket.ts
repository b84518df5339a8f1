/**
 * How `sluice drain` reaches the node on this machine: a Unix socket in the data folder. A connection asks for the drain, and is
 * answered with one line of JSON. A process that has ended has no socket, whatever its file says.
 */

import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { errorOfWire, type WireError, wireErrorOf } from '../../core/wire-error.ts';
import { APP_ERRORS } from './errors.ts';

/** Only its user can connect. */
const MODE = 0o600;
/** Those that wait at a time. */
const MAX_CONNECTIONS = 16;

interface DrainResponse {
  /** null: it is drained. */
  readonly error: WireError | null;
}

export class DrainSocket {
  readonly #server: Server;
  readonly #path: string;
  readonly #sockets = new Set<Socket>();

  private constructor(path: string, drain: () => Promise<void>) {
    this.#path = path;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // The client has disconnected: the drain continues.
      socket.on('error', () => socket.destroy());
      void responseOf(drain).then((response) => socket.end(`${JSON.stringify(response)}\n`));
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Without it, the gateway works; only the command does not. */
  static async open(path: string, drain: () => Promise<void>, log: Log): Promise<DrainSocket> {
    const socket = new DrainSocket(path, drain);
    try {
      // That of an earlier process.
      await rm(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        socket.#server.once('error', reject);
        socket.#server.listen(path, resolve);
      });
      await chmod(path, MODE);
    } catch (thrown) {
      log.warn({ path, err: toGatewayError(thrown) }, 'sluice drain cannot reach this gateway');
    }
    return socket;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await rm(this.#path, { force: true });
  }
}

/** Resolves when the node is drained. Fails CLI_NODE_NOT_RUNNING, and with the node's own error. */
export async function askToDrain(path: string): Promise<void> {
  let text = '';
  try {
    for await (const chunk of connect(path).setEncoding('utf8')) text += chunk;
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_NODE_NOT_RUNNING, { path }, cause);
  }
  // It was stopped in the meantime.
  if (text === '') throw new GatewayError(APP_ERRORS.CLI_NODE_NOT_RUNNING, { path });
  const { error } = JSON.parse(text) as DrainResponse;
  if (error !== null) throw errorOfWire(error);
}

async function responseOf(drain: () => Promise<void>): Promise<DrainResponse> {
  try {
    await drain();
    return { error: null };
  } catch (thrown) {
    return { error: wireErrorOf(thrown) };
  }
}
