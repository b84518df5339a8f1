/** Long work over segments, in slices (src/core/sliced-work.ts). A segment is too little to be a step. */

import { SlicedWork } from '../core/sliced-work.ts';

const SEGMENTS_PER_STEP = 32;

export class SegmentWork {
  readonly #work = new SlicedWork();
  #segments = 0;

  /** Counts a segment. True: the slice is over, and `pause` is due. */
  step(): boolean {
    this.#segments++;
    return this.#segments % SEGMENTS_PER_STEP === 0 && this.#work.step();
  }

  pause(): Promise<void> {
    return this.#work.pause();
  }
}
