/** One connection of an HTTP listener, as the listener's table sees it (connection-table.ts). */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A response that is still being sent after this time does not protect its connection when another one needs the
 * room.
 */
const SLOW_RESPONSE_MS = 10_000;
/**
 * After a response, players make another request within a target duration: a client that has been quiet for longer
 * opens a new connection.
 */
const IDLE_MS = 5_000;

const CONNECTION = Symbol('connection');

/** Node's fields on a server's socket: the response whose turn it is, and the descriptor. */
interface ServerSocket extends Socket {
  [CONNECTION]?: Connection;
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly fd?: number } | null;
}

/** The connections of one address; an IPv6 address counts as its /64. */
export class Origin {
  readonly key: string;
  /** Ordered by their last request. */
  readonly connections = new Set<Connection>();

  constructor(key: string) {
    this.key = key;
  }
}

/** The requests on a connection over HTTP/2, as far as its listener's table is concerned. */
export interface StreamActivity {
  /** Requests without a complete response. */
  readonly open: number;
  /** Whether all that is missing is that the client reads. */
  isUnread(): boolean;
  /** The client makes further requests over another connection; those that it has made are answered. */
  leave(): void;
}

export class Connection {
  /** TCP's. */
  readonly socket: Socket;
  /** null: a trusted proxy, with many clients behind it. Only the table changes it. */
  origin: Origin | null;
  /** null: HTTP/1.1, or nothing yet. */
  streams: StreamActivity | null = null;
  /** Requests so far. */
  requests = 0;
  /** When the newest request or the connection began; precise to a second. */
  seenMonoMs: number;
  /** When it was last seen waiting for or reading a response; precise to a second. */
  busyMonoMs = Number.NEGATIVE_INFINITY;
  /** It has become a WebSocket. */
  isUpgraded = false;
  /** After the socket's `close` event: libuv has released everything that was to be written. */
  isClosed = false;
  /** The one that HTTP runs on: with TLS, not TCP's. */
  #httpSocket: ServerSocket;

  constructor(socket: Socket, origin: Origin | null, nowMonoMs: number) {
    this.socket = socket;
    this.#httpSocket = socket;
    this.origin = origin;
    this.seenMonoMs = nowMonoMs;
    (socket as ServerSocket)[CONNECTION] = this;
  }

  /** The number of its descriptor; -1 if there is none. It was the lowest free one when the connection was accepted. */
  get descriptor(): number {
    return (this.socket as ServerSocket)._handle?.fd ?? -1;
  }

  /** HTTP runs on `socket`, on top of TCP's. */
  continueOn(socket: Socket): void {
    this.#httpSocket = socket;
    this.adopt(socket);
  }

  /** Makes `connectionOf(part)` return this connection. */
  adopt(part: object): void {
    (part as ServerSocket)[CONNECTION] = this;
  }

  get isEnded(): boolean {
    return this.socket.destroyed;
  }

  onceClosed(listener: () => void): void {
    this.socket.once('close', listener);
  }

  /** Ends it, and recalls what the kernel has yet to send. */
  cut(): boolean {
    // A socket that already sent its end cannot be reset.
    if (this.socket.writableEnded) this.socket.destroy();
    else this.socket.resetAndDestroy();
    return true;
  }

  /** Requests that wait for video and long downloads take longer than a client may be quiet: they do not count as quiet. */
  tick(nowMonoMs: number): void {
    if (this.#isBusy) this.busyMonoMs = nowMonoMs;
  }

  /**
   * Whether it can make room for a newcomer: it never made a request, made none recently, or is not reading its
   * response. A client that is being served and keeps making requests keeps its connection.
   */
  canBeClosed(nowMonoMs: number): boolean {
    if (this.isUpgraded) return false;
    if (this.#isBusy) return this.#isUnread && nowMonoMs - this.seenMonoMs >= SLOW_RESPONSE_MS;
    return this.requests === 0 || nowMonoMs - Math.max(this.seenMonoMs, this.busyMonoMs) >= IDLE_MS;
  }

  /** Makes the current response the last one of the connection. Over HTTP/2, the client is notified. */
  leave(): void {
    if (this.streams !== null) this.streams.leave();
    else if (this.#response !== null) endsConnection(this.#response);
  }

  get #isBusy(): boolean {
    return this.streams === null ? this.#response !== null : this.streams.open > 0;
  }

  get #isUnread(): boolean {
    return this.streams === null ? this.#response?.writableEnded === true : this.streams.isUnread();
  }

  get #response(): ServerResponse | null {
    return this.#httpSocket._httpMessage ?? null;
  }
}

/** For HTTP/1.1: the connection ends with this response, if its head has not been sent. */
export function endsConnection(response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

/** undefined for a socket that no table tracks, such as those of injected test requests. Hot. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ServerSocket)[CONNECTION];
}
