/**
 * POST /api/camera/updateConfig: stores a camera's configuration (docs/spec/rules.md#camera-configurations;
 * deprecated there).
 */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { CAMERA_CONFIG_SCHEMA, CAMERA_SETTING_NAMES, type CameraConfig } from './camera-config-type.ts';

export const updateCameraConfig = defineEndpoint({
  path: '/api/camera/updateConfig',
  isDeprecated: true,
  summary: 'Stores fields of a camera’s configuration.',
  description:
    'Each field that you send replaces the stored one, objects and lists as a whole; all others stay. To read it ' +
    'back, use `onCloudState.v0` of `/api/camera/getFullCameraState`. Sluice stores the configuration for ' +
    'integrations and sends nothing to the camera. `lastModified` is the time of the call unless you send it. ' +
    'Deprecated: the response has a `Deprecation` header (RFC 9745) and says so in `warningMsg`.',
  request: Type.Object({ config: CAMERA_CONFIG_SCHEMA }),
  response: {},
  example: {
    request: {
      config: {
        deviceUuid: EXAMPLE_CAMERA_UUID,
        hdr_enabled: true,
        rotation: 180,
        resolution: { width: 1920, height: 1080 },
      },
    },
    response: {},
  },
  async handler(context, { config }) {
    const { orgUuid, services } = context;
    if (config.orgUuid !== undefined && config.orgUuid !== orgUuid) {
      throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: config.deviceUuid });
    }
    const { camera } = await context.services.devices.findCamera(context.orgUuid, config.deviceUuid);
    await services.devices.updateCameraConfig(orgUuid, camera.uuid, settingsOf(config));
    context.warn('updateConfig is deprecated and may be removed in a later version.');
    context.warn('The gateway stores the configuration but sends none of it to the camera.');
    return {};
  },
});

/** What is stored: only the known fields. */
function settingsOf(config: CameraConfig): Record<string, unknown> {
  const given = config as Readonly<Record<string, unknown>>;
  const settings: Record<string, unknown> = {};
  for (const name of CAMERA_SETTING_NAMES) {
    if (given[name] !== undefined) settings[name] = given[name];
  }
  return settings;
}
