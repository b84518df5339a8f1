/**
 * A client's connection on which `PlainAnswers` may answer a request without Node's HTTP server, which would take longer for a request than
 * all other work here. A request that they leave goes to Node's server over a connection of its own (inner-connection.ts), and the next one
 * comes here again. A request that is not plain, such as one with a body, may not end where it seems to: with its first byte, Node's server
 * gets the socket, for good.
 *
 * One request at a time: bytes that arrive before its response has been sent wait, unread except for one piece.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Connection, endsConnection, type StreamActivity } from './connection.ts';
import { InnerConnection } from './inner-connection.ts';
import { MAX_HEAD_BYTES, type PlainFields, type PlainRequest, readPlainRequest } from './plain-request.ts';

/** Answers requests before Node's server does. */
export interface PlainResponses {
  /** False: Node's server has to, and nothing has been sent. Otherwise `send` follows, now or later. */
  respond(request: PlainRequest, exchange: PlainExchange): boolean;
}

/** A request that is being answered here. */
export interface PlainExchange {
  readonly connection: Connection;
  /** With TLS. */
  readonly isEncrypted: boolean;
  /** Whether the response is the connection's last one, and must announce it. */
  readonly isLast: boolean;
  /** Called if the client leaves before `send`. */
  onGone: Gone | null;
  /**
   * The whole response, once: `body` is null if `head` has all of it. `onSent` is called when the kernel has all of it, and never if the
   * connection ends before.
   */
  send(head: Buffer, body: Buffer | null, onSent: (() => void) | null): void;
}

export interface Gone {
  onClientGone(): void;
}

/** The shared part of all connections of a listener. */
export interface PlainHost {
  readonly responses: PlainResponses;
  readonly timeouts: PlainTimeouts;
  /** A request has come, and may be answered here. */
  onRequest(connection: Connection): void;
  /** Lets Node's server serve `stream`. */
  serve(stream: Socket): void;
  /** The connection has ended, or Node's server has it. */
  onLeft(left: PlainConnection): void;
}

export interface PlainTimeouts {
  /** Until the first request has begun. */
  readonly firstMs: number;
  /** Without a byte in either direction. */
  readonly quietMs: number;
}

/** `node`: its server answers a request. */
type State = 'idle' | 'answering' | 'sending' | 'node';

export class PlainConnection implements PlainExchange, StreamActivity {
  readonly connection: Connection;
  readonly isEncrypted: boolean;
  onGone: Gone | null = null;
  readonly #host: PlainHost;
  readonly #socket: Socket;
  #state: State = 'idle';
  #fields: PlainFields | null = null;
  #inner: InnerConnection | null = null;
  /** The response of Node's server. */
  #response: ServerResponse | null = null;
  #onSent: (() => void) | null = null;
  /** Bytes that arrived before their turn. */
  #early: Buffer | null = null;
  #isLeaving = false;
  #isClosing = false;

  constructor(socket: Socket, connection: Connection, host: PlainHost) {
    this.#host = host;
    this.#socket = socket;
    this.connection = connection;
    this.isEncrypted = socket instanceof TLSSocket;
    connection.streams = this;
    socket.setTimeout(host.timeouts.firstMs);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', ignore);
  }

  get isLast(): boolean {
    return this.#isLeaving;
  }

  get open(): number {
    return this.#state === 'idle' ? 0 : 1;
  }

  isUnread(): boolean {
    return this.#state === 'node' ? this.#response?.writableEnded === true : this.#state === 'sending';
  }

  leave(): void {
    this.#isLeaving = true;
    if (this.#response !== null) endsConnection(this.#response);
  }

  /** The listener closes: the connection ends as soon as it has no request. */
  close(): void {
    this.#isLeaving = true;
    this.#isClosing = true;
    this.#next();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Node's server answers a request that came over the inner connection. */
  onResponse(response: ServerResponse): void {
    this.#response = response;
    if (this.#isLeaving) endsConnection(response);
    response.once('finish', this.#onFinish);
  }

  /** Hot. */
  send(head: Buffer, body: Buffer | null, onSent: (() => void) | null): void {
    const socket = this.#socket;
    this.onGone = null;
    if (socket.destroyed) return;
    this.#state = 'sending';
    this.#onSent = onSent;
    if (body === null) socket.write(head, this.#onWritten);
    else {
      socket.cork();
      socket.write(head);
      socket.write(body, this.#onWritten);
      socket.uncork();
    }
    if (this.#isLeaving) socket.end();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#state === 'idle') {
      this.#take(chunk);
      return;
    }
    this.#early = this.#early === null ? chunk : Buffer.concat([this.#early, chunk]);
    this.#socket.pause();
  };

  /** Hot. */
  #take(chunk: Buffer): void {
    const host = this.#host;
    const request =
      chunk.length > MAX_HEAD_BYTES ? null : readPlainRequest(chunk.toString('latin1'), this.#fields);
    if (request === null) {
      this.#handOver(chunk);
      return;
    }
    if (this.#fields === null) this.#socket.setTimeout(host.timeouts.quietMs);
    this.#fields = request.fields;
    this.#state = 'answering';
    host.onRequest(this.connection);
    if (!request.isHead && host.responses.respond(request, this)) return;
    this.#state = 'node';
    this.#inner ??= this.#beginInner();
    this.#inner.push(chunk);
  }

  #beginInner(): InnerConnection {
    const inner = new InnerConnection(this.#socket, this);
    this.connection.adopt(inner);
    // It needs no more of a socket than any stream has.
    this.#host.serve(inner as unknown as Socket);
    return inner;
  }

  /** The bytes do not begin with a plain request. */
  #handOver(chunk: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', ignore);
    socket.setTimeout(0);
    socket.pause();
    this.connection.streams = null;
    this.#inner?.release();
    this.#host.onLeft(this);
    socket.unshift(chunk);
    this.#host.serve(socket);
    socket.resume();
  }

  readonly #onWritten = (error?: Error | null): void => {
    if (error != null) return;
    const onSent = this.#onSent;
    this.#onSent = null;
    this.#state = 'idle';
    onSent?.();
    this.#next();
  };

  readonly #onFinish = (): void => {
    this.#response = null;
    this.#state = 'idle';
    this.#next();
  };

  /** After a response: takes what came early. */
  #next(): void {
    const early = this.#early;
    const socket = this.#socket;
    if (this.#state !== 'idle' || socket.writableEnded) return;
    if (this.#isClosing) socket.end();
    else if (early !== null) {
      this.#early = null;
      socket.resume();
      this.#take(early);
    }
  }

  /** The client sends no more: it wants no response, as Node's server takes it. */
  readonly #onEnd = (): void => {
    if (this.#state === 'node') {
      this.#inner?.push(null);
      return;
    }
    this.#leaveExchange();
    this.#socket.end();
  };

  readonly #onClose = (): void => {
    this.#leaveExchange();
    this.#early = null;
    this.#inner?.destroy();
    this.#host.onLeft(this);
  };

  readonly #onTimeout = (): void => {
    this.#socket.destroy();
  };

  #leaveExchange(): void {
    const { onGone } = this;
    this.onGone = null;
    onGone?.onClientGone();
  }
}

/** The close event follows. */
function ignore(): void {}
