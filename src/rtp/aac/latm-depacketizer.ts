/**
 * Splits RTP payloads of MP4A-LATM into raw AAC frames. A payload is an audioMuxElement or a fragment of one; the last
 * fragment has the marker. RFC 6416 §6.3; ISO/IEC 14496-3 §1.7.3, PayloadLengthInfo and PayloadMux.
 *
 * With the configuration in band, an element begins with it or with one bit that says it is the one before, so its frames
 * begin at any bit. A description that leaves `cpresent` out, or is wrong about it, but has a configuration: an element that
 * does not add up with one in band is read without.
 */

import { BitReader } from '../../bytes/bit-reader.ts';
import { copyBits } from '../../bytes/copy-bits.ts';
import { isSameBytes } from '../../codec/same-bytes.ts';
import type { AacTrack } from '../../codec/track.ts';
import { FrameScratch } from '../frame-scratch.ts';
import type { AacFrameSink } from './aac-depacketizer.ts';
import type { LatmPayloadFormat } from './latm-payload-format.ts';
import { readStreamMux, type StreamMux } from './stream-mux-config.ts';

/** An element of 64 frames of the largest possible size. */
const MAX_ELEMENT_BYTES = 512 * 1024;
const LONGER = 255;
/** Each change costs viewers their place: a stream that changes more often is broken. */
const MAX_CHANGES = 4;

export interface LatmSink extends AacFrameSink {
  /** The stream's own configuration is another one than `LatmPayloadFormat.track`, or than before. */
  onAudioTrack(track: AacTrack): void;
}

export class LatmDepacketizer {
  readonly #sink: LatmSink;
  readonly #isInBand: boolean;
  /** null: not known yet. */
  #mux: StreamMux | null;
  /** An element had its configuration in band: all have. */
  #isCertain = false;
  #track: AacTrack;
  #changes = 0;
  /** Frames of an element, aligned to bytes. */
  #aligned = new Uint8Array(0);
  readonly #ends: number[] = [];
  readonly #scratch = new FrameScratch();
  #elementTimestamp = 0;
  /** Packets of the element are missing: the rest is skipped. */
  #isBroken = false;

  constructor({ track, mux, isInBand }: LatmPayloadFormat, sink: LatmSink) {
    this.#track = track;
    this.#mux = mux;
    this.#isInBand = isInBand;
    this.#sink = sink;
  }

  /** Same as AacDepacketizer. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    if (this.#scratch.length > 0 && rtpTimestamp !== this.#elementTimestamp) {
      this.#scratch.truncate(0);
      if (!this.#isBroken) this.#sink.onDropped(1, 'RTP_BAD_PAYLOAD');
      this.#isBroken = false;
    }
    this.#elementTimestamp = rtpTimestamp;
    const isTooLong = this.#scratch.length + end - start > MAX_ELEMENT_BYTES;
    if (isTooLong && !this.#isBroken) this.#sink.onDropped(1, 'RTP_FRAME_TOO_LARGE');
    this.#isBroken ||= isTooLong;
    if (!this.#isBroken) this.#scratch.append(chunk, start, end);
    if (!isMarked) return;
    if (!this.#isBroken) this.#element(rtpTimestamp, arrivalMonoMs);
    this.#scratch.truncate(0);
    this.#isBroken = false;
  }

  /** Packets are missing before the next one. Their frames are lost; one is counted. */
  gap(): void {
    // A loss between two elements looks the same as one within: only an element that has begun is broken.
    this.#isBroken = this.#scratch.length > 0;
    this.#sink.onDropped(1, 'RTP_PACKET_LOSS');
  }

  #element(rtpTimestamp: number, arrivalMonoMs: number): void {
    const element = this.#scratch.view();
    if (this.#isInBand && this.#readInBand(element)) this.#emitAligned(rtpTimestamp, arrivalMonoMs);
    else if (this.#mux === null || this.#isCertain) {
      this.#sink.onDropped(1, 'RTP_BAD_PAYLOAD');
    } else this.#emitPlain(element, this.#mux.frames, rtpTimestamp, arrivalMonoMs);
  }

  /** False: it is not an element with its configuration. */
  #readInBand(element: Uint8Array): boolean {
    const reader = new BitReader(element);
    const isSame = reader.flag();
    const mux = isSame ? this.#mux : readStreamMux(reader, element);
    if (mux === null || !this.#align(element, reader, mux) || !this.#follow(mux.track)) return false;
    this.#mux = mux;
    this.#isCertain = true;
    return true;
  }

  /** Copies the frames to `#aligned`. */
  #align(element: Uint8Array, reader: BitReader, mux: StreamMux): boolean {
    if (this.#aligned.length < element.length) this.#aligned = new Uint8Array(2 * element.length);
    this.#ends.length = 0;
    let end = 0;
    for (let index = 0; index < mux.frames; index++) {
      let frameBytes = 0;
      let byte = LONGER;
      while (byte === LONGER && !reader.isOverrun) {
        byte = reader.bits(8);
        frameBytes += byte;
      }
      const from = element.length * 8 - reader.bitsLeft;
      reader.skip(frameBytes * 8);
      if (reader.isOverrun) return false;
      copyBits(element, from, frameBytes * 8, this.#aligned.subarray(end));
      end += frameBytes;
      this.#ends.push(end);
    }
    reader.skip(mux.otherDataBits);
    // Then only bits up to the end of a byte.
    return !reader.isOverrun && reader.bitsLeft < 8;
  }

  #follow(track: AacTrack): boolean {
    if (isSameBytes(track.audioSpecificConfig, this.#track.audioSpecificConfig)) return true;
    if (this.#changes === MAX_CHANGES) return false;
    this.#changes += 1;
    this.#track = track;
    this.#sink.onAudioTrack(track);
    return true;
  }

  #emitAligned(rtpTimestamp: number, arrivalMonoMs: number): void {
    let start = 0;
    this.#ends.forEach((end, index) => {
      if (end > start) this.#sink.onFrame(this.#aligned, start, end, rtpTimestamp, index, arrivalMonoMs);
      start = end;
    });
  }

  #emitPlain(element: Uint8Array, frames: number, rtpTimestamp: number, arrivalMonoMs: number): void {
    let at = 0;
    for (let index = 0; index < frames; index++) {
      let frameBytes = 0;
      let byte = LONGER;
      while (byte === LONGER && at < element.length) {
        byte = element[at++]!;
        frameBytes += byte;
      }
      if (byte === LONGER || at + frameBytes > element.length) {
        this.#sink.onDropped(frames - index, 'RTP_BAD_PAYLOAD');
        return;
      }
      if (frameBytes > 0)
        this.#sink.onFrame(element, at, at + frameBytes, rtpTimestamp, index, arrivalMonoMs);
      at += frameBytes;
    }
  }
}
