/** Pictures for the time before the video plays. */

import type { LiveCamera } from '../stream/live-media.ts';

export interface Posters {
  /** The camera's newest picture as a JPEG; null when it has sent none. Every caller shares the buffer. */
  poster(camera: LiveCamera): Promise<Buffer | null>;
}
