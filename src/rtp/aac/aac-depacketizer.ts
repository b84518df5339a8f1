/**
 * Takes RTP payloads of AAC apart into raw frames. RFC 3640 §3.2: AU headers, then the frames; or one fragment of a
 * frame that is larger than a packet. Frames are never interleaved (AU-Index and AU-Index-delta are 0, §3.3.6).
 */

import type { RtpErrorCode } from '../errors.ts';
import { FrameScratch } from '../frame-scratch.ts';
import type { AacPayloadFormat } from './aac-payload-format.ts';

export interface AacFrameSink {
  /** One raw frame `chunk[start, end)`, borrowed; `index` counts the frames of its packet, which share `rtpTimestamp`. */
  onFrame(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    index: number,
    arrivalMonoMs: number,
  ): void;
  onDropped(frames: number, code: RtpErrorCode): void;
}

/** AAC-hbr sizes have 13 bits. A packet of 1,500 bytes with more frames than this is made of nothing. */
const MAX_FRAMES_PER_PACKET = 64;
const HEADERS_LENGTH_BYTES = 2;

export class AacDepacketizer {
  readonly #sink: AacFrameSink;
  readonly #format: AacPayloadFormat;
  readonly #sizes = new Uint16Array(MAX_FRAMES_PER_PACKET);
  // A fragmented frame.
  readonly #scratch = new FrameScratch();
  #fragmentedBytes = 0;
  #fragmentTimestamp = 0;

  constructor(format: AacPayloadFormat, sink: AacFrameSink) {
    this.#format = format;
    this.#sink = sink;
  }

  /** One packet's payload `chunk[start, end)`, borrowed; packets come in order, lost ones are told by `gap`. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    _isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    if (start >= end) return;
    const frames = this.#readSizes(chunk, start, end);
    if (frames <= 0) {
      this.#dropFragments('RTP_BAD_PAYLOAD');
      this.#sink.onDropped(1, frames === 0 ? 'RTP_BAD_PAYLOAD' : 'RTP_UNSUPPORTED_PAYLOAD');
      return;
    }
    const headersBits = (chunk[start]! << 8) | chunk[start + 1]!;
    const at = start + HEADERS_LENGTH_BYTES + ((headersBits + 7) >> 3);
    if (frames === 1 && this.#sizes[0]! > end - at) {
      this.#fragment(chunk, at, end, rtpTimestamp, arrivalMonoMs);
      return;
    }
    this.#dropFragments('RTP_BAD_PAYLOAD');
    this.#whole(chunk, at, end, frames, rtpTimestamp, arrivalMonoMs);
  }

  /** Packets are missing before the next one. Frames in them are gone, how many is unknown: one is counted. */
  gap(): void {
    this.#fragmentedBytes = 0;
    this.#sink.onDropped(1, 'RTP_PACKET_LOSS');
  }

  #whole(
    chunk: Uint8Array,
    start: number,
    end: number,
    frames: number,
    rtpTimestamp: number,
    arrivalMonoMs: number,
  ): void {
    let at = start;
    for (let index = 0; index < frames; index++) {
      const frameEnd = at + this.#sizes[index]!;
      if (frameEnd > end) {
        this.#sink.onDropped(frames - index, 'RTP_BAD_PAYLOAD');
        return;
      }
      if (frameEnd > at) this.#sink.onFrame(chunk, at, frameEnd, rtpTimestamp, index, arrivalMonoMs);
      at = frameEnd;
    }
  }

  /** All pieces carry the size of the whole frame in their AU header, and its timestamp. */
  #fragment(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    arrivalMonoMs: number,
  ): void {
    const frameBytes = this.#sizes[0]!;
    const isNext = this.#fragmentedBytes === frameBytes && this.#fragmentTimestamp === rtpTimestamp;
    if (!isNext) {
      this.#dropFragments('RTP_BAD_PAYLOAD');
      this.#scratch.truncate(0);
      this.#fragmentedBytes = frameBytes;
      this.#fragmentTimestamp = rtpTimestamp;
    }
    this.#scratch.append(chunk, start, Math.min(end, start + frameBytes - this.#scratch.length));
    if (this.#scratch.length < frameBytes) return;
    this.#fragmentedBytes = 0;
    this.#sink.onFrame(this.#scratch.view(), 0, frameBytes, rtpTimestamp, 0, arrivalMonoMs);
  }

  #dropFragments(code: RtpErrorCode): void {
    if (this.#fragmentedBytes > 0) this.#sink.onDropped(1, code);
    this.#fragmentedBytes = 0;
  }

  /** Number of frames, their sizes in `#sizes`; 0 when the headers are wrong, -1 when frames are interleaved. */
  #readSizes(chunk: Uint8Array, start: number, end: number): number {
    const { sizeBits, indexBits, indexDeltaBits } = this.#format;
    const headersAt = start + HEADERS_LENGTH_BYTES;
    if (headersAt > end) return 0;
    const bits = (chunk[start]! << 8) | chunk[start + 1]!;
    if (headersAt + ((bits + 7) >> 3) > end) return 0;
    const firstBit = headersAt * 8;
    let bit = 0;
    let frames = 0;
    for (;;) {
      const thisIndexBits = frames === 0 ? indexBits : indexDeltaBits;
      if (bit + sizeBits + thisIndexBits > bits) return frames;
      if (frames === MAX_FRAMES_PER_PACKET) return 0;
      this.#sizes[frames] = readBits(chunk, firstBit + bit, sizeBits);
      bit += sizeBits;
      if (readBits(chunk, firstBit + bit, thisIndexBits) !== 0) return -1;
      bit += thisIndexBits;
      frames += 1;
    }
  }
}

/** Up to 16 bits at a bit offset. */
function readBits(bytes: Uint8Array, bitOffset: number, count: number): number {
  let value = 0;
  for (let bit = bitOffset; bit < bitOffset + count; bit++) {
    value = (value << 1) | ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
  }
  return value;
}
