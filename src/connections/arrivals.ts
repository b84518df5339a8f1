/**
 * Connections before HTTP: the header of a proxy, the TLS handshake, and the first bytes, which reveal whether it is HTTP/2. All of this
 * has one deadline.
 */

import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type ProxyHeader, readProxyHeader } from './proxy-header.ts';

/** The time for everything before HTTP. */
export const ARRIVAL_MS = 10_000;
/** No method of HTTP begins like this (RFC 9113 §3.4). */
const HTTP2_START = Buffer.from('PRI', 'latin1');

export class Arrivals {
  readonly #clock: Clock;
  readonly #waiting = new Map<Socket, TimerHandle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Begins the deadline. */
  add(socket: Socket): void {
    this.#waiting.set(
      socket,
      this.#clock.after(ARRIVAL_MS, () => socket.destroy()),
    );
    socket.once('close', () => this.arrived(socket));
  }

  /** HTTP has it. */
  arrived(socket: Socket): void {
    this.#waiting.get(socket)?.cancel();
    this.#waiting.delete(socket);
  }

  /** All that have not arrived. */
  destroy(): void {
    for (const socket of this.#waiting.keys()) socket.destroy();
  }
}

/** Calls `next` after the header, with its content. Closes connections that begin with anything else. */
export function readProxyHeaderOf(socket: Socket, next: (header: ProxyHeader) => void): void {
  peek(socket, (bytes) => {
    const header = readProxyHeader(bytes);
    if (header === 'more') return null;
    if (header !== 'invalid') return { rest: bytes.subarray(header.byteLength), next: () => next(header) };
    socket.destroy();
    return { rest: NO_BYTES, next: () => undefined };
  });
}

/** Calls `next` when the first bytes have arrived, and gives them back. */
export function seeProtocol(socket: Socket, next: (isHttp2: boolean) => void): void {
  peek(socket, (bytes) => {
    const length = Math.min(bytes.length, HTTP2_START.length);
    const isHttp2 = bytes.subarray(0, length).equals(HTTP2_START.subarray(0, length));
    if (isHttp2 && length < HTTP2_START.length) return null;
    return { rest: bytes, next: () => next(isHttp2) };
  });
}

interface Seen {
  /** Given back to the socket. */
  readonly rest: Buffer;
  readonly next: () => void;
}

const NO_BYTES = Buffer.alloc(0);

/** `look` gets all that has arrived; null: it needs more. */
function peek(socket: Socket, look: (bytes: Buffer) => Seen | null): void {
  let bytes: Buffer = NO_BYTES;
  // Its errors are others' matter only once it has arrived.
  const onError = (): void => undefined;
  const onReadable = (): void => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const seen = look(bytes);
      if (seen === null) continue;
      socket.off('readable', onReadable);
      if (socket.destroyed) return;
      if (seen.rest.length > 0) socket.unshift(seen.rest);
      // When Node no longer takes it for one that is read this way.
      process.nextTick(() => {
        socket.off('error', onError);
        if (!socket.destroyed) seen.next();
      });
      return;
    }
  };
  socket.on('error', onError);
  socket.on('readable', onReadable);
}
