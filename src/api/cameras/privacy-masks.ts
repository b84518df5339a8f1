/** Privacy masks: what viewers of a camera's links do not see (docs/design/privacy.md). Specific to Sluice. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  text,
} from '../../http/fields/field-types.ts';
import { MAX_MASK_POINTS, MAX_MASKS, PERMYRIAD, type PrivacyMask } from '../../store/privacy-mask.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

const POINT = namedType('PrivacyMaskPoint', {
  x: int32('From the left, in 1/10000 of the width.', 0, PERMYRIAD),
  y: int32('From the top, in 1/10000 of the height.', 0, PERMYRIAD),
});
const MASK = namedType('PrivacyMask', {
  name: text('What it covers, such as `Window of the neighbors`. Can be empty.', MAX_NAME_LENGTH),
  points: listOf(POINT, 'The corners of a polygon, 3 at least.', MAX_MASK_POINTS),
});
type MaskBody = Static<typeof MASK>;

const CAMERA = deviceFacetUuid('The camera.');
const FOR_VIEWERS = flag(
  'Whether people and keys with the role `viewer` see the camera with its masks, too.',
);
const EXAMPLE_MASKS: MaskBody[] = [
  {
    name: 'Window of the neighbors',
    points: [
      { x: 1_000, y: 500 },
      { x: 3_500, y: 500 },
      { x: 3_500, y: 4_000 },
      { x: 1_000, y: 4_000 },
    ],
  },
];

function bodyOf({ name, points }: PrivacyMask): MaskBody {
  return { name, points: points.map(({ xPermyriad, yPermyriad }) => ({ x: xPermyriad, y: yPermyriad })) };
}

function maskOf({ name, points }: MaskBody): PrivacyMask {
  return { name: name.trim(), points: points.map(({ x, y }) => ({ xPermyriad: x, yPermyriad: y })) };
}

const getPrivacyMasks = defineEndpoint({
  path: '/api/camera/getPrivacyMasks',
  summary: 'Reads the privacy masks of a camera.',
  description: 'Links show a camera with its masks, unless they have `showsUnmasked`.',
  isExtension: true,
  request: Type.Object({ cameraUuid: CAMERA }),
  response: {
    masks: listOf(MASK, 'Its masks; empty: links show the whole picture.', MAX_MASKS),
    masksForViewers: FOR_VIEWERS,
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: { masks: EXAMPLE_MASKS, masksForViewers: false },
  },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    return { masks: camera.masks.map(bodyOf), masksForViewers: camera.masksForViewers };
  },
});

const setPrivacyMasks = defineEndpoint({
  path: '/api/camera/setPrivacyMasks',
  summary: 'Replaces the privacy masks of a camera.',
  description:
    'When the call returns, views through links that show the earlier masks have ended. Links show the camera again with the new ' +
    'masks, and so does recorded video, whatever masks there were when it was recorded. With `masksForViewers`, so do people and ' +
    'keys with the role `viewer`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuid: CAMERA,
    masks: listOf(MASK, 'All of its masks; empty: none.', MAX_MASKS),
    masksForViewers: Type.Optional(
      flag(
        'Whether people and keys with the role `viewer` see the camera with its masks, too. Default: as it is, at first false.',
      ),
    ),
  }),
  response: { masks: listOf(MASK, 'Its masks now.', MAX_MASKS), masksForViewers: FOR_VIEWERS },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, masks: EXAMPLE_MASKS },
    response: { masks: EXAMPLE_MASKS, masksForViewers: false },
  },
  async handler({ orgUuid, services }, { cameraUuid, masks, masksForViewers = null }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const wanted = masks.map(maskOf);
    const now = await services.cameraMasks.set(orgUuid, camera.uuid, wanted, masksForViewers);
    return { masks: now.masks.map(bodyOf), masksForViewers: now.masksForViewers };
  },
});

export const PRIVACY_MASK_ENDPOINTS: readonly Endpoint[] = [getPrivacyMasks, setPrivacyMasks];
