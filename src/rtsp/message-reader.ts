/**
 * Splits the bytes of an RTSP connection into requests, responses and interleaved frames (RFC 2326 §4, §10.12). Sans-IO
 * and incremental: bytes may be cut anywhere. Frames that lie entirely within a chunk are passed on in place.
 *
 * Tolerated, because cameras need it:
 * - empty lines before a message (RFC 2068 §4.1; firmwares whose Content-Length omits the body's last CRLF),
 * - LF alone as the line end, and folded header lines,
 * - a status line without a reason phrase, spaces around names and values,
 * - frames at any message boundary: many cameras send media before they respond to PLAY.
 *
 * Anything else loses the framing, and that ends the connection: the reader does not search for the next frame.
 */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from './errors.ts';
import { RtspHeaders } from './headers.ts';
import type { RtspRequest, RtspResponse } from './message.ts';

/** Limits on what a peer can make us hold. */
export interface RtspReaderLimits {
  /** Start line and all header fields. */
  readonly headBytes: number;
  readonly headerCount: number;
  readonly bodyBytes: number;
  /** Consecutive CRs and LFs outside any message. */
  readonly strayLineEndBytes: number;
}

/** Far above what cameras send: the largest known DESCRIBE responses stay below 8 KiB. */
export const DEFAULT_RTSP_READER_LIMITS: RtspReaderLimits = {
  headBytes: 16 * 1024,
  headerCount: 64,
  bodyBytes: 64 * 1024,
  strayLineEndBytes: 64,
};

export interface RtspMessageSink {
  onRequest(request: RtspRequest): void;
  onResponse(response: RtspResponse): void;
  /** Payload of one `$` frame: `chunk[start, end)`, borrowed until the call returns. */
  onInterleaved(channel: number, chunk: Uint8Array, start: number, end: number): void;
}

type Head =
  | { readonly kind: 'request'; readonly method: string; readonly uri: string; readonly version: string }
  | {
      readonly kind: 'response';
      readonly statusCode: number;
      readonly reasonPhrase: string;
      readonly version: string;
    };

type ReaderState =
  | { readonly name: 'boundary' } // the next byte starts a frame or a message
  | { readonly name: 'frame' } // a partial frame gathers in the scratch buffer
  | { readonly name: 'head' } // start line and headers gather in the scratch buffer
  | {
      readonly name: 'body';
      readonly head: Head;
      readonly headers: RtspHeaders;
      readonly body: Uint8Array;
      filled: number;
    }
  | { readonly name: 'dead' };

const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const FRAME_HEADER_BYTES = 4;
const SCRATCH_START_BYTES = 2048;
const EMPTY_BODY = new Uint8Array(0);
const BOUNDARY: ReaderState = { name: 'boundary' };
const FRAME: ReaderState = { name: 'frame' };
const HEAD: ReaderState = { name: 'head' };
const DEAD: ReaderState = { name: 'dead' };

export class RtspMessageReader {
  readonly #sink: RtspMessageSink;
  readonly #limits: RtspReaderLimits;
  #state: ReaderState = BOUNDARY;
  /** Holds a partial frame or an unfinished head; grows to the largest one seen. */
  #scratch = new Uint8Array(SCRATCH_START_BYTES);
  #scratchLength = 0;
  /** Bytes in the head's current line, to notice the empty one. */
  #lineLength = 0;
  #isAfterCr = false;
  #strayLineEnds = 0;
  #received = 0;
  /** Bytes of all earlier chunks: errors give the position within the connection. */
  #consumedBytes = 0;

  constructor(sink: RtspMessageSink, limits: RtspReaderLimits = DEFAULT_RTSP_READER_LIMITS) {
    this.#sink = sink;
    this.#limits = limits;
  }

  /** Frames and messages so far, whether used or not. */
  get received(): number {
    return this.#received;
  }

