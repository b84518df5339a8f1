/**
 * Splits RTP payloads of MP4A-LATM into raw AAC frames. A payload is an audioMuxElement or a fragment of one; the last
 * fragment has the marker. RFC 6416 §6.3; ISO/IEC 14496-3 §1.7.3, PayloadLengthInfo and PayloadMux.
 */

import { FrameScratch } from '../frame-scratch.ts';
import type { AacFrameSink } from './aac-depacketizer.ts';

/** An element of 64 frames of the largest possible size. */
const MAX_ELEMENT_BYTES = 512 * 1024;
const LONGER = 255;

export class LatmDepacketizer {
  readonly #sink: AacFrameSink;
  readonly #frames: number;
  readonly #scratch = new FrameScratch();
  #elementTimestamp = 0;
  /** Packets of the element are missing: the rest is skipped. */
  #isBroken = false;

  /** `frames`: number per element. */
  constructor(frames: number, sink: AacFrameSink) {
    this.#frames = frames;
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
    let at = 0;
    for (let index = 0; index < this.#frames; index++) {
      let frameBytes = 0;
      let byte = LONGER;
      while (byte === LONGER && at < element.length) {
        byte = element[at++]!;
        frameBytes += byte;
      }
      if (byte === LONGER || at + frameBytes > element.length) {
        this.#sink.onDropped(this.#frames - index, 'RTP_BAD_PAYLOAD');
        return;
      }
      if (frameBytes > 0)
        this.#sink.onFrame(element, at, at + frameBytes, rtpTimestamp, index, arrivalMonoMs);
      at += frameBytes;
    }
  }
}
