/** Still images of cameras for API callers: the newest one, and the one of an instant. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Role } from '../store/person.ts';
import { cameraShownTo } from '../store/privacy-mask.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';

export const STILL_IMAGE_FORMATS = ['jpeg', 'webp', 'avif'] as const;
export type StillImageFormat = (typeof STILL_IMAGE_FORMATS)[number];

/** A part of the picture, in ten-thousandths of its width and height. */
export interface StillCrop {
  readonly xPermyriad: number;
  readonly yPermyriad: number;
  readonly widthPermyriad: number;
  readonly heightPermyriad: number;
}

export interface StillRequest {
  /** At most; null: the camera's own width. */
  readonly widthPx: number | null;
  readonly format: StillImageFormat;
  /** 1 to 100; null: the format's default. */
  readonly qualityPercent: number | null;
  readonly crop: StillCrop | null;
  readonly downscaleFactor: number;
  /** The instant whose frame is wanted; null: the newest image. */
  readonly atEpochMs: number | null;
  /**
   * Not the last image of a camera that is not streaming. With an instant, which is now: a camera that was not open is opened, and
   * its first image is taken.
   */
  readonly isOnlyLive: boolean;
  /** An image that is at most this old will do: no camera is opened for it. Absent: the newest. */
  readonly maxAgeMs?: number;
  /** false: the camera is not opened; without an image that will do, there is none. Default: true. */
  readonly mayOpen?: boolean;
  /** It gets a URL under which it can be read for some minutes. */
  readonly isHeld: boolean;
}

export interface TakenStill {
  readonly bytes: Uint8Array;
  readonly format: StillImageFormat;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly takenAtEpochMs: number;
  /** false: the last image of a camera that is not streaming, or one of the past. */
  readonly isLive: boolean;
  /** null: it was not requested. */
  readonly url: string | null;
}

/**
 * Takes the newest image, opening the camera if necessary, or one from the recording. Fails CAMERA_IMAGE_UNAVAILABLE, CAMERA_HAS_NO_PICTURE
 * if it sends only audio, FRAME_NOT_RECORDED, CAMERA_IMAGE_BUSY, and CAMERA_IMAGE_BROKEN if its video cannot be decoded.
 */
export type TakeStill = (cameraUuid: Ruuid, request: StillRequest) => Promise<TakenStill>;

export interface ExactFrameRequest extends Omit<StillRequest, 'isOnlyLive' | 'atEpochMs'> {
  readonly atEpochMs: number;
}

/** How far in the past "now" may be, for requests that take a moment. */
export const NOW_PAST_MS = 1_000;
/** How far in the future "now" may be, for clocks that differ. */
const NOW_FUTURE_MS = 30_000;
const PERMYRIAD = 10_000;

/** Whose image it is. */
export interface StillCaller {
  readonly orgUuid: Ruuid;
  readonly role: Role;
}

export interface CameraStillsOptions {
  readonly devices: DeviceService;
  readonly clock: Clock;
  readonly takeStill: TakeStill;
}

export class CameraStills {
  readonly #options: CameraStillsOptions;

  constructor(options: CameraStillsOptions) {
    this.#options = options;
  }

  /** The newest image, or the last one of an offline camera, marked as such. Fails CAMERA_NOT_FOUND, as TakeStill. */
  async newest(
    { orgUuid, role }: StillCaller,
    cameraUuid: string,
    request: StillRequest,
  ): Promise<TakenStill> {
    const { camera } = await this.#options.devices.findCamera(orgUuid, cameraUuid);
    return this.#options.takeStill(cameraShownTo(role, camera), request);
  }

  /**
   * The image of an instant: the frame that was shown then. For now, a camera that is not open is opened, and its first
   * image is taken. Fails FRAME_NOT_RECORDED, FRAME_IN_FUTURE, FRAME_CROP_INVALID, CAMERA_NOT_FOUND and as TakeStill.
   */
  async exactFrame(
    { orgUuid, role }: StillCaller,
    cameraUuid: string,
    request: ExactFrameRequest,
  ): Promise<TakenStill> {
    const { atEpochMs, crop } = request;
    const { camera } = await this.#options.devices.findCamera(orgUuid, cameraUuid);
    if (crop !== null && !isWithin(crop)) throw new GatewayError(DEVICE_ERRORS.FRAME_CROP_INVALID);
    const nowEpochMs = this.#options.clock.epochMs();
    if (atEpochMs > nowEpochMs + NOW_FUTURE_MS) throw new GatewayError(DEVICE_ERRORS.FRAME_IN_FUTURE);
    const isPast = atEpochMs < nowEpochMs - NOW_PAST_MS;
    const { widthPx, format, qualityPercent, downscaleFactor, isHeld } = request;
    return this.#options.takeStill(cameraShownTo(role, camera), {
      widthPx,
      format,
      qualityPercent,
      crop,
      downscaleFactor,
      isHeld,
      isOnlyLive: !isPast,
      atEpochMs: Math.min(atEpochMs, nowEpochMs),
    });
  }
}

function isWithin({ xPermyriad, yPermyriad, widthPermyriad, heightPermyriad }: StillCrop): boolean {
  return (
    widthPermyriad > 0 &&
    heightPermyriad > 0 &&
    xPermyriad + widthPermyriad <= PERMYRIAD &&
    yPermyriad + heightPermyriad <= PERMYRIAD
  );
}
