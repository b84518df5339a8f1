/**
 * Frames of a video recorder as segments like those of a live stream. A segment is handed on when it is complete: one that the
 * recorder broke off is requested again, and then begins with the same key frame.
 */

import { createHash } from 'node:crypto';
import type { CmafPart } from '../cmaf/part.ts';
import { Segmenter } from '../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../cmaf/segmenter-limits.ts';
import { ticksToMs } from '../cmaf/ticks.ts';
import { WallClock } from '../cmaf/wall-clock.ts';
import type { AccessUnit, Track } from '../codec/track.ts';
import type { RecordedPart } from '../recording/recording-writer.ts';

export interface PulledSegment {
  readonly parts: readonly { readonly part: RecordedPart; readonly bytes: Uint8Array }[];
  /** True time, epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly byteLength: number;
  readonly init: Uint8Array;
}

/** A key frame of the recording, and its true time: where the next session continues. */
export interface KeyMark {
  readonly digest: string;
  readonly atMs: number;
}

export interface PulledMediaOptions {
  /** Frames before this time are left out. */
  readonly fromMs: number;
  /** The key frame with which the next segment begins; null: any, from `fromMs` on or the last one before. */
  readonly mark: KeyMark | null;
  /** Frames of this time are left out, and all after them. */
  readonly isBeyond: (atMs: number) => boolean;
  readonly onSegment: (segment: PulledSegment) => void;
}

/** If the marked key frame does not come, the times decide from here on. */
const MARK_MISSED_MS = 10_000;
/** Recorders cut at whole seconds: an earlier key frame is the first one of the time. */
const MAX_EARLY_MS = 60_000;
/** Frames may be dated unevenly by this much; more is a gap in the recording. */
const MAX_UNEVEN_MS = 1_000;

export class PulledMedia {
  readonly #options: PulledMediaOptions;
  readonly #segmenter: Segmenter;
  #parts: PulledSegment['parts'][number][] = [];
  #startMs = 0;
  #byteLength = 0;
  #isStarted = false;
  /** True time minus the time that the session gives its frames. */
  #correctionMs = 0;
  #videoIndex = 0;
  #timescaleHz = 1;
  /** The newest key frame: times count from it. */
  #key: { readonly dtsTicks: number; readonly atMs: number } | null = null;
  #firstKey: KeyMark | null = null;
  #newestMs: number | null = null;
  #hasGoneBeyond = false;
  /** Key frames that may begin a segment, oldest first. */
  #marks: KeyMark[] = [];
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };

