/**
 * Reads boxes (ISO/IEC 14496-12 §4.2) from untrusted bytes: `BoxStream` finds the top-level boxes in a stream of
 * chunks, and `BoxCursor` walks the content of one. Every length is checked before it is used.
 */

import { GatewayError } from '../core/errors.ts';
import { ISOBMFF_ERRORS } from './errors.ts';

/** Boxes inside one top-level box, across all levels. An ffmpeg movie fragment has about 6. */
export const MAX_BOXES = 4_096;
/** moov › trak › mdia › minf › stbl › stsd › avc1 › avcC are 8. */
export const MAX_NESTING = 12;
/** Longest top-level box whose content is gathered, by default: a coded 4K frame has up to about 4 MB. */
export const MAX_GATHERED_BYTES = 32 * 1024 * 1024;

const SHORT_HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const SIZE_IS_64_BIT = 1;
const SIZE_TO_END = 0;

/** A four-character code as the number in the box header. */
export function fourCc(text: string): number {
  return (
    ((text.charCodeAt(0) << 24) |
      (text.charCodeAt(1) << 16) |
      (text.charCodeAt(2) << 8) |
      text.charCodeAt(3)) >>>
    0
  );
}

/** Printable form of a four-character code, for error contexts. */
export function fourCcText(code: number): string {
  let text = '';
  for (let shift = 24; shift >= 0; shift -= 8) {
    const char = (code >>> shift) & 0xff;
    text += char >= 0x20 && char < 0x7f ? String.fromCharCode(char) : '?';
  }
  return text;
}

function u32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** 64 bits as a number; fails with ISOBMFF_BOX_INVALID if a number cannot hold it exactly. */
function u64(bytes: Uint8Array, at: number): number {
  const value = u32(bytes, at) * 2 ** 32 + u32(bytes, at + 4);
  if (value > Number.MAX_SAFE_INTEGER) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { value });
  return value;
}

/**
 * Walks sibling boxes and reads the fields of the current one. Fields are read in order from `position`; a read
 * past the end of the box fails ISOBMFF_BOX_TRUNCATED. `bytes` is borrowed.
 */
export class BoxCursor {
  /** Four-character code of the current box. */
  type = 0;
  /** Next field of the current box. */
  position = 0;
  /** First byte after the current box. */
  end = 0;
  readonly bytes: Uint8Array;
  readonly #limit: number;
  readonly #depth: number;
  readonly #budget: { boxes: number };

  /** Siblings between `start` and `limit`. Only `BoxCursor` itself passes the last two. */
  constructor(bytes: Uint8Array, start: number, limit: number, depth = 0, budget = { boxes: MAX_BOXES }) {
    this.bytes = bytes;
    this.end = start;
    this.position = start;
    this.#limit = limit;
    this.#depth = depth;
    this.#budget = budget;
  }

