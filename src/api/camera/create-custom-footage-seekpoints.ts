/** POST /api/camera/createCustomFootageSeekpoints: names moments of a camera's footage. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { MAX_SEEK_POINTS_PER_CAMERA, SEEK_POINT_COLORS } from '../../devices/custom-seek-points.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int64WithoutFraction,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  oneOf,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_POINTS_PER_REQUEST = 100;
const MAX_DESCRIPTION_LENGTH = 1_024;

const POINT_SCHEMA = namedType('CustomFootageSeekPointType', {
  timestampMs: int64WithoutFraction('The moment, epoch milliseconds.', 0, MAX_TIME_MS),
  name: text('What it is called.', MAX_NAME_LENGTH),
  description: Type.Optional(text('What happened. Default: empty.', MAX_DESCRIPTION_LENGTH)),
  color: Type.Optional(oneOf(SEEK_POINT_COLORS, 'In which color to show it.')),
  displayOverlay: Type.Optional(flag('Whether players should show it over the video. Default false.')),
});

export const createCustomFootageSeekpoints = defineEndpoint({
  path: '/api/camera/createCustomFootageSeekpoints',
  summary: "Names moments of a camera's footage.",
  description:
    '`getFootageSeekpointsV2` and `getCustomFootageSeekpointsV2` list them. A point with the time and the name of an existing one ' +
    `replaces it, so a request can be sent again. A camera can have ${MAX_SEEK_POINTS_PER_CAMERA.toLocaleString('en-US')}; ` +
    'a request that would exceed that adds none. They are deleted with the camera. Whoever has a link to the camera does not see them.',
  repetition: 'once',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    footageSeekPoints: listOf(
      POINT_SCHEMA,
      `The points, at most ${MAX_POINTS_PER_REQUEST}.`,
      MAX_POINTS_PER_REQUEST,
    ),
  }),
  response: {},
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      footageSeekPoints: [{ timestampMs: EXAMPLE_TIME_MS, name: 'Delivery', color: 'TEAL' }],
    },
    response: {},
  },
  async handler({ orgUuid, services }, { cameraUuid, footageSeekPoints }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const points = footageSeekPoints.map(
      ({ description = '', color = null, displayOverlay = false, ...point }) => ({
        ...{ ...point, description, color, displayOverlay },
      }),
    );
    await services.customSeekPoints.add(orgUuid, camera.uuid, points);
    return {};
  },
});