  constructor(options: PulledMediaOptions) {
    this.#options = options;
    this.#segmenter = new Segmenter({
      // A segment is one part where it can be: nobody waits for parts of the past.
      limits: { ...DEFAULT_SEGMENTER_LIMITS, wantedPartMs: DEFAULT_SEGMENTER_LIMITS.maxSegmentMs },
      content: 'video-and-audio',
      // Frames arrive when they were recorded.
      wallClock: new WallClock(0),
      onPart: (part) => this.#part(part),
    });
  }

  /** The first key frame of the session, as the session dates it; null: none has come. */
  get firstKey(): KeyMark | null {
    return this.#firstKey;
  }

  /** A frame was left out because of its time. */
  get hasGoneBeyond(): boolean {
    return this.#hasGoneBeyond;
  }

  /** True time of the newest frame; null: none has come. */
  get newestMs(): number | null {
    return this.#newestMs;
  }

  /** The key frame with which the first segment begins that was not handed on; null: there is none. */
  get openMark(): KeyMark | null {
    return this.#marks[0] ?? null;
  }

  setTracks(tracks: readonly Track[]): void {
    this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    this.#timescaleHz = tracks[this.#videoIndex]?.timescaleHz ?? 1;
    this.#key = null;
    this.#segmenter.setTracks(tracks);
  }

  /** Borrowed; dated by the session. */
  push(unit: AccessUnit): void {
    if (this.#hasGoneBeyond) return;
    const isPicture = unit.trackIndex === this.#videoIndex;
    if (isPicture && unit.isKey) this.#keyFrame(unit);
    if (!this.#isStarted || this.#hasGoneBeyond) return;
    const atMs = isPicture ? this.#timeOf(unit) : (this.#newestMs ?? unit.arrivalMonoMs + this.#correctionMs);
    if (isPicture) {
      this.#hasGoneBeyond = this.#options.isBeyond(atMs);
      if (this.#hasGoneBeyond) return;
      this.#newestMs = atMs;
    }
    const dated = this.#unit;
    dated.trackIndex = unit.trackIndex;
    dated.dtsTicks = unit.dtsTicks;
    dated.ptsTicks = unit.ptsTicks;
    dated.isKey = unit.isKey;
    dated.data = unit.data;
    dated.arrivalMonoMs = atMs;
    this.#segmenter.push(dated);
  }

  /** Hands on what is there of the open segment: the recording ends here. */
  finish(): void {
    this.#segmenter.discontinuity();
  }

  close(): void {
    this.#parts = [];
    this.#segmenter.close();
  }

  #keyFrame(unit: AccessUnit): void {
    const digest = createHash('sha256').update(unit.data).digest('base64url');
    const sessionMs = unit.arrivalMonoMs;
    this.#firstKey ??= { digest, atMs: sessionMs };
    if (!this.#isStarted) {
      const { mark, fromMs } = this.#options;
      if (mark !== null && digest === mark.digest) this.#correctionMs = mark.atMs - sessionMs;
      else if (mark !== null && sessionMs < mark.atMs + MARK_MISSED_MS) return;
      else if (mark === null && sessionMs < fromMs - MAX_EARLY_MS) return;
      this.#isStarted = true;
    }
    const atMs = sessionMs + this.#correctionMs;
    const expectedMs = this.#key === null ? atMs : this.#timeOf(unit);
    const isGap = Math.abs(atMs - expectedMs) > MAX_UNEVEN_MS;
    this.#hasGoneBeyond = this.#options.isBeyond(isGap ? atMs : expectedMs);
    if (this.#hasGoneBeyond) return;
    if (isGap) this.#segmenter.discontinuity();
    // Small differences are noise: the frames' own distances count.
    this.#key = { dtsTicks: unit.dtsTicks, atMs: isGap || this.#key === null ? atMs : expectedMs };
    this.#marks.push({ digest, atMs: this.#key.atMs });
  }

  #timeOf({ dtsTicks, arrivalMonoMs }: AccessUnit): number {
    const key = this.#key;
    if (key === null) return arrivalMonoMs + this.#correctionMs;
    return key.atMs + ticksToMs(dtsTicks - key.dtsTicks, this.#timescaleHz);
  }

  #part(part: CmafPart): void {
    const bytes = part.bytes.join();
    part.bytes.release();
    if (part.isSegmentStart) {
      this.#parts = [];
      this.#byteLength = 0;
      this.#startMs = part.epochMs;
    }
    const { tracks, timescaleHz, startTicks, durationTicks, pictures, epochMs } = part;
    const { isSegmentStart, isSegmentEnd } = part;
    const isDiscontinuity = isSegmentStart && part.hasDiscontinuity;
    const recorded = { timescaleHz, startTicks, durationTicks, pictures, epochMs };
    this.#parts.push({
      part: { ...recorded, isSegmentStart, isSegmentEnd, isDiscontinuity, init: null },
      bytes,
    });
    this.#byteLength += bytes.length;
    if (!isSegmentEnd) return;
    const endMs = epochMs + ticksToMs(durationTicks, timescaleHz);
    this.#marks = this.#marks.filter(({ atMs }) => atMs >= endMs - 1);
    const segment = { parts: this.#parts, startMs: this.#startMs, endMs, byteLength: this.#byteLength };
    this.#parts = [];
    this.#options.onSegment({ ...segment, init: tracks.init });
  }
}
