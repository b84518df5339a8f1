/**
 * How long a playlist says that each segment lasts. Players take the sum of a playlist's durations for its time, and change to the same time
 * of another one: so a gap takes time in the playlist of one stream where the other one has video, and none where neither has. What is
 * recorded stays as it is.
 */

import { msToTicks } from '../cmaf/ticks.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import type { PastSegment } from './past-timeline.ts';

/** Times of one stream, which are asked for in their order. */
class RecordedTime {
  readonly #segments: readonly PastSegment[];
  #next = 0;

  constructor(segments: readonly PastSegment[]) {
    this.#segments = segments;
  }

  /** How much of the time is recorded, in milliseconds. */
  within(fromMs: number, toMs: number): number {
    while (this.#next < this.#segments.length && endEpochMs(this.#segments[this.#next]!.media) <= fromMs) {
      this.#next++;
    }
    let recordedMs = 0;
    let reachedMs = fromMs;
    for (let at = this.#next; at < this.#segments.length; at++) {
      const { media } = this.#segments[at]!;
      if (media.epochMs >= toMs) break;
      const startMs = Math.max(reachedMs, media.epochMs);
      reachedMs = Math.max(reachedMs, Math.min(toMs, endEpochMs(media)));
      recordedMs += Math.max(0, reachedMs - startMs);
    }
    return recordedMs;
  }
}

/** In ticks of each segment. `others`: of the other stream; empty: there is none. */
export function listedDurations(
  segments: readonly PastSegment[],
  others: readonly PastSegment[],
): readonly number[] {
  const other = new RecordedTime(others);
  return segments.map(({ run, media }, index) => {
    const next = segments[index + 1];
    if (next === undefined || next.run === run) return media.durationTicks;
    return (
      media.durationTicks + msToTicks(other.within(endEpochMs(media), next.media.epochMs), media.timescaleHz)
    );
  });
}
