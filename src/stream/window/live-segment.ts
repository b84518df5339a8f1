/** One Media Segment of the live window: its bytes and the text of its playlist lines. */

import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import { ticksToMs } from '../../cmaf/ticks.ts';
import { type SegmentHead, SegmentText, type SegmentTextState } from '../../hls/segment-text.ts';
import type { LentMedia } from '../media/live-media.ts';
import type { Stretch, TimedSegment } from '../media/timed-segment.ts';
import { type Lender, LivePart } from './live-part.ts';

/**
 * How long a response may continue after its segment was forgotten, which is a playlist's duration after it left the
 * list.
 */
export const MAX_OVERDUE_MS = 10_000;

/** A segment as plain values, and its bytes. */
export interface LiveSegmentState<Bytes> {
  readonly discontinuitySequence: number;
  readonly tracks: PackagedTracks;
  readonly text: SegmentTextState;
  readonly stretch: Stretch;
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly pictures: number;
  readonly isComplete: boolean;
  readonly forgetAtMs: number;
  /** In order. */
  readonly parts: readonly Bytes[];
}

export class LiveSegment implements Lender, TimedSegment {
  readonly msn: number;
  readonly discontinuitySequence: number;
  readonly initName: string;
  readonly tracks: PackagedTracks;
  text: SegmentText;
  readonly stretch: Stretch;
  readonly startTicks: number;
  readonly epochMs: number;
  isComplete = false;
  byteLength = 0;
  pictures = 0;
  durationTicks = 0;
  /** Window time at which it may be forgotten, once it has left the playlist. */
  forgetAtMs = Number.POSITIVE_INFINITY;
  /** In order; their concatenation is the segment. */
  readonly #parts: LivePart[] = [];
  #whole: LivePart | null = null;
  /** Open loans of any of the bytes. */
  #loans = 0;
  /** Parts that became views of the whole while something was on loan. */
  #replaced: LivePart[] = [];
  #isForgotten = false;
  #recallAtMonoMs = Number.POSITIVE_INFINITY;

  /** `startTicks`: of its first frame; the parts have the timescale of `stretch`. */
  constructor(
    head: SegmentHead,
    discontinuitySequence: number,
    tracks: PackagedTracks,
    stretch: Stretch,
    startTicks: number,
  ) {
    this.msn = head.msn;
    this.discontinuitySequence = discontinuitySequence;
    this.initName = head.initUri;
    this.tracks = tracks;
    this.text = new SegmentText(head);
    this.stretch = stretch;
    this.startTicks = startTicks;
    this.epochMs = head.epochMs;
  }

  static of(state: LiveSegmentState<PackedBytes | Buffer>): LiveSegment {
    const { text, discontinuitySequence, tracks, stretch, startTicks } = state;
    const segment = new LiveSegment(text.head, discontinuitySequence, tracks, stretch, startTicks);
    segment.text = SegmentText.of(text);
    for (const bytes of state.parts) segment.#hold(bytes);
    segment.pictures = state.pictures;
    segment.durationTicks = state.durationTicks;
    segment.isComplete = state.isComplete;
    segment.forgetAtMs = state.forgetAtMs;
    return segment;
  }

  /** The state, with bytes as LivePart provides them. The caller releases them. */
  state(): LiveSegmentState<PackedBytes | Buffer> {
    const { discontinuitySequence, tracks, stretch, startTicks, durationTicks, pictures } = this;
    const { isComplete, forgetAtMs } = this;
    return {
      discontinuitySequence,
      tracks,
      stretch,
      startTicks,
      durationTicks,
      pictures,
      isComplete,
      forgetAtMs,
      text: this.text.state(),
      parts: this.#parts.map((part) => part.shared()),
    };
  }

  get partCount(): number {
    return this.#parts.length;
  }

  get durationMs(): number {
    return ticksToMs(this.durationTicks, this.stretch.timescaleHz);
  }

  /** Highest number that EXT-X-TARGETDURATION is compared with (RFC 8216bis §4.4.3.1). */
  get roundedDurationSec(): number {
    return Math.round(this.durationTicks / this.stretch.timescaleHz);
  }

  lendPart(index: number): LentMedia | undefined {
    const part = this.#parts[index];
    if (part !== undefined) this.#loans++;
    return part;
  }

  /**
   * The complete segment in one piece, which is cheaper to send than its parts one after the other. Made on first
   * request, since low-latency players never need it; the parts are views of it from then on.
   */
  lendWhole(): LentMedia {
    this.#whole ??= this.#join();
    this.#loans++;
    return this.#whole;
  }

  /** Its bytes so far, which belong to the caller. */
  copy(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.byteLength);
    let at = 0;
    for (const part of this.#parts) {
      part.copyTo(bytes, at);
      at += part.byteLength;
    }
    return bytes;
  }

  add(part: CmafPart): void {
    this.#hold(part.bytes);
    this.pictures += part.pictures;
    this.durationTicks += part.durationTicks;
    this.text.addPart(part.durationTicks, part.timescaleHz, part.isIndependent);
  }

  complete(): void {
    this.isComplete = true;
    this.text.end(this.durationTicks, this.stretch.timescaleHz);
  }

  /** Nothing is lent anymore; the memory is free as soon as nothing is on loan. Open loans have a while to end. */
  forget(nowMonoMs: number): void {
    this.#isForgotten = true;
    this.#recallAtMonoMs = nowMonoMs + MAX_OVERDUE_MS;
    if (this.#loans === 0) this.#free();
  }

  get isOnLoan(): boolean {
    return this.#loans > 0;
  }

  /** The memory is needed now. */
  recall(): void {
    this.#recallAtMonoMs = Number.NEGATIVE_INFINITY;
  }

  isRecalled(nowMonoMs: number): boolean {
    return nowMonoMs >= this.#recallAtMonoMs;
  }

  endLoan(): void {
    this.#loans--;
    if (this.#loans > 0) return;
    this.#freeReplaced();
    if (this.#isForgotten) this.#free();
  }

  #hold(bytes: PackedBytes | Buffer): void {
    this.#parts.push(new LivePart(bytes, this));
    this.byteLength += bytes.byteLength;
  }

  #join(): LivePart {
    const bytes = Buffer.allocUnsafeSlow(this.byteLength);
    let at = 0;
    for (const [index, part] of this.#parts.entries()) {
      part.copyTo(bytes, at);
      this.#parts[index] = new LivePart(bytes.subarray(at, at + part.byteLength), this);
      this.#replaced.push(part);
      at += part.byteLength;
    }
    if (this.#loans === 0) this.#freeReplaced();
    return new LivePart(bytes, this);
  }

  #freeReplaced(): void {
    for (const part of this.#replaced) part.free();
    this.#replaced = [];
  }

  #free(): void {
    if (this.#whole !== null) this.#whole.free();
    else for (const part of this.#parts) part.free();
  }
}
