/**
 * Writes the segments of a playlist to a worker's standard input as if they came live: each segment's bytes over its
 * duration. Otherwise the worker would pass everything on in one burst per segment.
 */

import type { Writable } from 'node:stream';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import type { MediaSegment } from './playlist.ts';
import type { SegmentConsumer } from './segment-consumer.ts';

/** Between two writes. */
const STEP_MS = 40;
/** With more than this waiting, it is written a little faster. */
const COMFORTABLE_SEGMENTS = 4;
/** A worker reads this much before it passes anything on, so the feed writes it immediately. */
const PROBED_MS = 1_000;
const CATCH_UP_SPEED = 1.05;

interface FedSegment {
  readonly bytes: Buffer;
  readonly durationMs: number;
}

export class PacedFeed implements SegmentConsumer {
  readonly #clock: Clock;
  #stdin: Writable | null = null;
  #init: Buffer | null = null;
  readonly #queue: FedSegment[] = [];
  /** Bytes of the first segment that have been written. */
  #written = 0;
  #stepMonoMs = 0;
  #timer: TimerHandle | null = null;
  #onDrained: (() => void) | null = null;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A worker is ready. The previous one, if any, is gone; media that it has read is not repeated. */
  attach(stdin: Writable): void {
    this.#stdin = stdin;
    if (this.#init !== null) stdin.write(this.#init);
    // A new worker begins with a whole segment.
    if (this.#written > 0) this.#next();
    this.#stepMonoMs = this.#clock.monoMs() - PROBED_MS;
    this.#schedule();
  }

  init(bytes: Buffer): void {
    if (this.#init?.equals(bytes)) return;
    // A demuxer reads one header.
    if (this.#init !== null) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_MEDIA_CHANGED);
    this.#init = bytes;
    this.#stdin?.write(bytes);
  }

  segment(bytes: Buffer, { durationMs }: MediaSegment): void {
    if (this.#isClosed) return;
    if (this.#queue.length === 0) this.#stepMonoMs = this.#clock.monoMs();
    this.#queue.push({ bytes, durationMs });
    this.#schedule();
  }

  missed(): void {
    // The worker sees that time has passed.
  }

  get waitingMs(): number {
    return this.#queue.reduce((sum, { durationMs }) => sum + durationMs, 0);
  }

  get waitingBytes(): number {
    return this.#queue.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  drained(): Promise<void> {
    if (this.#isClosed || this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#queue.length = 0;
    this.#onDrained?.();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#stdin === null || this.#queue.length === 0) return;
    this.#timer = this.#clock.after(STEP_MS, () => {
      this.#timer = null;
      this.#step();
      this.#schedule();
    });
  }

  /** A worker that does not read gets nothing more: its own watch ends it. */
  #step(): void {
    const nowMonoMs = this.#clock.monoMs();
    const speed = this.#queue.length > COMFORTABLE_SEGMENTS ? CATCH_UP_SPEED : 1;
    let passedMs = (nowMonoMs - this.#stepMonoMs) * speed;
    this.#stepMonoMs = nowMonoMs;
    if (this.#stdin === null || this.#stdin.writableNeedDrain) return;
    for (let first = this.#queue[0]; first !== undefined && passedMs >= 0; first = this.#queue[0]) {
      const { bytes, durationMs } = first;
      const bytesPerMs = bytes.length / Math.max(1, durationMs);
      const until = Math.min(bytes.length, this.#written + Math.ceil(passedMs * bytesPerMs));
      passedMs -= (until - this.#written) / bytesPerMs;
      this.#stdin.write(bytes.subarray(this.#written, until));
      this.#written = until;
      if (until < bytes.length) return;
      this.#next();
    }
  }

  #next(): void {
    this.#queue.shift();
    this.#written = 0;
    if (this.#queue.length === 0) this.#onDrained?.();
  }
}
