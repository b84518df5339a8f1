/**
 * The segments of a range of the past, numbered, of one rendition. A number keeps its segment: a range that reaches into the present
 * only grows at its end, and what retention deletes keeps its number while the timeline is known.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { type ByteSpan, endEpochMs, type RecordedSegment } from '../recording/segment-index.ts';
import type { PrivacyMask } from '../store/privacy-mask.ts';
import { folderOf } from './filled-gaps.ts';
import type { PastRange } from './past-range.ts';
import { SegmentWork } from './segment-work.ts';

/** Whose past it is. */
export interface PastCamera {
  /** The viewer's, which can be a masked one. */
  readonly uuid: Ruuid;
  /** The one that is recorded. */
  readonly recordedUuid: Ruuid;
  /** Burned into all that is shown of it; null: it has none. */
  readonly masks: readonly PrivacyMask[] | null;
}

/** Segments with one timeline and one Media Initialization Section, without a gap in between. */
export interface PastRun {
  /** Counts from 1. */
  readonly number: number;
  readonly camera: PastCamera;
  /** Where its Media Initialization Section is. */
  readonly file: string;
  readonly init: ByteSpan;
  /** Its first segment that is in the range. */
  readonly first: RecordedSegment;
}

export interface PastSegment {
  /** Counts from 1. */
  readonly number: number;
  readonly file: string;
  readonly fileNumber: number;
  readonly run: PastRun;
  readonly media: RecordedSegment;
}

export class PastTimeline {
  readonly range: PastRange;
  readonly camera: PastCamera;
  /** More of the range is being pulled from a video recorder. */
  isGrowing = false;
  /** For each segment, the discontinuities before it, as they count for all renditions of the range (shared-discontinuities.ts). */
  readonly discontinuities: number[] = [];
  /** The same time of the substream; null: it has nothing of its own. */
  sub: PastTimeline | null = null;
  /** Of a substream: that of the main stream. */
  readonly main: PastTimeline | null;
  readonly #segments: PastSegment[] = [];
  #runs: PastRun[] = [];
  /** The offset of the last known segment of each file. */
  readonly #offsets = new Map<string, number>();

  constructor(camera: PastCamera, range: PastRange, main: PastTimeline | null = null) {
    this.camera = camera;
    this.range = range;
    this.main = main;
  }

  get segments(): readonly PastSegment[] {
    return this.#segments;
  }

  get runs(): readonly PastRun[] {
    return this.#runs;
  }

  segment(number: number): PastSegment | null {
    return this.#segments[number - 1] ?? null;
  }

  run(number: number): PastRun | null {
    return this.#runs[number - 1] ?? null;
  }

  /** The timeline may grow from this time on, epoch milliseconds. */
  get endMs(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? this.range.fromMs : endEpochMs(last.media);
  }

  /** Adds segments after the known ones; the rest of `files` is known already. In slices; one at a time. */
  async extend(files: readonly FoundFile[]): Promise<void> {
    const work = new SegmentWork();
    for (const { name, number, segments } of files) {
      for (const media of segments) {
        const last = this.#segments.at(-1);
        const isKnown = media.offset <= (this.#offsets.get(name) ?? Number.NEGATIVE_INFINITY);
        if (!isKnown && !isLateFill(last, name, media)) this.#add(name, number, media, last);
        if (work.step()) await work.pause();
      }
    }
  }

  #add(file: string, fileNumber: number, media: RecordedSegment, last: PastSegment | undefined): void {
    let run = this.#runs.at(-1);
    if (run === undefined || last === undefined || !continues(last, file, media)) {
      run = {
        number: this.#runs.length + 1,
        camera: this.camera,
        file,
        init: media.init,
        first: media,
      };
      this.#runs.push(run);
    }
    this.#offsets.set(file, media.offset);
    this.#segments.push({ number: this.#segments.length + 1, file, fileNumber, run, media });
  }
}

/** Another stream's segment, for a time before the last known one: that time is a gap for good. */
function isLateFill(last: PastSegment | undefined, name: string, { epochMs }: RecordedSegment): boolean {
  return last !== undefined && folderOf(name) !== folderOf(last.file) && epochMs < last.media.epochMs;
}

/** The Media Initialization Section of a run is the same in the next file: other tracks are a discontinuity. */
function continues(last: PastSegment, file: string, next: RecordedSegment): boolean {
  const { media } = last;
  return (
    !next.isDiscontinuity &&
    next.timescaleHz === media.timescaleHz &&
    next.startTicks === media.startTicks + media.durationTicks &&
    (file !== last.file || next.init.offset === media.init.offset)
  );
}

/** Half-open, epoch milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether all of the segment lies in one of the spans, which are in order. */
export function isWithin(segment: PastSegment, spans: readonly TimeSpan[]): boolean {
  return spanOf(segment, spans) >= 0;
}

/** The index of the span in which all of the segment lies; -1: there is none. */
export function spanOf({ media }: PastSegment, spans: readonly TimeSpan[]): number {
  const endMs = endEpochMs(media);
  return spans.findIndex(({ fromMs, toMs }) => media.epochMs >= fromMs && endMs <= toMs);
}
