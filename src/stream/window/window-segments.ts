/**
 * The segments that a live window holds, in order of their numbers: first the former ones, from before the numbers jumped, then those
 * that left the playlist, then those that it lists. There is a gap wherever the numbers jumped, and no other. A manifest
 * can have gaps: it lists the former ones that the playlist listed when the numbers jumped, as long as the window lasts.
 */

import { shownInit } from '../../cmaf/packaged-tracks.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { Clock } from '../../core/clock.ts';
import type { HeldSpan, RecentMedia } from '../media/live-media.ts';
import { isSameStretch } from '../media/timed-segment.ts';
import { LiveSegment, type LiveSegmentState } from './live-segment.ts';

/** Limit for a camera that keeps breaking its timeline. */
const MAX_LISTED_SEGMENTS = 128;
/**
 * Fraction of `maxWindowBytes` that may still be on loan from forgotten segments. Beyond it the oldest are recalled, so
 * that only slow viewers of old video make room.
 */
const OVERDUE_SHARE = 0.25;

export interface WindowSegmentsState<Bytes> {
  readonly segments: readonly LiveSegmentState<Bytes>[];
  /** How many of them are from before the numbers jumped. */
  readonly former: number;
  readonly listedFrom: number;
  /** Position of the first one that a manifest lists. */
  readonly inManifestFrom: number;
}

export class WindowSegments {
  readonly overdue: OverdueSegments;
  byteLength = 0;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #onForgotten: (msn: number) => void;
  readonly #all: LiveSegment[] = [];
  #former = 0;
  /** Position of the first listed segment. */
  #listedFrom = 0;
  /** Position of the first one that a manifest lists: a former one, or the first listed one. */
  #inManifestFrom = 0;

