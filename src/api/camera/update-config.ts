/**
 * POST /api/camera/updateConfig: stores a camera's configuration (docs/spec/rules.md#camera-configurations;
 * deprecated there).
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { storeCameraConfig } from './camera-config-storing.ts';
import { CAMERA_CONFIG_SCHEMA } from './camera-config-type.ts';

export const updateCameraConfig = defineEndpoint({
  path: '/api/camera/updateConfig',
  isDeprecated: true,
  summary: 'Stores fields of a camera’s configuration.',
  description:
    'Each field that you send replaces the stored one, objects and lists as a whole; all others stay. To read it ' +
    'back, use `onCloudState.v0` of `/api/camera/getFullCameraState`. Sluice stores the configuration for ' +
    'integrations and sends nothing to the camera; only `recording` has an effect. `lastModified` is the time of the call unless you send it. ' +
    'Deprecated: the response has a `Deprecation` header (RFC 9745) and says so in `warningMsg`.',
  repetition: 'same-outcome',
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
    context.warn('updateConfig is deprecated and may be removed in a later version.');
    await storeCameraConfig(context, config);
    return {};
  },
});
