/** Floor plans of locations, and the cameras on them. */

import { type Static, Type } from 'typebox';
import { MAX_PLAN_BYTES, MAX_PLAN_SIDE_PX, type PlanImage } from '../../devices/floor-plans.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  double,
  int32,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

/** Base64 has four characters for three bytes. */
const MAX_PLAN_CHARS = Math.ceil(MAX_PLAN_BYTES / 3) * 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const PLACE_FIELDS = {
  x: double('Where it is: the share of the plan’s width from the left.', 0, 1),
  y: double('The share of the plan’s height from the top.', 0, 1),
  directionDeg: double('Where it looks: degrees clockwise from the top of the plan.', 0, 360),
  angleDeg: double('How wide it sees, in degrees.', 1, 360),
  reach: double('How far it sees: a share of the plan’s width.', 0.01, 1),
};

const PLACE_SCHEMA = namedType('FloorPlanCamera', { cameraUuid: ruuid('The camera.'), ...PLACE_FIELDS });

const IMAGE_SCHEMA = namedType('FloorPlanImage', {
  imageData: plainText('A JPEG, in base64.'),
  widthPx: int32('Its width in pixels.'),
  heightPx: int32('Its height in pixels.'),
});

/** One gray pixel. */
const EXAMPLE_JPEG = '/9j/wAALCAABAAEBAREA/9oACAEBAAA/AAD/2Q==';
const EXAMPLE_PLACE = { x: 0.25, y: 0.4, directionDeg: 90, angleDeg: 80, reach: 0.2 };
const LOCATION_REQUEST = Type.Object({ locationUuid: ruuid('The location.') });

const getFloorPlan = defineEndpoint({
  path: '/api/location/getFloorPlan',
  isExtension: true,
  summary: 'Returns the floor plan of a location, with the cameras on it.',
  description: 'Cameras that were placed before there is an image are returned, too.',
  request: LOCATION_REQUEST,
  response: {
    image: nullable(IMAGE_SCHEMA),
    cameras: listOf(PLACE_SCHEMA, 'The cameras on it.'),
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: {
      image: { imageData: EXAMPLE_JPEG, widthPx: 1, heightPx: 1 },
      cameras: [{ cameraUuid: EXAMPLE_CAMERA_UUID, ...EXAMPLE_PLACE }],
    },
  },
  async handler({ orgUuid, services }, { locationUuid }) {
    const { image, cameras } = await services.floorPlans.find(orgUuid, locationUuid);
    return {
      image: image === null ? null : imageResponse(image),
      cameras: cameras.map((camera) => ({ ...camera })),
    };
  },
});

function imageResponse({ jpegBase64, ...size }: PlanImage): Static<typeof IMAGE_SCHEMA> {
  return { imageData: jpegBase64, ...size };
}

const setFloorPlan = defineEndpoint({
  path: '/api/location/setFloorPlan',
  isExtension: true,
  summary: 'Sets the image of a location’s floor plan.',
  description:
    `A baseline or progressive JPEG of at most ${MAX_PLAN_BYTES.toLocaleString('en')} bytes and ` +
    `${MAX_PLAN_SIDE_PX.toLocaleString('en')} pixels on each side. Its metadata is not stored. It replaces an earlier one; the ` +
    'cameras stay where they are.',
  repetition: 'same-outcome',
  request: Type.Object({
    locationUuid: ruuid('The location.'),
    imageData: text('The JPEG, in base64.', MAX_PLAN_CHARS),
  }),
  response: {},
  example: { request: { locationUuid: EXAMPLE_LOCATION_UUID, imageData: EXAMPLE_JPEG }, response: {} },
  async handler({ orgUuid, services }, { locationUuid, imageData }) {
    if (!BASE64.test(imageData)) throw invalidField('imageData must be base64.');
    await services.floorPlans.setImage(orgUuid, locationUuid, Buffer.from(imageData, 'base64'));
    return {};
  },
});

const removeFloorPlan = defineEndpoint({
  path: '/api/location/removeFloorPlan',
  isExtension: true,
  summary: 'Removes the image of a location’s floor plan.',
  description: 'Cameras keep their places, for another image. Without an image, nothing happens.',
  repetition: 'same-outcome',
  request: LOCATION_REQUEST,
  response: {},
  example: { request: { locationUuid: EXAMPLE_LOCATION_UUID }, response: {} },
  async handler({ orgUuid, services }, { locationUuid }) {
    await services.floorPlans.removeImage(orgUuid, locationUuid);
    return {};
  },
});

const placeCameraOnPlan = defineEndpoint({
  path: '/api/location/placeCameraOnPlan',
  isExtension: true,
  summary: 'Places a camera on the floor plan of a location, or moves it there.',
  description:
    'A camera is on one plan at most: it leaves that of another location. Other cameras do not move.',
  repetition: 'same-outcome',
  request: Type.Object({
    locationUuid: ruuid('The location.'),
    cameraUuid: deviceUuid('The camera.'),
    ...PLACE_FIELDS,
  }),
  response: {},
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID, cameraUuid: EXAMPLE_CAMERA_UUID, ...EXAMPLE_PLACE },
    response: {},
  },
  async handler({ orgUuid, services }, { locationUuid, cameraUuid, ...place }) {
    await services.floorPlans.place(orgUuid, locationUuid, cameraUuid, place);
    return {};
  },
});

const removeCameraFromPlan = defineEndpoint({
  path: '/api/location/removeCameraFromPlan',
  isExtension: true,
  summary: 'Takes a camera off the floor plan.',
  description: 'If it is on no plan, nothing happens.',
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: deviceUuid('The camera.') }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    await services.floorPlans.unplace(orgUuid, cameraUuid);
    return {};
  },
});

export const FLOOR_PLAN_ENDPOINTS: readonly Endpoint[] = [
  getFloorPlan,
  setFloorPlan,
  removeFloorPlan,
  placeCameraOnPlan,
  removeCameraFromPlan,
];
