/** The carrier of media responses, whose end ends them: a connection of HTTP/1.1, or a stream of HTTP/2. */

import type { FastifyReply } from 'fastify';
import { type Connection, connectionOf } from '../../connections/connection.ts';
import type { StreamResponse } from '../../connections/http2-response.ts';
import { unreadOf } from '../../connections/http2-sessions.ts';
import type { UnreadWatch } from '../../connections/unread.ts';

export interface ResponseCarrier {
  /** Nothing reads the memory of its responses anymore. */
  readonly isClosed: boolean;
  /** Nothing is sent on it anymore. */
  readonly isEnded: boolean;
  /** Number of requests so far. */
  readonly requests: number;
  /** Ends it, with as much as can be recalled. False: it is ending. */
  cut(nowMonoMs: number): boolean;
  /** `listener` is called when `isClosed` becomes true. */
  onceClosed(listener: () => void): void;
}

/** A client that does not take the end of a stream within this time loses its connection. */
const TAKES_END_MS = 10_000;

/** undefined for a request that a test injects. Hot. */
export function carrierOf(reply: FastifyReply): ResponseCarrier | undefined {
  const { raw } = reply.request;
  const connection = connectionOf(raw.socket);
  if (connection === undefined || raw.httpVersionMajor !== 2) return connection;
  const response = reply.raw as unknown as StreamResponse;
  const unread = unreadOf(response);
  return unread === null ? undefined : new StreamCarrier(response, unread, connection);
}

/** Others use its connection, too, such as a proxy's other viewers: the stream alone is cut. */
export class StreamCarrier implements ResponseCarrier {
  readonly requests = 0;
  readonly #response: StreamResponse;
  readonly #connection: Connection;
  #isClosed: boolean;
  /** When its end was first requested; null: not yet. */
  #cutMonoMs: number | null = null;
  #listener: (() => void) | null = null;

  constructor(response: StreamResponse, unread: UnreadWatch, connection: Connection) {
    this.#response = response;
    this.#connection = connection;
    const { stream } = response;
    // Nothing was written: a response begins with its carrier.
    this.#isClosed = stream.destroyed || stream.closed;
    const close = (): void => {
      this.#isClosed = true;
      this.#listener?.();
    };
    stream.once('close', () => {
      if (this.isWhole) close();
      else unread.whenUnread(close);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isEnded(): boolean {
    return this.#connection.socket.destroyed;
  }

  /** The kernel has all of the response. */
  get isWhole(): boolean {
    return this.#response.writableFinished;
  }

  cut(nowMonoMs: number): boolean {
    const isFirst = this.#cutMonoMs === null;
    this.#cutMonoMs ??= nowMonoMs;
    const { stream } = this.#response;
    if (!stream.destroyed && !stream.closed) {
      this.#response.destroy();
      return true;
    }
    if (isFirst || nowMonoMs - this.#cutMonoMs < TAKES_END_MS) return false;
    return this.#connection.cut();
  }

  onceClosed(listener: () => void): void {
    this.#listener = listener;
  }
}
