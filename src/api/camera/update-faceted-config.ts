/** POST /api/camera/updateFacetedConfig: stores a camera's configuration, by one of its facets. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { storeCameraConfig } from './camera-config-storing.ts';
import { CAMERA_CONFIG_SCHEMA } from './camera-config-type.ts';

export const updateFacetedConfig = defineEndpoint({
  path: '/api/camera/updateFacetedConfig',
  summary: 'Stores fields of a camera’s configuration, by one of its facets.',
  description:
    'Each field that you send replaces the stored one, objects and lists as a whole; all others stay. All facets of a ' +
    'camera share one configuration. Sluice stores it for integrations and sends nothing to the camera; only ' +
    '`recording` has an effect. To read it back, use `/api/camera/getFacetedConfig`.',
  repetition: 'same-outcome',
  request: Type.Object({ configUpdate: CAMERA_CONFIG_SCHEMA }),
  response: {},
  example: {
    request: { configUpdate: { deviceUuid: EXAMPLE_CAMERA_UUID, hdr_enabled: true } },
    response: {},
  },
  async handler(context, { configUpdate }) {
    await storeCameraConfig(context, configUpdate);
    return {};
  },
});
