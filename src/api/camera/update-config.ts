/**
 * POST /api/camera/updateConfig: stores a camera's configuration (docs/spec/rules.md#camera-configurations;
 * deprecated there).
 */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { CAMERA_CONFIG_SCHEMA, CAMERA_SETTING_NAMES, type CameraConfig } from './camera-config-type.ts';

export const updateCameraConfig = defineEndpoint({
  path: '/api/camera/updateConfig',
  isDeprecated: true,
  summary: 'Stores fields of a camera’s configuration.',
  description:
    'Fields that are sent replace what was stored, whole where they are objects or lists; all others stay. Read back as ' +
    '`onCloudState.v0` of `/api/camera/getFullCameraState`. Sluice keeps the configuration for integrations and sends ' +
    'nothing to the camera. `lastModified` is the time of the call unless it is sent. Deprecated: the answer carries a ' +
    '`Deprecation` header (RFC 9745) and says so in `warningMsg`.',
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
    context.warn('The gateway keeps the configuration and sends nothing of it to the camera.');
    return {};
  },
});

/** What is stored: the known fields alone. */
function settingsOf(config: CameraConfig): Record<string, unknown> {
  const given = config as Readonly<Record<string, unknown>>;
  const settings: Record<string, unknown> = {};
  for (const name of CAMERA_SETTING_NAMES) {
    if (given[name] !== undefined) settings[name] = given[name];
  }
  return settings;
}
