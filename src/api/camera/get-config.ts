/** POST /api/camera/getConfig: the stored configuration of a camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { CAMERA_CONFIG_READING } from './camera-config-reading.ts';

export const getCameraConfig = defineEndpoint({
  path: '/api/camera/getConfig',
  summary: 'Reads the stored configuration of a camera.',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  ...CAMERA_CONFIG_READING,
});
