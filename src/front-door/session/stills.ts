/** Still images of cameras. */

import type { LiveCamera } from '../../stream/media/live-media.ts';
import type { HeldStill } from '../../thumbnails/held-stills.ts';
import type { Still, StillRequest } from '../../thumbnails/stills.ts';

export interface Stills {
  /** The camera's newest frame as an image; null if it has sent none. Every caller shares the bytes. */
  still(camera: LiveCamera, wanted: StillRequest): Promise<Still | null>;
}

/** Images that were made for one caller, under names that cannot be guessed. */
export interface HeldStills {
  find(name: string): HeldStill | null;
}
