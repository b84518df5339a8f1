/**
 * Splits RTP payloads of AAC into raw frames. RFC 3640 §3.2: AU headers, then the frames; or one fragment of a frame
 * that is larger than a packet. Frames are never interleaved (AU-Index and AU-Index-delta are 0, §3.3.6).
 *
 * Other forms that cameras send:
 * - Frames with ADTS headers (ISO/IEC 14496-3 §1.A.2.2), inside the access units (gortsplib TestDecodeADTS, go2rtc) or
 *   in place of the AU headers (Anjvision: go2rtc issue 1328, mpv issue 5669). The ADTS headers are removed.
 * - AU headers without an index, if the description names none (AMS32, gortsplib issue 118).
 * - Fragments whose AU header has the size of the fragment (MediaMTX): see FragmentedFrame.
 */

import { adtsFrameEnd, adtsHeaderBytes, isAdtsSync } from '../../codec/aac/adts.ts';
import type { RtpErrorCode } from '../errors.ts';
import type { AacPayloadFormat } from './aac-payload-format.ts';
import { FragmentedFrame } from './fragmented-frame.ts';

export interface AacFrameSink {
  /**
   * One raw frame `chunk[start, end)`, borrowed. `index` counts the frames of its packet, which share `rtpTimestamp`.
   */
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

/** AAC-hbr sizes have 13 bits. A packet of 1,500 bytes with more frames than this is bogus. */
const MAX_FRAMES_PER_PACKET = 64;
const HEADERS_LENGTH_BYTES = 2;

export class AacDepacketizer {
  readonly #sink: AacFrameSink;
  readonly #format: AacPayloadFormat;
  readonly #sizes = new Uint16Array(MAX_FRAMES_PER_PACKET);
  readonly #fragments: FragmentedFrame;
  // The current packet.
  #rtpTimestamp = 0;
  #arrivalMonoMs = 0;
  /** Number of its frames so far. */
  #index = 0;

  constructor(format: AacPayloadFormat, sink: AacFrameSink) {
    this.#format = format;
    this.#sink = sink;
    this.#fragments = new FragmentedFrame({
      onFrame: (chunk, start, end, rtpTimestamp, arrivalMonoMs) => {
        this.#begin(rtpTimestamp, arrivalMonoMs);
        this.#accessUnit(chunk, start, end);
      },
      onDropped: (code) => sink.onDropped(1, code),
    });
  }

  /** One packet's payload `chunk[start, end)`, borrowed. Packets come in order; `gap` reports lost ones. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    if (start >= end) return;
    if (isAdtsStream(chunk, start, end)) {
      this.#fragments.end('RTP_BAD_PAYLOAD');
      this.#begin(rtpTimestamp, arrivalMonoMs);
      this.#adtsFrames(chunk, start, end);
      return;
    }
    const frames = this.#readSizes(chunk, start, end);
    if (frames <= 0) {
      this.#fragments.end('RTP_BAD_PAYLOAD');
      this.#sink.onDropped(1, frames === 0 ? 'RTP_BAD_PAYLOAD' : 'RTP_UNSUPPORTED_PAYLOAD');
      return;
    }
    const headersBits = (chunk[start]! << 8) | chunk[start + 1]!;
    const at = start + HEADERS_LENGTH_BYTES + ((headersBits + 7) >> 3);
    const mayBeFragment = frames === 1 && this.#sizes[0]! >= end - at;
    if (mayBeFragment) {
      this.#fragments.push(chunk, at, end, this.#sizes[0]!, rtpTimestamp, isMarked, arrivalMonoMs);
      return;
    }
    this.#fragments.end('RTP_BAD_PAYLOAD');
    this.#begin(rtpTimestamp, arrivalMonoMs);
    this.#whole(chunk, at, end, frames);
  }

  /** Packets are missing before the next one. How many frames were in them is unknown: one is counted. */
  gap(): void {
    this.#fragments.gap();
    this.#sink.onDropped(1, 'RTP_PACKET_LOSS');
  }

  #begin(rtpTimestamp: number, arrivalMonoMs: number): void {
    this.#rtpTimestamp = rtpTimestamp;
    this.#arrivalMonoMs = arrivalMonoMs;
    this.#index = 0;
  }

  #whole(chunk: Uint8Array, start: number, end: number, frames: number): void {
    let at = start;
    for (let index = 0; index < frames; index++) {
      const frameEnd = at + this.#sizes[index]!;
      if (frameEnd > end) {
        this.#sink.onDropped(frames - index, 'RTP_BAD_PAYLOAD');
        return;
      }
      this.#accessUnit(chunk, at, frameEnd);
      at = frameEnd;
    }
  }

  /** A frame, or the frames from a payload that is nothing but frames with ADTS headers. */
  #accessUnit(chunk: Uint8Array, start: number, end: number): void {
    const isAdts = end - start >= 2 && isAdtsSync(chunk[start]!, chunk[start + 1]!);
    if (!isAdts) this.#frame(chunk, start, end);
    else if (isAdtsStream(chunk, start, end)) this.#adtsFrames(chunk, start, end);
    else this.#sink.onDropped(1, 'RTP_BAD_PAYLOAD');
  }

  /** `chunk[start, end)`: see isAdtsStream. */
  #adtsFrames(chunk: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end) {
      const frameEnd = adtsFrameEnd(chunk, at);
      this.#frame(chunk, at + adtsHeaderBytes(chunk, at, end), frameEnd);
      at = frameEnd;
    }
  }

  #frame(chunk: Uint8Array, start: number, end: number): void {
    if (start < end) {
      this.#sink.onFrame(chunk, start, end, this.#rtpTimestamp, this.#index, this.#arrivalMonoMs);
    }
    this.#index += 1;
  }

  /** Number of frames, with their sizes in `#sizes`; 0 when the headers are wrong, -1 when frames are interleaved. */
  #readSizes(chunk: Uint8Array, start: number, end: number): number {
    const { sizeBits, indexBits, indexDeltaBits, mayLackIndex } = this.#format;
    const headersAt = start + HEADERS_LENGTH_BYTES;
    if (headersAt > end) return 0;
    const bits = (chunk[start]! << 8) | chunk[start + 1]!;
    if (headersAt + ((bits + 7) >> 3) > end) return 0;
    const hasFit = bits % (sizeBits + indexBits) === 0;
    const lacksIndex = mayLackIndex && !hasFit && bits % sizeBits === 0;
    const firstBit = headersAt * 8;
    let bit = 0;
    let frames = 0;
    for (;;) {
      const givenIndexBits = frames === 0 ? indexBits : indexDeltaBits;
      const thisIndexBits = lacksIndex ? 0 : givenIndexBits;
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

/** Whether `chunk[start, end)` is a sequence of whole ADTS frames. */
function isAdtsStream(chunk: Uint8Array, start: number, end: number): boolean {
  let at = start;
  for (let frames = 0; frames < MAX_FRAMES_PER_PACKET; frames++) {
    if (adtsHeaderBytes(chunk, at, end) === 0) return false;
    at = adtsFrameEnd(chunk, at);
    if (at === end) return true;
  }
  return false;
}

/** Reads up to 16 bits at a bit offset. */
function readBits(bytes: Uint8Array, bitOffset: number, count: number): number {
  let value = 0;
  for (let bit = bitOffset; bit < bitOffset + count; bit++) {
    value = (value << 1) | ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
  }
  return value;
}
