/** Copies of segments that a live window holds. */

import type { RecentMedia } from '../media/live-media.ts';
import type { LiveSegment } from './live-segment.ts';
import type { WindowSegments } from './window-segments.ts';

/** `segments`: the window's, which hold `segment`. */
export function recentMedia(segment: LiveSegment, segments: Pick<WindowSegments, 'previousOf'>): RecentMedia {
  const { tracks, epochMs, isComplete, durationMs } = segment;
  return {
    ...{ init: tracks.init, bytes: segment.copy(), epochMs },
    openDurationMs: isComplete ? null : durationMs,
    previous(maxBytes) {
      const previous = segments.previousOf(segment);
      return previous === null || previous.byteLength > maxBytes ? null : previous.copy();
    },
  };
}
