/** POST /api/camera/getFacetedConfig: the stored configuration of a camera, by facet. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { CAMERA_CONFIG_READING } from './camera-config-reading.ts';

const FACET_MEANING = 'The camera or one of its facets, which all share one configuration.';

export const getFacetedConfig = defineEndpoint({
  path: '/api/camera/getFacetedConfig',
  summary: 'Reads the stored configuration of a camera, by one of its facets.',
  request: Type.Object({
    cameraUuid: Type.Optional(deviceFacetUuid(FACET_MEANING)),
    deviceUuid: Type.Optional(deviceFacetUuid('The same; send one of the two.')),
  }),
  ...CAMERA_CONFIG_READING,
  handler(context, { cameraUuid, deviceUuid }) {
    const named = cameraUuid ?? deviceUuid;
    if (named === undefined) throw invalidField('cameraUuid is required.');
    return CAMERA_CONFIG_READING.handler(context, { cameraUuid: named });
  },
});
