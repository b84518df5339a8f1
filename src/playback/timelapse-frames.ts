/**
 * Which key frames a timelapse consists of: evenly over the time that was recorded, from the index of the recordings
 * alone. Of however many segments, a bounded number is in memory. docs/design/clips.md#timelapses.
 */

import { GatewayError } from '../core/errors.ts';
import { endEpochMs, type RecordedSegment, type RecordedStream } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { RecordedPlaces } from './recorded-places.ts';
import { SegmentWork } from './segment-work.ts';
import type { ShownTime } from './shown-time.ts';

/** The first frame of a segment, which can be decoded alone. */
export interface ChosenFrame {
  readonly name: string;
  readonly segment: RecordedSegment;
  /** When the movie shows it, from its beginning. */
  readonly atMs: number;
}

export interface TimelapseFrames {
  /** In order; at least one. */
  readonly frames: readonly ChosenFrame[];
  readonly durationMs: number;
}

/** Segments are requested for at most this time in one step: 10,800 of 2 s. */
const WINDOW_MS = 6 * 3_600_000;
/** Frame rate of the movie. */
export const MAX_FRAMES_PER_SEC = 30;
/** Half of a frame's time: clocks of cameras are not that regular. */
const SHORTEST_FRAME_MS = 500 / MAX_FRAMES_PER_SEC;
/** Segments that are kept to choose from, per frame of the movie. */
const CANDIDATES_PER_FRAME = 4;

/**
 * `spans`: ascending, without overlaps. `durationMs`: of the movie; it is shorter if less than that was recorded, so it is
 * never slower than the camera was. Fails RANGE_EMPTY if nothing was recorded in the spans, MOVIE_CANCELED, or like
 * `places`.
 */
export async function chooseTimelapseFrames(
  places: Pick<RecordedPlaces, 'segments'>,
  stream: RecordedStream,
  spans: readonly ShownTime[],
  durationMs: number,
  signal: AbortSignal,
): Promise<TimelapseFrames> {
  const mostFrames = Math.max(1, Math.floor((durationMs / 1_000) * MAX_FRAMES_PER_SEC));
  const candidates = new Candidates(mostFrames * CANDIDATES_PER_FRAME);
  const work = new SegmentWork();
  for (const span of spans) {
    for (let fromMs = span.fromMs; fromMs < span.toMs; fromMs += WINDOW_MS) {
      const toMs = Math.min(span.toMs, fromMs + WINDOW_MS);
      for (const { name, segments } of await places.segments(stream, fromMs, toMs)) {
        for (const segment of segments) {
          // One that began before has its key frame there.
          if (segment.epochMs >= fromMs && segment.epochMs < toMs) {
            candidates.add(name, segment, Math.min(span.toMs, endEpochMs(segment)) - segment.epochMs);
          }
          if (work.step()) await work.pause();
        }
      }
      if (signal.aborted) throw new GatewayError(PLAYBACK_ERRORS.MOVIE_CANCELED);
    }
  }
  if (candidates.count === 0) throw new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY);
  const shownMs = Math.min(durationMs, candidates.recordedMs);
  return { frames: candidates.spread(mostFrames, shownMs), durationMs: shownMs };
}

interface Candidate {
  readonly name: string;
  readonly segment: RecordedSegment;
  /** How much was recorded before it. */
  readonly afterMs: number;
}

/** Segments in the order of recording. If there are too many, only the first one of every cell of time is kept. */
class Candidates {
  readonly #most: number;
  #kept: Candidate[] = [];
  /** 0: all are kept. */
  #cellMs = 0;
  #recordedMs = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#kept.length;
  }

  get recordedMs(): number {
    return this.#recordedMs;
  }

  add(name: string, segment: RecordedSegment, lengthMs: number): void {
    const candidate = { name, segment, afterMs: this.#recordedMs };
    this.#recordedMs += lengthMs;
    const last = this.#kept.at(-1);
    if (last !== undefined && this.#isSameCell(last, candidate)) return;
    this.#kept.push(candidate);
    if (this.#kept.length > this.#most) this.#thin();
  }

  /** Those that `durationMs` of movie show, and when. */
  spread(mostFrames: number, durationMs: number): ChosenFrame[] {
    return this.#kept.length > mostFrames ? this.#steps(mostFrames, durationMs) : this.#all(durationMs);
  }

  /** Each at its own time, except those that follow each other faster than the movie can show. */
  #all(durationMs: number): ChosenFrame[] {
    const frames: ChosenFrame[] = [];
    for (const { name, segment, afterMs } of this.#kept) {
      const atMs = (afterMs / this.#recordedMs) * durationMs;
      const last = frames.at(-1);
      if (last === undefined || atMs - last.atMs >= SHORTEST_FRAME_MS) frames.push({ name, segment, atMs });
    }
    return frames;
  }

  /** In equal steps, each with the frame that is nearest to it. */
  #steps(steps: number, durationMs: number): ChosenFrame[] {
    const kept = this.#kept;
    const frames: ChosenFrame[] = [];
    let at = 0;
    let before = -1;
    for (let step = 0; step < steps; step++) {
      const targetMs = (step * this.#recordedMs) / steps;
      while (at + 1 < kept.length && distance(kept[at + 1]!, targetMs) <= distance(kept[at]!, targetMs)) at++;
      // Without another frame, the previous one is shown longer.
      if (at === before) continue;
      const { name, segment } = kept[at]!;
      frames.push({ name, segment, atMs: (step * durationMs) / steps });
      before = at;
    }
    return frames;
  }

  #thin(): void {
    this.#cellMs = Math.max(2 * this.#cellMs, this.#recordedMs / (this.#most / 2));
    const kept: Candidate[] = [];
    for (const candidate of this.#kept) {
      const last = kept.at(-1);
      if (last === undefined || !this.#isSameCell(last, candidate)) kept.push(candidate);
    }
    this.#kept = kept;
  }

  #isSameCell(a: Candidate, b: Candidate): boolean {
    if (this.#cellMs === 0) return false;
    return Math.floor(a.afterMs / this.#cellMs) === Math.floor(b.afterMs / this.#cellMs);
  }
}

function distance({ afterMs }: Candidate, targetMs: number): number {
  return Math.abs(afterMs - targetMs);
}
