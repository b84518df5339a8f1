/**
 * When the memory of a response that broke off can be used for something else.
 *
 * HTTP/1.1: with the `close` event of its connection's socket (docs/design/live-path.md#memory).
 *
 * HTTP/2: Node promises nothing. A stream that is reset calls back its writes while frames with parts of them may still be
 * in libuv's queue for the connection, which reads them where they are (Http2Session::OnSendData in node_http2.cc: a slice of a
 * write has no request of its own). Only the order of bytes on a connection is certain. Once a stream is closed and a
 * turn of the event loop is over, none of its bytes goes to the connection anymore; then we send a PING (RFC 9113 §6.7). When
 * the client acknowledges it, the kernel has taken everything before it. Or the connection closes.
 */

import type { ServerHttp2Session } from 'node:http2';
import type { Connection } from './connection.ts';

export class UnreadWatch {
  readonly #session: ServerHttp2Session;
  /** After the next PING. */
  #next: (() => void)[] = [];
  /** After the PING that is on its way; null: none is. */
  #requested: (() => void)[] | null = null;
  #isClosed = false;

  constructor(session: ServerHttp2Session, { socket }: Pick<Connection, 'socket'>) {
    this.#session = session;
    if (socket.closed) this.#isClosed = true;
    else socket.once('close', () => this.#onClose());
  }

  /** `stream` events are over: calls back when nothing reads its written bytes. Exactly once. */
  whenUnread(callback: () => void): void {
    if (this.#isClosed) {
      callback();
      return;
    }
    this.#next.push(callback);
    if (this.#requested === null) setImmediate(() => this.#ask());
  }

  #ask(): void {
    if (this.#isClosed || this.#requested !== null || this.#next.length === 0) return;
    // A session that is ending sends no more: then the socket closes.
    if (this.#session.destroyed || this.#session.closed) return;
    const requested = this.#next;
    this.#next = [];
    this.#requested = requested;
    this.#session.ping((error) => this.#responded(requested, error === null));
  }

  #responded(requested: (() => void)[], isAcknowledged: boolean): void {
    // Otherwise the socket closes, or has: they are called then.
    if (this.#isClosed || !isAcknowledged) return;
    this.#requested = null;
    for (const callback of requested) callback();
    this.#ask();
  }

  #onClose(): void {
    this.#isClosed = true;
    const left = [...(this.#requested ?? []), ...this.#next];
    this.#requested = null;
    this.#next = [];
    for (const callback of left) callback();
  }
}
