/** Finds the camera that a sharing request is about. */

import { GatewayError } from '../../core/errors.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import type { Camera } from '../../store/entities.ts';
import type { CallContext } from './endpoint.ts';
import { API_ERRORS } from './errors.ts';

export interface CameraRef {
  readonly camera: Camera;
  /** '' when the request names none. */
  readonly facet: string;
}

/** The organisation's camera. Fails CAMERA_NOT_FOUND, also for one that was removed. */
export async function findCamera(context: CallContext, deviceFacetUuid: string): Promise<CameraRef> {
  const device = parseDeviceFacetUuid(deviceFacetUuid);
  const camera =
    device === null ? null : await context.services.store.cameras.find(context.orgUuid, device.uuid);
  if (device === null || camera === null || camera.mummified) {
    throw new GatewayError(API_ERRORS.CAMERA_NOT_FOUND, { camera: deviceFacetUuid });
  }
  return { camera, facet: device.facet };
}

/** The same for the doorbell endpoints. Fails NOT_A_DOORBELL_CAMERA as well. */
export async function findDoorbellCamera(context: CallContext, deviceFacetUuid: string): Promise<CameraRef> {
  const found = await findCamera(context, deviceFacetUuid);
  if (found.camera.kind !== 'doorbell') {
    throw new GatewayError(API_ERRORS.NOT_A_DOORBELL_CAMERA, { camera: deviceFacetUuid });
  }
  return found;
}