  /**
   * Reads `chunk` (borrowed until return) and calls the sink for everything complete. Fails with RTSP_FRAMING or
   * RTSP_MESSAGE_TOO_LARGE, or with what the sink throws; after any of these the reader ignores all input.
   */
  push(chunk: Uint8Array): void {
    try {
      let at = 0;
      while (at < chunk.length && this.#state !== DEAD) at = this.#step(chunk, at);
      this.#consumedBytes += chunk.length;
    } catch (error) {
      this.#state = DEAD;
      throw error;
    }
  }

  /** Stops all callbacks, even for the rest of the current chunk. Idempotent. */
  stop(): void {
    this.#state = DEAD;
  }

  #step(chunk: Uint8Array, at: number): number {
    switch (this.#state.name) {
      case 'boundary':
        return chunk[at] === DOLLAR ? this.#wholeFrames(chunk, at) : this.#messageStart(chunk, at);
      case 'frame':
        return this.#frameRest(chunk, at);
      case 'head':
        return this.#headRest(chunk, at);
      case 'body':
        return this.#bodyRest(this.#state, chunk, at);
      case 'dead':
        return chunk.length;
    }
  }

  /** Hot: the frames that lie entirely within the chunk. */
  #wholeFrames(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    this.#strayLineEnds = 0;
    let at = from;
    while (at < end && chunk[at] === DOLLAR) {
      const frameEnd = end - at < FRAME_HEADER_BYTES ? end + 1 : at + frameBytes(chunk, at);
      if (frameEnd > end) {
        this.#state = FRAME;
        this.#keep(chunk, at, end);
        return end;
      }
      this.#received += 1;
      this.#sink.onInterleaved(chunk[at + 1]!, chunk, at + FRAME_HEADER_BYTES, frameEnd);
      at = frameEnd;
      if (this.#state === DEAD) return end;
    }
    return at;
  }

