/**
 * Counts the discontinuities of a range so that they are the same for all of its renditions: players that change between renditions know by
 * their number which timestamps belong together (RFC 8216bis §6.2.4). So a run that begins in one rendition begins a new number in both,
 * from its time on. In a range that grows, what was counted stays.
 */

import type { PastSegment, PastTimeline } from './past-timeline.ts';
import { SegmentWork } from './segment-work.ts';

export class SharedDiscontinuities {
  readonly #main: PastTimeline;
  #count = 0;
  #hadSub = false;

  constructor(main: PastTimeline) {
    this.#main = main;
  }

  /** Counts for the segments that are new in the timeline and its substream. In slices; one at a time. */
  async extend(): Promise<void> {
    const { sub } = this.#main;
    // What was counted without it does not fit it.
    if (sub !== null && !this.#hadSub) {
      this.#main.discontinuities.length = 0;
      this.#count = 0;
      this.#hadSub = true;
    }
    const timelines = sub === null ? [this.#main] : [this.#main, sub];
    const work = new SegmentWork();
    for (;;) {
      let first: PastTimeline | null = null;
      for (const timeline of timelines) {
        const next = nextOf(timeline);
        if (next === null) continue;
        const aheadMs = first === null ? -1 : next.media.epochMs - nextOf(first)!.media.epochMs;
        // What begins with a run divides what begins at the same time.
        if (aheadMs < 0 || (aheadMs === 0 && isBreak(timeline))) first = timeline;
      }
      if (first === null) return;
      if (isBreak(first)) this.#count++;
      first.discontinuities.push(this.#count);
      if (work.step()) await work.pause();
    }
  }
}

/** Whether the next segment does not continue the one before it. */
function isBreak({ segments, discontinuities }: PastTimeline): boolean {
  const before = segments[discontinuities.length - 1];
  return before !== undefined && before.run !== segments[discontinuities.length]!.run;
}

function nextOf({ segments, discontinuities }: PastTimeline): PastSegment | null {
  return segments[discontinuities.length] ?? null;
}
