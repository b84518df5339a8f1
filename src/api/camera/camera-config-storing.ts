/** How two endpoints store fields of a camera's configuration. */

import { GatewayError } from '../../core/errors.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { CAMERA_SETTING_NAMES, type CameraConfig } from './camera-config-type.ts';

/** Warns that it has no effect on the camera. Fails CAMERA_NOT_FOUND. */
export async function storeCameraConfig(context: CallContext, config: CameraConfig): Promise<void> {
  const { orgUuid, services } = context;
  if (config.orgUuid !== undefined && config.orgUuid !== orgUuid) {
    throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: config.deviceUuid });
  }
  const { camera } = await services.devices.findCamera(orgUuid, config.deviceUuid);
  await services.devices.updateCameraConfig(orgUuid, camera.uuid, settingsOf(config));
  context.warn('The gateway stores the configuration but sends none of it to the camera.');
}

/** What is stored: only the known fields. */
function settingsOf(config: CameraConfig): Record<string, unknown> {
  const given = config as Readonly<Record<string, unknown>>;
  const settings: Record<string, unknown> = {};
  for (const name of CAMERA_SETTING_NAMES) {
    if (given[name] !== undefined) settings[name] = given[name];
  }
  return settings;
}
