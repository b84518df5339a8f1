/** A camera in device states. */

import type { KnownDetails } from '../../devices/device-details.ts';
import type { CameraState } from '../../devices/device-states.ts';
import { namedType } from '../../http/fields/field-types.ts';
import type { CameraRecord } from '../../store/entities.ts';
import type { WithCaller } from './caller-rights.ts';
import {
  cameraHealth,
  DEVICE_STATE_PROPERTIES,
  type DeviceState,
  deviceStateFor,
  deviceStateResponse,
  EXAMPLE_CAMERA_REPORT,
  type KnownDevice,
} from './device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from './examples.ts';

export const CAMERA_STATE_SCHEMA = namedType('MinimalDeviceState', DEVICE_STATE_PROPERTIES);

/** `details`: details that the API received about it, if any. */
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

/** Its MinimalDeviceState, as the caller may read it. */
export function cameraStateResponse(
  context: WithCaller,
  { camera, details, sharedCount, report }: CameraState,
): DeviceState {
  const state = deviceStateResponse(knownCamera(camera, details), sharedCount, cameraHealth(report));
  return deviceStateFor(context, state);
}

export const EXAMPLE_CAMERA_STATE = deviceStateResponse(
  {
    uuid: EXAMPLE_CAMERA_UUID,
    name: 'Lobby',
    serialNumber: null,
    createdAtMs: EXAMPLE_TIME_MS,
    locationUuid: EXAMPLE_LOCATION_UUID,
    mummified: false,
    supportedFacets: ['v0'],
  },
  2,
  cameraHealth(EXAMPLE_CAMERA_REPORT),
);