  #frameRest(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let at = from;
    if (this.#scratchLength < FRAME_HEADER_BYTES) {
      const headerEnd = Math.min(end, at + FRAME_HEADER_BYTES - this.#scratchLength);
      this.#keep(chunk, at, headerEnd);
      at = headerEnd;
      if (this.#scratchLength < FRAME_HEADER_BYTES) return at;
    }
    const totalBytes = frameBytes(this.#scratch, 0);
    const restEnd = Math.min(end, at + totalBytes - this.#scratchLength);
    this.#keep(chunk, at, restEnd);
    if (this.#scratchLength < totalBytes) return restEnd;
    this.#scratchLength = 0;
    this.#state = BOUNDARY;
    this.#received += 1;
    this.#sink.onInterleaved(this.#scratch[1]!, this.#scratch, FRAME_HEADER_BYTES, totalBytes);
    return restEnd;
  }

  #messageStart(chunk: Uint8Array, at: number): number {
    const byte = chunk[at]!;
    if (byte === CR || byte === LF) {
      this.#strayLineEnds += 1;
      if (this.#strayLineEnds > this.#limits.strayLineEndBytes) this.#failFraming(at, 'empty-lines');
      return at + 1;
    }
    const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (!isLetter) this.#failFraming(at, 'no-message-start');
    this.#strayLineEnds = 0;
    this.#lineLength = 0;
    this.#state = HEAD;
    return at;
  }

  #headRest(chunk: Uint8Array, from: number): number {
    const roomEnd = from + this.#limits.headBytes - this.#scratchLength;
    for (let at = from; at < chunk.length; at++) {
      if (at >= roomEnd) this.#failLimit(at, 'headBytes', this.#limits.headBytes);
      const byte = chunk[at]!;
      if (this.#isAfterCr && byte !== LF) this.#failFraming(at, 'bare-cr');
      this.#isAfterCr = byte === CR;
      if (byte === LF) {
        if (this.#lineLength === 0) {
          this.#keep(chunk, from, at);
          this.#finishHead(at);
          return at + 1;
        }
        this.#lineLength = 0;
      } else if (byte !== CR) {
        const isControl = (byte < 0x20 && byte !== TAB) || byte === 0x7f;
        if (isControl) this.#failFraming(at, 'control-byte');
        this.#lineLength += 1;
      }
    }
    this.#keep(chunk, from, chunk.length);
    return chunk.length;
  }

  #finishHead(at: number): void {
    // Latin-1 keeps every byte: cameras put names in any encoding into Server and realm.
    const text = Buffer.from(this.#scratch.buffer, 0, this.#scratchLength).toString('latin1');
    this.#scratchLength = 0;
    const lines = text.split(/\r?\n/);
    const head = parseStartLine(lines[0]!);
    if (head === null) this.#failFraming(at, 'start-line');
    const headers = this.#parseHeaders(lines, at);
    const bodyBytes = this.#bodyLength(headers, at);
    if (bodyBytes > 0)
      this.#state = { name: 'body', head, headers, body: new Uint8Array(bodyBytes), filled: 0 };
    else this.#emit(head, headers, EMPTY_BODY);
  }

  #parseHeaders(lines: readonly string[], at: number): RtspHeaders {
    const headers = new RtspHeaders();
    for (let index = 1; index < lines.length; index++) {
      const line = lines[index]!;
      if (line.trim() === '') continue;
      if (line.startsWith(' ') || line.startsWith('\t')) {
        headers.fold(line.trim());
        continue;
      }
      const colon = line.indexOf(':');
      if (colon <= 0) this.#failFraming(at, 'header-line');
      if (headers.count >= this.#limits.headerCount)
        this.#failLimit(at, 'headerCount', this.#limits.headerCount);
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
    return headers;
  }

  /** RFC 2326 §12.14: no Content-Length means no body. Values that disagree violate the framing. */
  #bodyLength(headers: RtspHeaders, at: number): number {
    const values = headers.all('Content-Length');
    const text = values[0];
    if (text === undefined) return 0;
    if (!/^\d+$/.test(text) || values.some((value) => value !== text))
      this.#failFraming(at, 'content-length');
    const bodyBytes = Number(text);
    if (bodyBytes > this.#limits.bodyBytes) this.#failLimit(at, 'bodyBytes', this.#limits.bodyBytes);
    return bodyBytes;
  }

  #bodyRest(state: ReaderState & { name: 'body' }, chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + state.body.length - state.filled);
    state.body.set(chunk.subarray(at, end), state.filled);
    state.filled += end - at;
    if (state.filled === state.body.length) this.#emit(state.head, state.headers, state.body);
    return end;
  }

  #emit(head: Head, headers: RtspHeaders, body: Uint8Array): void {
    this.#state = BOUNDARY;
    this.#received += 1;
    if (head.kind === 'request') {
      this.#sink.onRequest({ method: head.method, uri: head.uri, version: head.version, headers, body });
    } else {
      const { statusCode, reasonPhrase, version } = head;
      this.#sink.onResponse({ statusCode, reasonPhrase, version, headers, body });
    }
  }

  /** Appends to the scratch buffer; callers limit what they add. */
  #keep(chunk: Uint8Array, start: number, end: number): void {
    const neededBytes = this.#scratchLength + end - start;
    if (neededBytes > this.#scratch.length) {
      const grown = new Uint8Array(2 ** Math.ceil(Math.log2(neededBytes)));
      grown.set(this.#scratch.subarray(0, this.#scratchLength));
      this.#scratch = grown;
    }
    this.#scratch.set(chunk.subarray(start, end), this.#scratchLength);
    this.#scratchLength = neededBytes;
  }

  #failFraming(at: number, reason: string): never {
    throw new GatewayError(RTSP_ERRORS.RTSP_FRAMING, { reason, offsetBytes: this.#consumedBytes + at });
  }

  #failLimit(at: number, limit: string, value: number): never {
    const context = { limit, value, offsetBytes: this.#consumedBytes + at };
    throw new GatewayError(RTSP_ERRORS.RTSP_MESSAGE_TOO_LARGE, context);
  }
}

/** Header and payload of the frame at `at`: `$`, channel, 16-bit length (RFC 2326 §10.12). */
function frameBytes(bytes: Uint8Array, at: number): number {
  return FRAME_HEADER_BYTES + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
}

function parseStartLine(line: string): Head | null {
  const status = /^RTSP\/(\d+\.\d+)\s+(\d{3})(?:\s+(.*))?$/.exec(line.trimEnd());
  if (status !== null) {
    const reasonPhrase = status[3] ?? '';
    return { kind: 'response', statusCode: Number(status[2]), reasonPhrase, version: status[1]! };
  }
  const request = /^([A-Za-z_]+)\s+(\S+)\s+RTSP\/(\d+\.\d+)$/.exec(line.trimEnd());
  if (request === null) return null;
  return { kind: 'request', method: request[1]!, uri: request[2]!, version: request[3]! };
}
