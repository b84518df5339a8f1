/** A camera in device states. */

import type { KnownDetails } from '../../devices/device-details.ts';
import type { CameraState } from '../../devices/device-states.ts';
import type { CameraRecord } from '../../store/entities.ts';
import { cameraHealth, type DeviceState, deviceStateAnswer, type KnownDevice } from './device-state.ts';

/** `details`: what the API received about it, if anything. */
export function knownCamera(camera: CameraRecord, details?: KnownDetails): KnownDevice {
  return {
    uuid: camera.uuid,
    name: camera.name,
    serialNumber: null,
    createdAtMs: camera.createdAtMs,
    locationUuid: camera.locationUuid,
    mummified: camera.mummified,
    supportedFacets: ['v0'],
    details,
  };
}

/** Its MinimalDeviceState. */
export function cameraStateAnswer({ camera, details, sharedCount, report }: CameraState): DeviceState {
  return deviceStateAnswer(knownCamera(camera, details), sharedCount, cameraHealth(report));
}
