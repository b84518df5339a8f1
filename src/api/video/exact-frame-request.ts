/** What both endpoints for the image of an instant are asked. */

import { type Static, Type } from 'typebox';
import type { ExactFrameRequest } from '../../devices/camera-stills.ts';
import { deviceUuid, int32, int64 } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_DOWNSCALE_FACTOR = 64;
const PERMYRIAD = 10_000;

export const EXACT_FRAME_DESCRIPTION =
  'It is the frame that was shown at that instant, to the frame, from the last seconds in memory if the camera is open, or ' +
  'from the recording. A frame that was taken and has not arrived is waited for, up to 5 s. If nothing has the instant, the ' +
  'response is 404 and names the nearest times with a picture. For the current time, a camera that is not open is opened, ' +
  'and its first image is returned; if it is not streaming, the response is 503.';

export const EXACT_FRAME_REQUEST = Type.Object({
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

export const EXACT_FRAME_EXAMPLE = {
  cameraUuid: EXAMPLE_CAMERA_UUID,
  timestampMs: EXAMPLE_TIME_MS,
  downscaleFactor: 2,
  jpgQuality: 80,
};

/** The fields as the service takes them. */
export function exactFrameOf(body: Static<typeof EXACT_FRAME_REQUEST>, isHeld: boolean): ExactFrameRequest {
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
