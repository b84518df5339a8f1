/** The image of an alert for a mail: small, so that mail servers take it, and soon, so that the mail does not wait. */

import { systemClock } from '../../core/clock.ts';
import { untilAborted, withDeadline } from '../../core/deadline.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraStills } from '../../devices/camera-stills.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';

const WIDTH_PX = 640;
const QUALITY_PERCENT = 70;
/** Of one image. With three of them, and the mail server's time, an attempt is shorter than its lease. */
const TIMEOUT_MS = 3_000;

/** Of the camera, within the acting view. `stills` null: the gateway is starting. Fails like CameraStills. */
export function alertPicture(
  stills: Pick<CameraStills, 'exactFrame'> | null,
  orgUuid: Ruuid,
  cameraUuid: Ruuid,
  atMs: number,
): Promise<Buffer> {
  return withDeadline(systemClock, TIMEOUT_MS, async (signal) => {
    if (stills === null) throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND);
    const taking = stills.exactFrame(orgUuid, cameraUuid, {
      atEpochMs: atMs,
      crop: null,
      widthPx: WIDTH_PX,
      format: 'jpeg',
      qualityPercent: QUALITY_PERCENT,
      downscaleFactor: 1,
      isHeld: false,
    });
    const { bytes } = await untilAborted(taking, signal);
    return Buffer.from(bytes);
  });
}
