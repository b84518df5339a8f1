/** Cameras that count people and crossings. */

import { type Static, Type } from 'typebox';
import { CROSS_COUNTING_SCHEMA } from '../../api/cameras/camera-config.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../../api/types/examples.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraState } from '../../devices/device-states.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf, mapOf, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';

/** Those that were not removed. Fails INVALID_FIELD, with the name of the field, for an unknown location. */
export async function camerasAt(
  { orgUuid, services }: CallContext,
  locationUuid: string,
  field: string,
): Promise<Ruuid[]> {
  const locations = await services.locations.list(orgUuid);
  if (!locations.some(({ uuid }) => uuid === locationUuid)) {
    throw invalidField(`There is no location with this ${field}.`);
  }
  const states = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
  const cameras = (await states.toArray()).map(({ camera }) => camera);
  return cameras.filter((camera) => camera.locationUuid === locationUuid).map(({ uuid }) => uuid);
}

const CAMERA_SCHEMA = namedType('OccupancyEnabledCamera', {
  uuid: ruuid('The camera.'),
  deviceUuid: ruuid('The same.'),
  name: plainText('Its name.'),
  locationUuid: nullable(ruuid('Its location.')),
  facetNameMap: mapOf(plainText('Name.'), 'Names of facets.'),
});

const getOccupancyEnabledCameras = defineEndpoint({
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
          uuid: EXAMPLE_CAMERA_UUID,
          deviceUuid: EXAMPLE_CAMERA_UUID,
          name: 'Lobby',
          locationUuid: EXAMPLE_LOCATION_UUID,
          facetNameMap: {},
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const counting = await services.countingCameras.find(orgUuid, 'occupancy');
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
    const cameras = (await states.toArray()).filter(({ camera }) => counting.has(camera.uuid));
    return { cameras: cameras.map(cameraResponse) };
  },
});

function cameraResponse({ camera, details }: CameraState): Static<typeof CAMERA_SCHEMA> {
  const { uuid, name, locationUuid } = camera;
  return { uuid, deviceUuid: uuid, name, locationUuid, facetNameMap: { ...details?.facetNameMap } };
}

type Settings = Static<typeof CROSS_COUNTING_SCHEMA>;

const getLineCrossingEnabledCamerasForLocation = defineEndpoint({
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

export const COUNTING_CAMERA_ENDPOINTS: readonly Endpoint[] = [
  getOccupancyEnabledCameras,
  getLineCrossingEnabledCamerasForLocation,
];
