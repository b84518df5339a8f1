/** Stored camera configurations: what was sent to the API, field by field. Absent fields were never sent. */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type ResourceKind, resourceKind } from '../store/resource.ts';

export type CameraConfigBody = Readonly<Record<string, unknown>>;

/** One per camera, whose parent is the camera. */
export const CAMERA_CONFIGS: ResourceKind<CameraConfigBody> = resourceKind('cameraConfig');

/** The uuid of a camera's configuration. */
export function cameraConfigUuid(cameraUuid: Ruuid): Ruuid {
  return deriveRuuid('camera config', cameraUuid);
}
