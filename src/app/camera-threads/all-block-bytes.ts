/** Memory of live video: the media blocks of all threads that package. */

import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { CameraThreads } from './camera-threads.ts';

/**
 * `cameraThreads`: null if there are none. Their share is as of their last report. What windows still hold of a thread that
 * ended is not in it: it goes as they move on.
 */
export function allBlockBytes(cameraThreads: CameraThreads | null): {
  readonly used: number;
  readonly free: number;
} {
  const { used, free } = mediaBlockBytes();
  if (cameraThreads === null) return { used, free };
  const { blockBytes } = cameraThreads.state();
  return { used: used + blockBytes.used, free: free + blockBytes.free };
}
