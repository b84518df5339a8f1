/** A check of a camera that no one watches (devices/camera-checks.ts). */

import type { Ruuid } from '../core/ruuid.ts';
import type { Source } from './source/source.ts';

/** How to ask a camera whether it would play, while no one watches it. */
export interface CameraCheck {
  readonly source: Source;
  readonly organization: Ruuid;
  /** `host:port`: what shares it takes turns. */
  readonly address: string;
}
