/** POST /api/camera/getSnapshot: the newest image of a camera. */

import { Type } from 'typebox';
import { STILL_IMAGE_FORMATS } from '../../devices/camera-stills.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag, int32, int64, oneOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_WIDTH_PX = 3_840;
const MAX_AGE_SEC = 86_400;
const MS_PER_SEC = 1_000;

export const getSnapshot = defineEndpoint({
  path: '/api/camera/getSnapshot',
  summary: 'Takes the newest image of a camera.',
  description:
    'Opens the camera if no one is watching it, and waits up to 10 s for its video. If the camera is offline, the ' +
    'response has its last image with `live: false`; if there is none, the request is refused with status 503. ' +
    '`timestampMs` is when the image was taken: at most one key frame interval ago for a live camera.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    width: Type.Optional(
      int32(
        'Width in pixels, rounded up to 160, 320, 480, 640, 960, 1280, 1920, 2560 or 3840. Never more than the ' +
          'camera sends. Default: the camera’s own.',
        1,
        MAX_WIDTH_PX,
      ),
    ),
    maxAgeSec: Type.Optional(
      int32(
        'An image that is at most this old will do: then the camera is not opened, and the call waits for nothing. ' +
          'Default: the newest image.',
        0,
        MAX_AGE_SEC,
      ),
    ),
    mayOpen: Type.Optional(
      flag(
        'Whether the camera can be opened for the image. false suits a page with many cameras, with `maxAgeSec`: ' +
          'without an image that will do, the request is refused with status 503. Default true.',
      ),
    ),
    format: Type.Optional(oneOf(STILL_IMAGE_FORMATS, 'Default `jpeg`.')),
  }),
  response: {
    imageData: plainText('The image, in Base64.'),
    contentType: plainText('Media type of the image, such as `image/jpeg`.'),
    width: int32('Width in pixels.'),
    height: int32('Height in pixels.'),
    timestampMs: int64('When it was taken.'),
    live: flag('false: the camera is not streaming, and this is its last image.'),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, width: 640 },
    response: {
      imageData: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD…',
      contentType: 'image/jpeg',
      width: 640,
      height: 360,
      timestampMs: EXAMPLE_TIME_MS,
      live: true,
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, width = null, format = 'jpeg', maxAgeSec, mayOpen }) {
    const still = await services.cameraStills.newest(orgUuid, cameraUuid, {
      ...{ widthPx: width, format, qualityPercent: null, crop: null, downscaleFactor: 1 },
      ...{ isOnlyLive: false, isHeld: false, atEpochMs: null },
      ...(maxAgeSec === undefined ? {} : { maxAgeMs: maxAgeSec * MS_PER_SEC }),
      ...(mayOpen === undefined ? {} : { mayOpen }),
    });
    return {
      imageData: Buffer.from(still.bytes).toString('base64'),
      contentType: `image/${still.format}`,
      width: still.widthPx,
      height: still.heightPx,
      timestampMs: still.takenAtEpochMs,
      live: still.isLive,
    };
  },
});
