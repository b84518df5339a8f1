/** POST /api/camera/getOccupancyEnabledCameras: the cameras that count people. */

import { type Static, Type } from 'typebox';
import type { CameraState } from '../../devices/device-states.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, mapOf, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const CAMERA_SCHEMA = namedType('OccupancyEnabledCamera', {
  uuid: ruuid('The camera.'),
  deviceUuid: ruuid('The same.'),
  name: plainText('Its name.'),
  locationUuid: nullable(ruuid('Its location.')),
  facetNameMap: mapOf(plainText('Name.'), 'Names of facets.'),
});

export const getOccupancyEnabledCameras = defineEndpoint({
  path: '/api/camera/getOccupancyEnabledCameras',
  summary: 'Lists the cameras that count people.',
  description:
    'Those whose stored configuration has `occupancy_counting`, and those without that field that have reported to ' +
    '`/api/ingest/occupancyCounts`. The gateway itself does not count.',
  request: Type.Object({}),
  response: { cameras: listOf(CAMERA_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameras: [
        {
          ...{ uuid: EXAMPLE_CAMERA_UUID, deviceUuid: EXAMPLE_CAMERA_UUID, name: 'Lobby' },
          ...{ locationUuid: EXAMPLE_LOCATION_UUID, facetNameMap: {} },
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const counting = await services.countingCameras.find(orgUuid, 'occupancy');
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
    const cameras = (await states.toArray()).filter(({ camera }) => counting.has(camera.uuid));
    return { cameras: cameras.map(cameraAnswer) };
  },
});

function cameraAnswer({ camera, details }: CameraState): Static<typeof CAMERA_SCHEMA> {
  const { uuid, name, locationUuid } = camera;
  return { uuid, deviceUuid: uuid, name, locationUuid, facetNameMap: { ...details?.facetNameMap } };
}
