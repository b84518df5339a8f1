/**
 * A keep-alive HTTP/1.1 connection that costs as little as possible: ready-made request bytes, responses measured
 * by Content-Length, bodies discarded except for their end. One read buffer serves all connections.
 */

import { connect, type Socket } from 'node:net';

export interface LinkEvents {
  /** `tail`: the last characters of the body if they were requested, otherwise ''. */
  onResponse(status: number, tail: string): void;
  /** The connection failed, ended, or responded in a way that cannot be measured. Called once. */
  onBroken(reason: string): void;
}

const READ_BUFFER_BYTES = 256 * 1_024;
const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const MAX_HEAD_CHARS = 16_384;

const readBuffer = Buffer.allocUnsafe(READ_BUFFER_BYTES);

export class HttpLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #tailChars: number;
  /** Head of the response being read; empty between two responses and while the body comes. */
  #head = '';
  /** Remaining bytes of the body; -1 while the head comes. */
  #bytesLeft = -1;
  #status = 0;
  #tail = '';
  #isBroken = false;

  constructor(port: number, tailChars: number, events: LinkEvents) {
    this.#events = events;
    this.#tailChars = tailChars;
    const onread = {
      buffer: readBuffer,
      callback: (length: number) => {
        this.#onBytes(length);
        return true;
      },
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.on('error', (error) => this.#break(error.message));
    this.#socket.on('close', () => this.#break('closed'));
  }

  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** One request at a time: the next one after the response. */
  send(request: string): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#isBroken = true;
    this.#socket.destroy();
  }

  #onBytes(length: number): void {
    let at = 0;
    while (at < length && !this.#isBroken) {
      if (this.#bytesLeft < 0) at = this.#readHead(at, length);
      else at = this.#skipBody(at, length);
    }
  }

  #readHead(at: number, length: number): number {
    const before = this.#head.length;
    // Heads are short: what follows them in the buffer does not have to become text.
    const limit = Math.min(length, at + MAX_HEAD_CHARS);
    const found = before === 0 ? readBuffer.subarray(at, limit).indexOf(HEAD_END, 0, 'latin1') : -1;
    this.#head += readBuffer.toString('latin1', at, found < 0 ? limit : at + found + HEAD_END.length);
    const end = this.#head.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
    if (end < 0) {
      if (this.#head.length > MAX_HEAD_CHARS) this.#break('endless head');
      return limit;
    }
    const bodyAt = at + end + HEAD_END.length - before;
    const contentLength = CONTENT_LENGTH.exec(this.#head)?.[1];
    this.#status = Number(this.#head.slice(9, 12));
    this.#head = '';
    this.#bytesLeft = Number(contentLength ?? 0);
    if (contentLength === undefined) this.#break('no Content-Length');
    else if (this.#bytesLeft === 0) this.#finish();
    return bodyAt;
  }

  #skipBody(at: number, length: number): number {
    const end = Math.min(length, at + this.#bytesLeft);
    this.#bytesLeft -= end - at;
    if (this.#bytesLeft < this.#tailChars) {
      const wanted = readBuffer.toString('latin1', Math.max(at, end - this.#tailChars), end);
      this.#tail = (this.#tail + wanted).slice(-this.#tailChars);
    }
    if (this.#bytesLeft === 0) this.#finish();
    return end;
  }

  #finish(): void {
    const tail = this.#tail;
    this.#tail = '';
    this.#bytesLeft = -1;
    this.#events.onResponse(this.#status, tail);
  }

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#socket.destroy();
    this.#events.onBroken(reason);
  }
}
