/** The fixed options of a segmenter. */

import type { PackagedContent } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import type { SegmenterLimits } from './segmenter-limits.ts';
import type { WallClock } from './wall-clock.ts';

export interface SegmenterOptions {
  readonly limits: SegmenterLimits;
  readonly content: PackagedContent;
  readonly wallClock: WallClock;
  /** Monotonic time that is 0 on the output timeline; absent: that of the first frame. */
  readonly originMonoMs?: number;
  /** Called synchronously, in order; must not call back. `partTargetMs`: see Segmenter. */
  readonly onPart: (part: CmafPart, partTargetMs: number) => void;
}