  constructor(clock: Clock, maxBytes: number, onForgotten: (msn: number) => void) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#onForgotten = onForgotten;
    this.overdue = new OverdueSegments(maxBytes);
  }

  /** The former ones are none of them. */
  get newest(): LiveSegment | undefined {
    return this.#all.length > this.#former ? this.#all.at(-1) : undefined;
  }

  /** `from`: without as many at the front. */
  listed(from = 0): LiveSegment[] {
    return this.#all.slice(this.#listedFrom + from);
  }

  /**
   * The segments that a manifest lists. Other nodes may have more of an incomplete former segment. It is listed only if no
   * earlier segment of its stretch is known: without it, players of that Period would stop.
   */
  inManifest(): LiveSegment[] {
    const listed = this.listed();
    if (this.#inManifestFrom === this.#listedFrom) return listed;
    const former = this.#all.slice(this.#inManifestFrom, this.#former);
    return [...former.filter((segment) => segment.isComplete || this.#isFirst(segment)), ...listed];
  }

  /** The listed one with `position` others before it. */
  listedAt(position: number): LiveSegment | undefined {
    return this.#all[this.#listedFrom + position];
  }

  find(msn: number): LiveSegment | undefined {
    const first = this.#all[this.#former];
    if (first !== undefined && msn >= first.msn) return this.#all[this.#former + msn - first.msn];
    for (let at = 0; at < this.#former; at++) if (this.#all[at]!.msn === msn) return this.#all[at];
    return undefined;
  }

  /** The init segment with this name; null: none of them has it. */
  init(name: string): Buffer | null {
    const segment = this.#all.findLast(({ initName }) => initName === name);
    return segment === undefined ? null : shownInit(segment.tracks).init;
  }

  /** A copy of the one that shows this instant; null: none does, or it is larger. */
  recentAt(epochMs: number, maxBytes: number): RecentMedia | null {
    const segment = this.#showing(epochMs);
    if (segment === null || segment.byteLength > maxBytes) return null;
    const { tracks, isComplete, durationMs } = segment;
    return {
      init: tracks.init,
      bytes: segment.copy(),
      epochMs: segment.epochMs,
      openDurationMs: isComplete ? null : durationMs,
      previous: (maxPreviousBytes) => {
        const previous = this.#previousOf(segment);
        return previous === null || previous.byteLength > maxPreviousBytes ? null : previous.copy();
      },
    };
  }

  /** The times that are shown, in order. */
  spans(): HeldSpan[] {
    const spans: { startMs: number; endMs: number }[] = [];
    let before: LiveSegment | null = null;
    for (const segment of this.#all) {
      const endMs = segment.epochMs + segment.durationMs;
      if (before !== null && isSameStretch(before.stretch, segment.stretch)) spans.at(-1)!.endMs = endMs;
      else spans.push({ startMs: segment.epochMs, endMs });
      before = segment;
    }
    return spans;
  }

  push(segment: LiveSegment): void {
    this.#all.push(segment);
  }

  /** `windowMs`: what the list needs; `elapsedMs`: duration of all complete segments so far. */
  trim(windowMs: number, elapsedMs: number): void {
    let listedMs = this.#spanMs(this.#listedFrom);
    for (;;) {
      const oldest = this.#all[this.#listedFrom]!;
      const listed = this.#all.length - this.#listedFrom;
      if (listedMs - oldest.durationMs < windowMs && listed <= MAX_LISTED_SEGMENTS) break;
      this.#unlist(oldest, elapsedMs, listedMs);
      listedMs -= oldest.durationMs;
    }
    this.#trimManifest(windowMs);
    while (this.#listedFrom > 0 && this.#all[0]!.forgetAtMs <= elapsedMs) this.#forgetOldest();
  }

  boundMemory(): void {
    while (this.byteLength > this.#maxBytes && this.#all.length > 1) this.#forgetOldest();
  }

  /** The next number is a higher one: all leave the list. As after every other departure from it, viewers who know them get them for a while. */
  jump(elapsedMs: number): void {
    if (this.newest === undefined) return;
    for (let listedMs = this.#spanMs(this.#listedFrom); this.#listedFrom < this.#all.length; ) {
      const oldest = this.#all[this.#listedFrom]!;
      this.#unlist(oldest, elapsedMs, listedMs);
      listedMs -= oldest.durationMs;
    }
    this.#former = this.#all.length;
  }

  forgetAll(): void {
    while (this.#all.length > 0) this.#forgetOldest();
  }

  state(): WindowSegmentsState<PackedBytes | Buffer> {
    const segments = this.#all.map((segment) => segment.state());
    return {
      segments,
      former: this.#former,
      listedFrom: this.#listedFrom,
      inManifestFrom: this.#inManifestFrom,
    };
  }

  become(state: WindowSegmentsState<PackedBytes | Buffer>): void {
    const { segments, former, listedFrom, inManifestFrom } = state;
    this.forgetAll();
    this.#all.push(...segments.map((segment) => LiveSegment.of(segment)));
    this.byteLength = this.#all.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#former = former;
    this.#listedFrom = listedFrom;
    this.#inManifestFrom = inManifestFrom;
  }

  /** How many listed ones end at least `distanceMs` before the end of the list. */
  listedBefore(distanceMs: number): number {
    let endsBeforeMs = 0;
    for (let i = this.#all.length - 1; i >= this.#listedFrom; i--) {
      if (endsBeforeMs >= distanceMs) return i + 1 - this.#listedFrom;
      endsBeforeMs += this.#all[i]!.durationMs;
    }
    return 0;
  }

  /** The one that shows this instant. Wall time moves a little against durations: nothing is between two that follow each other. */
  #showing(epochMs: number): LiveSegment | null {
    const index = this.#all.findLastIndex((each) => each.epochMs <= epochMs);
    const segment = this.#all[index];
    if (segment === undefined) return null;
    if (segment.epochMs + segment.durationMs > epochMs) return segment;
    const next = this.#all[index + 1];
    return next !== undefined && isSameStretch(next.stretch, segment.stretch) ? segment : null;
  }

  /** The one that it continues without a break. */
  #previousOf(segment: LiveSegment): LiveSegment | null {
    const previous = this.#all[this.#all.indexOf(segment) - 1];
    return previous !== undefined && isSameStretch(previous.stretch, segment.stretch) ? previous : null;
  }

  /** The former ones leave it first, as the window fills again. */
  #trimManifest(windowMs: number): void {
    const isFull = this.#listedFrom > this.#former;
    let spanMs = isFull ? 0 : this.#spanMs(this.#inManifestFrom);
    while (this.#inManifestFrom < this.#listedFrom) {
      const oldest = this.#all[this.#inManifestFrom]!;
      const count = this.#all.length - this.#inManifestFrom;
      if (!isFull && spanMs - oldest.durationMs < windowMs && count <= MAX_LISTED_SEGMENTS) break;
      spanMs -= oldest.durationMs;
      this.#inManifestFrom++;
    }
  }

  /** Whether it begins a stretch: nothing of that was complete. */
  #isFirst({ msn, stretch }: LiveSegment): boolean {
    const before = this.find(msn - 1);
    return before === undefined || !isSameStretch(before.stretch, stretch);
  }

  /** Duration of those from this position on. */
  #spanMs(from: number): number {
    let spanMs = 0;
    for (let i = from; i < this.#all.length; i++) spanMs += this.#all[i]!.durationMs;
    return spanMs;
  }

  /** Its own duration and that of the list (RFC 8216bis §6.2.2). */
  #unlist(oldest: LiveSegment, elapsedMs: number, listedMs: number): void {
    oldest.forgetAtMs = elapsedMs + oldest.durationMs + listedMs;
    this.#listedFrom++;
  }

  #forgetOldest(): void {
    const forgotten = this.#all.shift()!;
    this.byteLength -= forgotten.byteLength;
    forgotten.forget(this.#clock.monoMs());
    this.overdue.add(forgotten);
    this.#former = Math.max(0, this.#former - 1);
    this.#listedFrom = Math.max(0, this.#listedFrom - 1);
    this.#inManifestFrom = Math.max(0, this.#inManifestFrom - 1);
    this.#onForgotten(forgotten.msn);
  }
}

/** Segments that the window has forgotten while slow viewers still read them. */
class OverdueSegments {
  readonly #maxWindowBytes: number;
  /** Still on loan at the last check, oldest first. */
  #segments: LiveSegment[] = [];

  constructor(maxWindowBytes: number) {
    this.#maxWindowBytes = maxWindowBytes;
  }

  /** Bytes on loan now. */
  get byteLength(): number {
    return this.#segments.reduce((sum, segment) => sum + (segment.isOnLoan ? segment.byteLength : 0), 0);
  }

  /** It was just forgotten. */
  add(segment: LiveSegment): void {
    if (segment.isOnLoan) this.#segments.push(segment);
  }

  /** The most recently forgotten one has only just become overdue: it is not recalled for its size. */
  bound(): void {
    if (this.#segments.length === 0) return;
    this.#segments = this.#segments.filter((segment) => segment.isOnLoan);
    let overBytes = this.byteLength - this.#maxWindowBytes * OVERDUE_SHARE;
    for (let i = 0; i < this.#segments.length - 1 && overBytes > 0; i++) {
      this.#segments[i]!.recall();
      overBytes -= this.#segments[i]!.byteLength;
    }
  }
}
