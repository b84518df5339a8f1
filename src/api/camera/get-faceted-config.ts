/** POST /api/camera/getFacetedConfig: the stored configuration of a camera, by facet. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { CAMERA_CONFIG_READING } from './camera-config-reading.ts';

export const getFacetedConfig = defineEndpoint({
  path: '/api/camera/getFacetedConfig',
  summary: 'Reads the stored configuration of a camera, by one of its facets.',
  request: Type.Object({
    cameraUuid: deviceFacetUuid('The camera or one of its facets, which all share one configuration.'),
  }),
  ...CAMERA_CONFIG_READING,
});
