/**
 * STOMP 1.2 frames from a stream of chunks, wherever those are cut ("Augmented BNF"). Sans-IO: bytes in, frames
 * out. Everything that a sender can make grow has a limit; after a failure, the stream is unreadable.
 */

import { GatewayError } from '../core/errors.ts';
import { REALTIME_ERRORS } from './errors.ts';
import { hasEscapedHeaders, type StompFrame, unescapeHeader } from './stomp-frame.ts';

/** Clients only subscribe: their frames are small. */
export const MAX_STOMP_HEAD_BYTES = 8 * 1024;
export const MAX_STOMP_BODY_BYTES = 8 * 1024;
export const MAX_STOMP_HEADERS = 64;

const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;
const CONTENT_LENGTH = /^[0-9]{1,9}$/;
const COMMAND = /^[A-Z]{1,16}$/;
const NO_BYTES = Buffer.alloc(0);

interface Head {
  readonly command: string;
  readonly headers: Map<string, string>;
  /** null: the body ends at the first NUL. */
  readonly contentLength: number | null;
}

export class StompParser {
  /** The part of the frame that has arrived but has not been read. Owned: chunks are copied. */
  #pending: Buffer = NO_BYTES;
  /** Set while waiting for the body. */
  #head: Head | null = null;
  /** `#pending` has been searched up to here without success. */
  #searchedBytes = 0;

  /**
   * The frames that `chunk` completes; line breaks between frames are heart-beats and return nothing. `chunk` is
   * borrowed for the call. Fails STOMP_MALFORMED_FRAME or STOMP_FRAME_TOO_LARGE.
   */
  push(chunk: Buffer): StompFrame[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]);
    const frames: StompFrame[] = [];
    for (let frame = this.#next(); frame !== null; frame = this.#next()) frames.push(frame);
    return frames;
  }

  /** null: more bytes are needed. */
  #next(): StompFrame | null {
    this.#head ??= this.#readHead();
    if (this.#head === null) return null;
    const body = this.#readBody(this.#head.contentLength);
    if (body === null) return null;
    const { command, headers } = this.#head;
    this.#head = null;
    return { command, headers, body };
  }

  #readHead(): Head | null {
    this.#skipLineEnds();
    const end = this.#headEnd();
    if (end === null) {
      if (this.#pending.length > MAX_STOMP_HEAD_BYTES) throw tooLarge('head');
      return null;
    }
    if (end > MAX_STOMP_HEAD_BYTES) throw tooLarge('head');
    const text = this.#take(end).toString('utf8');
    return parseHead(text);
  }

  /** Any number of line breaks can come between frames. A lone CR at the end waits for its LF. */
  #skipLineEnds(): void {
    let at = 0;
    while (at < this.#pending.length) {
      if (this.#pending[at] === LF) at += 1;
      else if (this.#pending[at] === CR && this.#pending[at + 1] === LF) at += 2;
      else break;
    }
    if (at > 0) this.#take(at);
  }

  /** The length of the head with its empty line, null if that has not arrived yet. */
  #headEnd(): number | null {
    const bytes = this.#pending;
    let lineEnd = bytes.indexOf(LF, this.#searchedBytes);
    while (lineEnd >= 0) {
      if (bytes[lineEnd + 1] === LF) return lineEnd + 2;
      if (bytes[lineEnd + 1] === CR && bytes[lineEnd + 2] === LF) return lineEnd + 3;
      // The line after this one may be incomplete: it is checked again.
      if (lineEnd + 2 >= bytes.length) break;
      lineEnd = bytes.indexOf(LF, lineEnd + 1);
    }
    this.#searchedBytes = lineEnd >= 0 ? lineEnd : bytes.length;
    return null;
  }

  #readBody(contentLength: number | null): Buffer | null {
    const length = contentLength ?? this.#pending.indexOf(NUL);
    if (length > MAX_STOMP_BODY_BYTES) throw tooLarge('body');
    if (length < 0) {
      if (this.#pending.length > MAX_STOMP_BODY_BYTES) throw tooLarge('body');
      return null;
    }
    if (this.#pending.length <= length) return null;
    if (this.#pending[length] !== NUL) throw malformed('no NUL after the body');
    return this.#take(length + 1).subarray(0, length);
  }

  #take(count: number): Buffer {
    const taken = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    this.#searchedBytes = 0;
    return taken;
  }
}

/** `text`: command line, header lines and the empty line, with LF or CR LF. */
function parseHead(text: string): Head {
  const [command = '', ...lines] = text.split('\n').map(withoutCarriageReturn);
  if (!COMMAND.test(command)) throw malformed('no command');
  // The empty line, and what follows its line break.
  lines.splice(-2);
  if (lines.length > MAX_STOMP_HEADERS) throw tooLarge('headers');
  const isEscaped = hasEscapedHeaders(command);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = headerText(line.slice(0, Math.max(0, colon)), isEscaped);
    if (name === '') throw malformed('a header without a name');
    const value = headerText(line.slice(colon + 1), isEscaped);
    if (!headers.has(name)) headers.set(name, value);
  }
  const length = headers.get('content-length');
  if (length !== undefined && !CONTENT_LENGTH.test(length)) throw malformed('content-length is not a number');
  return { command, headers, contentLength: length === undefined ? null : Number(length) };
}

function headerText(text: string, isEscaped: boolean): string {
  // Those of an escaped frame have no unescaped ones left, except in a value, where clients are careless.
  if (text.includes('\r') || text.includes('\0')) throw malformed('a control character in a header');
  const unescaped = isEscaped ? unescapeHeader(text) : text;
  if (unescaped === null) throw malformed('an undefined escape in a header');
  return unescaped;
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function malformed(reason: string): GatewayError {
  return new GatewayError(REALTIME_ERRORS.STOMP_MALFORMED_FRAME, { reason });
}

function tooLarge(part: string): GatewayError {
  return new GatewayError(REALTIME_ERRORS.STOMP_FRAME_TOO_LARGE, { part });
}