  /** Moves to the next sibling; false after the last. Fails with ISOBMFF_BOX_SIZE or ISOBMFF_LIMIT. */
  next(): boolean {
    const start = this.end;
    const left = this.#limit - start;
    if (left === 0) return false;
    if (left < SHORT_HEADER_BYTES) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE);
    if (--this.#budget.boxes < 0) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_LIMIT);
    let size = u32(this.bytes, start);
    this.type = u32(this.bytes, start + 4);
    this.position = start + SHORT_HEADER_BYTES;
    if (size === SIZE_IS_64_BIT) {
      if (left < LONG_HEADER_BYTES) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE);
      size = u64(this.bytes, start + SHORT_HEADER_BYTES);
      this.position = start + LONG_HEADER_BYTES;
    } else if (size === SIZE_TO_END) {
      size = left;
    }
    if (size < this.position - start || size > left) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE);
    this.end = start + size;
    return true;
  }

  /** The boxes inside the current one, from `position` on. Fails with ISOBMFF_LIMIT if nested too deep. */
  children(): BoxCursor {
    if (this.#depth >= MAX_NESTING) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_LIMIT);
    return new BoxCursor(this.bytes, this.position, this.end, this.#depth + 1, this.#budget);
  }

  /** Unread bytes of the current box. */
  get left(): number {
    return this.end - this.position;
  }

  skip(count: number): void {
    this.#take(count);
  }

  u8(): number {
    return this.bytes[this.#take(1)]!;
  }

  u16(): number {
    const at = this.#take(2);
    return (this.bytes[at]! << 8) | this.bytes[at + 1]!;
  }

  u24(): number {
    const at = this.#take(3);
    return (this.bytes[at]! << 16) | (this.bytes[at + 1]! << 8) | this.bytes[at + 2]!;
  }

  u32(): number {
    return u32(this.bytes, this.#take(4));
  }

  i32(): number {
    return u32(this.bytes, this.#take(4)) | 0;
  }

  /** Unsigned 64 bits; fails ISOBMFF_BOX_INVALID above 2^53. */
  u64(): number {
    return u64(this.bytes, this.#take(8));
  }

  /** Borrowed from the box. */
  view(count: number): Uint8Array {
    const at = this.#take(count);
    return this.bytes.subarray(at, at + count);
  }

  #take(count: number): number {
    const at = this.position;
    if (count > this.end - at) throw this.#error(ISOBMFF_ERRORS.ISOBMFF_BOX_TRUNCATED);
    this.position = at + count;
    return at;
  }

  #error(definition: (typeof ISOBMFF_ERRORS)[keyof typeof ISOBMFF_ERRORS]): GatewayError {
    return new GatewayError(definition, { box: fourCcText(this.type), depth: this.#depth });
  }
}

/** Receives the top-level boxes of a stream. */
export interface BoxSink {
  /** Whether to gather the content of boxes of this type; others are skipped regardless of size. */
  wants(type: number): boolean;
  /**
   * One whole box. `content` is what follows its header, borrowed until the call returns; `boxOffset` and
   * `contentOffset` are positions in the stream.
   */
  onBox(type: number, content: Uint8Array, boxOffset: number, contentOffset: number): void;
}

/**
 * Finds top-level boxes in chunks of any size. A box within one chunk is passed on in place; others are gathered in a
 * buffer that is reused. Fails with ISOBMFF_BOX_SIZE and ISOBMFF_LIMIT, and is unusable afterwards.
 */
export class BoxStream {
  readonly #sink: BoxSink;
  readonly #maxGatheredBytes: number;
  readonly #header = new Uint8Array(LONG_HEADER_BYTES);
  #headerLength = 0;
  #headerNeeded = SHORT_HEADER_BYTES;
  /** Position in the stream of the next byte. */
  #offset = 0;
  #type = 0;
  #boxOffset = 0;
  #contentOffset = 0;
  #isInContent = false;
  #isWanted = false;
  #contentLeft = 0;
  #gathered = new Uint8Array(0);
  #gatheredLength = 0;

  constructor(sink: BoxSink, maxGatheredBytes = MAX_GATHERED_BYTES) {
    this.#sink = sink;
    this.#maxGatheredBytes = maxGatheredBytes;
  }

  /** `chunk` is borrowed until the call returns. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length || (this.#isInContent && this.#contentLeft === 0)) {
      at = this.#isInContent ? this.#readContent(chunk, at) : this.#readHeader(chunk, at);
    }
  }

  #readHeader(chunk: Uint8Array, from: number): number {
    let at = from;
    if (this.#headerLength === 0) this.#boxOffset = this.#offset;
    while (at < chunk.length && this.#headerLength < this.#headerNeeded) {
      this.#header[this.#headerLength++] = chunk[at++]!;
    }
    this.#offset += at - from;
    if (this.#headerLength < this.#headerNeeded) return at;
    let sizeBytes = u32(this.#header, 0);
    this.#type = u32(this.#header, 4);
    if (sizeBytes === SIZE_IS_64_BIT) {
      if (this.#headerNeeded === SHORT_HEADER_BYTES) {
        this.#headerNeeded = LONG_HEADER_BYTES;
        return at;
      }
      sizeBytes = u64(this.#header, SHORT_HEADER_BYTES);
    }
    this.#enterContent(sizeBytes - this.#headerLength);
    return at;
  }

  /**
   * A size of 0 ("to the end") has no end in a stream, and comes out negative here, like every size that is too
   * small.
   */
  #enterContent(contentBytes: number): void {
    const context = { box: fourCcText(this.#type), contentBytes };
    if (contentBytes < 0) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE, context);
    this.#isWanted = this.#sink.wants(this.#type);
    if (this.#isWanted && contentBytes > this.#maxGatheredBytes) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, context);
    }
    this.#contentLeft = contentBytes;
    this.#contentOffset = this.#offset;
    this.#gatheredLength = 0;
    this.#isInContent = true;
    this.#headerLength = 0;
    this.#headerNeeded = SHORT_HEADER_BYTES;
  }

  #readContent(chunk: Uint8Array, from: number): number {
    const count = Math.min(this.#contentLeft, chunk.length - from);
    const at = from + count;
    this.#contentLeft -= count;
    this.#offset += count;
    const isWhole = this.#contentLeft === 0;
    if (this.#isWanted && isWhole && this.#gatheredLength === 0) {
      this.#deliver(chunk.subarray(from, at));
    } else if (this.#isWanted) {
      this.#gather(chunk, from, at);
      if (isWhole) this.#deliver(this.#gathered.subarray(0, this.#gatheredLength));
    } else if (isWhole) {
      this.#isInContent = false;
    }
    return at;
  }

  #deliver(content: Uint8Array): void {
    this.#isInContent = false;
    this.#sink.onBox(this.#type, content, this.#boxOffset, this.#contentOffset);
  }

  /** Grows with the bytes that arrived, not with what a header promises. */
  #gather(chunk: Uint8Array, from: number, to: number): void {
    const length = this.#gatheredLength + to - from;
    if (length > this.#gathered.length) {
      const grown = new Uint8Array(Math.max(length, this.#gathered.length * 2, 4_096));
      grown.set(this.#gathered.subarray(0, this.#gatheredLength));
      this.#gathered = grown;
    }
    this.#gathered.set(chunk.subarray(from, to), this.#gatheredLength);
    this.#gatheredLength = length;
  }
}
