/** The image of an alert for a mail: small, so that mail servers take it, and soon, so that the mail does not wait. */

import { systemClock } from '../../core/clock.ts';
import { isLate, untilAborted, withDeadline } from '../../core/deadline.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraStills } from '../../devices/camera-stills.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';

const WIDTH_PX = 640;
const QUALITY_PERCENT = 70;
/** With the mail server's time, an attempt is shorter than its lease. A camera that no one watches is opened within it. */
const TIMEOUT_MS = 6_000;
/** Of a camera that is not recorded, the image of this moment still shows what raised the alert. */
const FRESH_MS = 15_000;

/** Of the camera without its masks, within the acting view. `stills` null: the gateway is starting. Fails like CameraStills, and DeadlinePassed. */
export function alertPicture(
  stills: Pick<CameraStills, 'exactFrame'> | null,
  orgUuid: Ruuid,
  cameraUuid: Ruuid,
  atMs: number,
): Promise<Buffer> {
  return withDeadline(systemClock, TIMEOUT_MS, async (signal) => {
    if (stills === null) throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND);
    const imageAt = async (atEpochMs: number): Promise<Buffer> => {
      const { bytes } = await stills.exactFrame({ orgUuid, role: 'admin' }, cameraUuid, {
        atEpochMs,
        crop: null,
        widthPx: WIDTH_PX,
        format: 'jpeg',
        qualityPercent: QUALITY_PERCENT,
        downscaleFactor: 1,
        isHeld: false,
      });
      return Buffer.from(bytes);
    };
    const taking = imageAt(atMs).catch((thrown: unknown) => {
      const nowMs = systemClock.epochMs();
      if (nowMs - atMs > FRESH_MS) throw thrown;
      return imageAt(nowMs);
    });
    return untilAborted(taking, signal).catch((thrown: unknown) => {
      throw isLate(signal) ? signal.reason : thrown;
    });
  });
}
