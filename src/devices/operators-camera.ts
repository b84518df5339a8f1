/** The party that chose a camera's address: callers of the API choose some, the operator the others. */

import { deriveRuuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';

/** The gateway opens it on its own machine, without a configuration. */
export const DEMO_CAMERA_UUID = deriveRuuid('camera', 'sluice demo');

/** True: it can be anywhere. */
export function isOperatorsCamera({ uuid, fromConfig }: Pick<Camera, 'uuid' | 'fromConfig'>): boolean {
  return fromConfig || uuid === DEMO_CAMERA_UUID;
}
