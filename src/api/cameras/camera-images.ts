/** Images of a camera: the newest one, and one of an instant. */

import { type Static, Type } from 'typebox';
import { type ExactFrameRequest, STILL_IMAGE_FORMATS } from '../../devices/camera-stills.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag, int32, int64, oneOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_WIDTH_PX = 3_840;
const MAX_AGE_SEC = 86_400;
const MS_PER_SEC = 1_000;

const getSnapshot = defineEndpoint({
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
  async handler(
    { orgUuid, caller: { role }, services },
    { cameraUuid, width = null, format = 'jpeg', maxAgeSec, mayOpen },
  ) {
    const still = await services.cameraStills.newest({ orgUuid, role }, cameraUuid, {
      widthPx: width,
      format,
      qualityPercent: null,
      crop: null,
      downscaleFactor: 1,
      isOnlyLive: false,
      isHeld: false,
      atEpochMs: null,
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

const MAX_DOWNSCALE_FACTOR = 64;
const PERMYRIAD = 10_000;

const EXACT_FRAME_DESCRIPTION =
  'It is the frame that was shown at that instant, to the frame, from the last seconds in memory if the camera is open, or ' +
  'from the recording. A frame that was taken and has not arrived is waited for, up to 5 s. If nothing has the instant, the ' +
  'response is 404 and names the nearest times with a picture. For the current time, a camera that is not open is opened, ' +
  'and its first image is returned; if it is not streaming, the response is 503.';

const EXACT_FRAME_REQUEST = Type.Object({
  cameraUuid: deviceUuid('The camera.'),
  timestampMs: int64('The instant. Up to 1 s ago, and up to 30 s ahead, means now.', 0),
  downscaleFactor: Type.Optional(
    int32('Width and height are divided by this. Default 1.', 1, MAX_DOWNSCALE_FACTOR),
  ),
  jpgQuality: Type.Optional(int32('Quality of the JPEG. Default 75.', 1, 100)),
  permyriadCropX: Type.Optional(int32('Left edge, in 1/10000 of the width. Default 0.', 0, PERMYRIAD)),
  permyriadCropY: Type.Optional(int32('Top edge, in 1/10000 of the height. Default 0.', 0, PERMYRIAD)),
  permyriadCropWidth: Type.Optional(
    int32(
      'Width of the part to show, in 1/10000. Default: all that is right of `permyriadCropX`.',
      1,
      PERMYRIAD,
    ),
  ),
  permyriadCropHeight: Type.Optional(
    int32(
      'Height of the part to show, in 1/10000. Default: all that is below `permyriadCropY`.',
      1,
      PERMYRIAD,
    ),
  ),
});

const EXACT_FRAME_EXAMPLE = {
  cameraUuid: EXAMPLE_CAMERA_UUID,
  timestampMs: EXAMPLE_TIME_MS,
  downscaleFactor: 2,
  jpgQuality: 80,
};

/** The fields as the service takes them. */
function exactFrameOf(body: Static<typeof EXACT_FRAME_REQUEST>, isHeld: boolean): ExactFrameRequest {
  const { permyriadCropX: xPermyriad = 0, permyriadCropY: yPermyriad = 0 } = body;
  const { permyriadCropWidth: widthPermyriad = PERMYRIAD - xPermyriad } = body;
  const { permyriadCropHeight: heightPermyriad = PERMYRIAD - yPermyriad } = body;
  const isWhole =
    xPermyriad === 0 && yPermyriad === 0 && widthPermyriad === PERMYRIAD && heightPermyriad === PERMYRIAD;
  return {
    atEpochMs: body.timestampMs,
    widthPx: null,
    format: 'jpeg',
    isHeld,
    qualityPercent: body.jpgQuality ?? null,
    downscaleFactor: body.downscaleFactor ?? 1,
    crop: isWhole ? null : { xPermyriad, yPermyriad, widthPermyriad, heightPermyriad },
  };
}

const getExactFrameUri = defineEndpoint({
  path: '/api/video/getExactFrameUri',
  summary: 'Makes the image of a camera at an instant and returns its URL.',
  description:
    `${EXACT_FRAME_DESCRIPTION} The image is made now and can be read at the URL for 5 minutes, without credentials: ` +
    'its name cannot be guessed, so give it only to those who may see the image.',
  request: EXACT_FRAME_REQUEST,
  response: { frameUri: plainText('URL of the JPEG, on the media listener.') },
  example: {
    request: EXACT_FRAME_EXAMPLE,
    response: { frameUri: 'https://media.example.com/frames/6l4mHqY0X2v3Ck1rTbNwZA.jpeg' },
  },
  async handler({ orgUuid, caller: { role }, services }, body) {
    const of = { orgUuid, role };
    const still = await services.cameraStills.exactFrame(of, body.cameraUuid, exactFrameOf(body, true));
    return { frameUri: still.url ?? '' };
  },
});

const getExactFrameData = defineEndpoint({
  path: '/api/video/getExactFrameData',
  summary: 'Reads the image of a camera at an instant.',
  description: EXACT_FRAME_DESCRIPTION,
  request: EXACT_FRAME_REQUEST,
  response: { frameData: plainText('The JPEG, in Base64.') },
  example: {
    request: EXACT_FRAME_EXAMPLE,
    response: { frameData: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD…' },
  },
  async handler({ orgUuid, caller: { role }, services }, body) {
    const of = { orgUuid, role };
    const still = await services.cameraStills.exactFrame(of, body.cameraUuid, exactFrameOf(body, false));
    return { frameData: Buffer.from(still.bytes).toString('base64') };
  },
});

export const CAMERA_IMAGE_ENDPOINTS: readonly Endpoint[] = [getSnapshot, getExactFrameUri, getExactFrameData];
