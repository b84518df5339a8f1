/** WebSockets to a server that does not listen, for tests. */

import { EventEmitter, once } from 'node:events';
import { request, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipedConnection } from './piped-connection-fixture.ts';

const TEXT = 0x81;
const CLOSE = 0x88;
const MASKED = 0x80;

/** Sends and receives texts of up to 65,535 bytes, each in one frame (RFC 6455 §5.2). */
export class PipedWebSocket extends EventEmitter<{ message: [string]; close: [] }> {
  isOpen = true;
  readonly #connection: Duplex;
  #unread: Buffer;

  private constructor(connection: Duplex, head: Buffer) {
    super();
    this.#connection = connection;
    this.#unread = head;
    connection.on('data', (chunk: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#read();
    });
    connection.once('close', () => this.#closed());
  }

  /** Rejects if the server refuses it. `headers`: sent in addition to those of the upgrade; the host is `localhost`. */
  static async open(
    server: Server,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PipedWebSocket> {
    const handshake = request({
      path,
      createConnection: () => pipedConnection(server),
      headers: {
        host: 'localhost',
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
        ...headers,
      },
    });
    handshake.end();
    const refused = once(handshake, 'response').then(([{ statusCode }]) => {
      throw new Error(`the server answered ${statusCode}`);
    });
    const [, connection, head] = await Promise.race([once(handshake, 'upgrade'), refused]);
    return new PipedWebSocket(connection, head);
  }

  /** Sends a message, and resolves with the next one that arrives. */
  async responseTo(text: string): Promise<string> {
    const responded = once(this, 'message');
    this.#send(TEXT, Buffer.from(text));
    return ((await responded) as [string])[0];
  }

  close(): void {
    this.#send(CLOSE, Buffer.alloc(0));
  }

  #send(kind: number, payload: Buffer): void {
    const head = Buffer.from([kind, MASKED | 126, payload.length >> 8, payload.length & 0xff]);
    // A mask of zeros leaves the payload as it is.
    this.#connection.write(Buffer.concat([head, Buffer.alloc(4), payload]));
  }

  #read(): void {
    for (;;) {
      if (this.#unread.length < 2) return;
      const [kind, short] = [this.#unread[0]!, this.#unread[1]!];
      const headBytes = short === 126 ? 4 : 2;
      if (this.#unread.length < headBytes) return;
      const end = headBytes + (short === 126 ? this.#unread.readUInt16BE(2) : short);
      if (this.#unread.length < end) return;
      const payload = this.#unread.subarray(headBytes, end);
      this.#unread = this.#unread.subarray(end);
      if (kind === TEXT) this.emit('message', payload.toString());
      else if (kind === CLOSE) this.#closed();
    }
  }

  #closed(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#connection.destroy();
    this.emit('close');
  }
}
