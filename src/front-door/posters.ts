/** Images to show before the video plays. */

import type { LiveCamera } from '../stream/live-media.ts';

export interface Posters {
  /** The camera's newest frame as a JPEG; null if it has sent none. Every caller shares the buffer. */
  poster(camera: LiveCamera): Promise<Buffer | null>;
}
