/**
 * Where a recorded substream can be played instead of the main stream in a manifest: a Period lists it only if it has all of the Period,
 * because players stop in a representation that has a gap.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import { isOfSubstream } from './past-names.ts';
import type { PastRange } from './past-range.ts';
import type { PastSegment } from './past-timeline.ts';
import { SegmentWork } from './segment-work.ts';

/** Segments of the substream that follow each other, at least one. */
export interface SubstreamCover {
  readonly segments: PastSegment[];
}

/** The streams begin and end this far apart, which no player notices. */
const EDGE_MS = 500;
/** How far the times of segments that follow each other may be from their durations. */
const MAX_DRIFT_MS = 1_000;

export class SubstreamCovers {
  readonly #covers: readonly SubstreamCover[];
  #at = 0;

  /** `segments`: that the viewer may see, in order. In slices. */
  static async of(segments: readonly PastSegment[]): Promise<SubstreamCovers> {
    const work = new SegmentWork();
    const covers: SubstreamCover[] = [];
    for (const segment of segments) {
      const last = covers.at(-1);
      // What the main stream fills is the main stream.
      if (isOfSubstream(segment.file)) {
        if (last !== undefined && follows(last.segments.at(-1)!, segment)) last.segments.push(segment);
        else covers.push({ segments: [segment] });
      }
      if (work.step()) await work.pause();
    }
    return new SubstreamCovers(covers);
  }

  private constructor(covers: readonly SubstreamCover[]) {
    this.#covers = covers;
  }

  /** The one that has all of the main stream's segment that is in the range; null: none. Cheap for segments in their order. */
  of({ media }: PastSegment, { fromMs, toMs }: PastRange): SubstreamCover | null {
    const startMs = Math.max(media.epochMs, fromMs);
    const endMs = Math.min(endEpochMs(media), toMs);
    const isBefore = (cover: SubstreamCover) => cover.segments[0]!.media.epochMs <= startMs + EDGE_MS;
    // A clock that was set back.
    if (this.#at > 0 && !isBefore(this.#covers[this.#at]!)) this.#at = 0;
    while (this.#at + 1 < this.#covers.length && isBefore(this.#covers[this.#at + 1]!)) this.#at++;
    const cover = this.#covers[this.#at];
    if (cover === undefined || !isBefore(cover)) return null;
    return endEpochMs(cover.segments.at(-1)!.media) >= endMs - EDGE_MS ? cover : null;
  }
}

function follows(last: PastSegment, { run, number, media }: PastSegment): boolean {
  const expectedMs = last.media.epochMs + ticksToMs(last.media.durationTicks, last.media.timescaleHz);
  return (
    run === last.run && number === last.number + 1 && Math.abs(media.epochMs - expectedMs) < MAX_DRIFT_MS
  );
}
