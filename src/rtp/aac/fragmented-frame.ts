/**
 * Packets with one AU header and at most the bytes it announces: a frame, or a fragment of one (RFC 3640 §3.2.3.1). All
 * fragments have the frame's timestamp, and the last one is marked (§3.1). The AU header can mean two things:
 *
 * - The size of the whole frame, as the standard says: the frame is complete when its bytes are there.
 * - The size of the fragment (gortsplib's packetizer: MediaMTX as a camera). Then a packet without a marker is a
 *   fragment, and the marker ends the frame. But cameras that do not use the marker send whole frames the same way. So
 *   an unmarked packet waits for the next one: if that one has a different timestamp, the first was a whole frame, and
 *   markers are ignored from then on.
 */

import type { RtpErrorCode } from '../errors.ts';
import { FrameScratch } from '../frame-scratch.ts';

export interface FragmentedFrameEvents {
  /** `chunk[start, end)` is borrowed. */
  onFrame(chunk: Uint8Array, start: number, end: number, rtpTimestamp: number, arrivalMonoMs: number): void;
  /** One frame was dropped. */
  onDropped(code: RtpErrorCode): void;
}

/** Eight times the longest AAC-hbr frame (13 bits of size). */
const MAX_FRAME_BYTES = 64 * 1024;
/** True if `#announcedBytes` is the fragment's size: the marker ends the frame. */
const UNKNOWN = 0;
const NO_TIMESTAMP = -1;

export class FragmentedFrame {
  readonly #events: FragmentedFrameEvents;
  readonly #scratch = new FrameScratch();
  #pieces = 0;
  #announcedBytes = UNKNOWN;
  #rtpTimestamp = 0;
  #arrivalMonoMs = 0;
  /** A dropped frame's timestamp: its remaining fragments are skipped. */
  #brokenTimestamp = NO_TIMESTAMP;
  #areMarkersUsed = true;

  constructor(events: FragmentedFrameEvents) {
    this.#events = events;
  }

  /** The bytes after the AU header; `frameBytes`: the size in the header, at least the number of bytes present. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    frameBytes: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    const isWhole = frameBytes === end - start;
    const announcedBytes = isWhole ? UNKNOWN : frameBytes;
    const isNext = this.#rtpTimestamp === rtpTimestamp && this.#announcedBytes === announcedBytes;
    if (this.#pieces > 0 && !isNext) this.#resolve();
    if (rtpTimestamp === this.#brokenTimestamp) return;
    this.#brokenTimestamp = NO_TIMESTAMP;
    if (isWhole && this.#pieces === 0 && (isMarked || !this.#areMarkersUsed)) {
      this.#events.onFrame(chunk, start, end, rtpTimestamp, arrivalMonoMs);
      return;
    }
    this.#rtpTimestamp = rtpTimestamp;
    this.#arrivalMonoMs = arrivalMonoMs;
    this.#announcedBytes = announcedBytes;
    this.#pieces += 1;
    this.#gather(chunk, start, end, isMarked);
  }

  /** Packets are missing before the next one. */
  gap(): void {
    if (this.#pieces > 0) this.#brokenTimestamp = this.#rtpTimestamp;
    this.#forget();
  }

  /** Something other than a fragment follows. */
  end(code: RtpErrorCode): void {
    if (this.#pieces > 0) this.#resolve(code);
    this.#brokenTimestamp = NO_TIMESTAMP;
  }

  #gather(chunk: Uint8Array, start: number, end: number, isMarked: boolean): void {
    const scratch = this.#scratch;
    const room = this.#announcedBytes === UNKNOWN ? MAX_FRAME_BYTES : this.#announcedBytes;
    if (this.#announcedBytes === UNKNOWN && scratch.length + end - start > room) {
      this.#events.onDropped('RTP_FRAME_TOO_LARGE');
      this.#brokenTimestamp = this.#rtpTimestamp;
      this.#forget();
      return;
    }
    scratch.append(chunk, start, Math.min(end, start + room - scratch.length));
    const isComplete = this.#announcedBytes === UNKNOWN ? isMarked : scratch.length === room;
    if (isComplete) this.#emit();
  }

  /** The gathered fragments are complete. */
  #resolve(code: RtpErrorCode = 'RTP_BAD_PAYLOAD'): void {
    const isLoneFrame = this.#announcedBytes === UNKNOWN && this.#pieces === 1;
    if (isLoneFrame) {
      this.#areMarkersUsed = false;
      this.#emit();
      return;
    }
    this.#events.onDropped(code);
    this.#forget();
  }

  #emit(): void {
    const bytes = this.#scratch.view();
    this.#forget();
    this.#events.onFrame(bytes, 0, bytes.length, this.#rtpTimestamp, this.#arrivalMonoMs);
  }

  #forget(): void {
    this.#scratch.truncate(0);
    this.#pieces = 0;
  }
}
