/** POST /api/camera/getLineCrossingEnabledCamerasForLocation: the cameras of a location that count crossings. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { mapOf, ruuid } from '../../http/fields/field-types.ts';
import { camerasAt } from '../types/cameras-at.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { CROSS_COUNTING_SCHEMA } from './camera-config-type.ts';

type Settings = Static<typeof CROSS_COUNTING_SCHEMA>;

export const getLineCrossingEnabledCamerasForLocation = defineEndpoint({
  path: '/api/camera/getLineCrossingEnabledCamerasForLocation',
  summary: 'Lists the cameras of a location that count crossings.',
  description:
    'Those whose stored configuration has `cross_counting`, and those without that field that have reported to ' +
    '`/api/ingest/thresholdCrossings`. The gateway itself does not count.',
  request: Type.Object({ locationUuid: ruuid('The location.') }),
  response: {
    camerasToConfigs: mapOf(
      CROSS_COUNTING_SCHEMA,
      'By the UUID of the camera: the stored `cross_counting_settings`, empty if there are none.',
    ),
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: {
      camerasToConfigs: { [EXAMPLE_CAMERA_UUID]: { directions: ['INGRESS'], object_type: 'HUMAN' } },
    },
  },
  async handler(context, { locationUuid }) {
    const { orgUuid, services } = context;
    const cameras = await camerasAt(context, locationUuid, 'locationUuid');
    const counting = await services.countingCameras.find(orgUuid, 'crossings');
    const configs = cameras.flatMap((camera) => {
      const config = counting.get(camera);
      return config === undefined
        ? []
        : [[camera, (config.cross_counting_settings ?? {}) as Settings] as const];
    });
    return { camerasToConfigs: Object.fromEntries(configs) };
  },
});
