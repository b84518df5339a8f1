/** A listener with a table of connections, for tests, and clients that send any bytes. */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { type ConnectionLimits, ConnectionTable } from './connection-table.ts';
import { HttpListener, type HttpListenerOptions } from './http-listener.ts';

const ROOMY: ConnectionLimits = {
  maxConnections: 1_000,
  maxPerAddress: 1_000,
  maxDescriptor: Number.POSITIVE_INFINITY,
};

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ListenerFixtureOptions extends Partial<Omit<HttpListenerOptions, 'clock'>> {
  readonly limits?: Partial<ConnectionLimits>;
  readonly answer?: Answer;
}

/** Responds with the request's sender, protocol, and origin. */
const SAY: Answer = (request, response) => {
  const { method, url, httpVersion, socket } = request;
  response.end(
    JSON.stringify({ method, url, httpVersion, address: socket.remoteAddress, port: socket.remotePort }),
  );
};

export class ListenerFixture {
  readonly clock = new FakeClock();
  readonly listener: HttpListener;
  readonly table: ConnectionTable;
  readonly server: Server;
  readonly #clients: Socket[] = [];

  private constructor({ limits, answer = SAY, ...options }: ListenerFixtureOptions) {
    const { clock } = this;
    const { trustProxy = [] } = options;
    this.listener = new HttpListener({
      certificate: null,
      isHttp2Plain: false,
      hasProxyHeader: false,
      trustProxy,
      clock,
      ...options,
    });
    const { serverFactory } = this.listener.serverOptions;
    const wanted = { requestTimeout: 60_000, keepAliveTimeout: 75_000, connectionTimeout: 120_000 };
    this.server = serverFactory!((request, response) => answer(request, response), wanted);
    this.table = new ConnectionTable({
      listener: 'test',
      limits: { ...ROOMY, ...limits },
      trustProxy,
      clock,
      log: silentLog,
    });
    this.table.guard(this.server);
  }

  static async open(options: ListenerFixtureOptions): Promise<ListenerFixture> {
    const opened = new ListenerFixture(options);
    opened.server.listen(0, '127.0.0.1');
    await once(opened.server, 'listening');
    return opened;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** A client on TCP, which sends `bytes` immediately. */
  tcp(bytes: Uint8Array | string = ''): RawClient {
    const socket = connect(this.port, '127.0.0.1');
    this.#clients.push(socket);
    return new RawClient(socket, bytes);
  }

  /** The same after the handshake of TLS. */
  tls(protocol: 'h2' | 'http/1.1', bytes: Uint8Array | string = ''): RawClient {
    const options = { ALPNProtocols: [protocol], rejectUnauthorized: false };
    const socket = connectTls(this.port, '127.0.0.1', options);
    this.#clients.push(socket);
    return new RawClient(socket, bytes);
  }

  async close(): Promise<void> {
    for (const socket of this.#clients) socket.destroy();
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** The bytes that it read, and whether it is connected. */
export class RawClient {
  readonly socket: Socket;
  bytesRead = 0;
  isOpen = true;
  #chunks: Buffer[] = [];

  constructor(socket: Socket, bytes: Uint8Array | string) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isOpen = false;
    });
    socket.on('data', (chunk: Buffer) => {
      this.bytesRead += chunk.length;
      this.#chunks.push(chunk);
    });
    if (bytes.length > 0) socket.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }

  get bytes(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  async ended(): Promise<void> {
    await until(() => !this.isOpen);
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** RFC 9113 §3.4, with empty SETTINGS. */
export const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);

/** RFC 9113 §4.1. */
export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** A header block without compression (RFC 7541 §6.2.2). */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).flatMap(([name, value]) => [
    Buffer.from([0]),
    ...[name, value].flatMap((text) => [hpackLength(text.length), Buffer.from(text, 'latin1')]),
  ]);
  return Buffer.concat(fields);
}

function hpackLength(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** A GET that is complete. */
export function get(streamId: number, path = '/', more: Readonly<Record<string, string>> = {}): Buffer {
  const pseudo = { ':method': 'GET', ':scheme': 'http', ':authority': 'a', ':path': path };
  return frame(1, 5, streamId, headerBlock({ ...pseudo, ...more }));
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The complete frames in the bytes that were read. */
export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (at + 9 + length > bytes.length) break;
    frames.push({
      type: bytes[at + 3]!,
      flags: bytes[at + 4]!,
      streamId: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}
