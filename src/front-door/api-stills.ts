/** Takes stills for API callers, in the gateway's thread: opens the camera, waits for its video, makes the image. */

import type { Clock } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { StillRequest, TakenStill } from '../devices/camera-stills.ts';
import { DEVICE_ERRORS } from '../devices/errors.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import type { Audience, LiveCamera, LiveCameras, Waiter } from '../stream/media/live-media.ts';
import type { HeldStills } from '../thumbnails/held-stills.ts';
import { type Still, type Stills, stillWidthPx } from '../thumbnails/stills.ts';
import {
  audienceFor,
  busy,
  ExactFrames,
  type ExactFramesOptions,
  imageCallOf,
  isExpected,
} from './exact-frames.ts';
import { pictureStateOf } from './stills/still-response.ts';
import { STILL_WAIT_MS } from './stills/still-routes.ts';

export interface ApiStillsOptions {
  readonly cameras: LiveCameras;
  readonly stills: Pick<Stills, 'still' | 'pastStill'>;
  readonly media: Pick<RecordedMedia, 'seek' | 'read' | 'spans'>;
  /** As ExactFramesOptions. */
  readonly maskedFrame?: ExactFramesOptions['maskedFrame'];
  readonly held: HeldStills;
  readonly clock: Clock;
  /** Under which viewers reach the media listener. */
  readonly mediaUrl: string;
  /** The organization that owns the camera; null: unknown. */
  readonly organizationOf?: (cameraUuid: Ruuid) => string | null;
}

export class ApiStills {
  readonly #options: ApiStillsOptions;
  readonly #exact: ExactFrames;
  /** The front door's requests have their own limit. */
  readonly #waiting = new Pool(LIMITS.imageCalls);

  constructor(options: ApiStillsOptions) {
    this.#options = options;
    this.#exact = new ExactFrames({ ...options, waiting: this.#waiting });
  }

  /** As TakeStill. */
  async take(cameraUuid: Ruuid, request: StillRequest): Promise<TakenStill> {
    const { cameras, clock } = this.#options;
    const { atEpochMs } = request;
    if (atEpochMs !== null && !request.isOnlyLive) {
      const still = await this.#exact.still(cameraUuid, request, atEpochMs);
      return this.#taken(cameraUuid, still, false, request.isHeld);
    }
    const camera = cameras.get(cameraUuid);
    if (camera === undefined) throw unavailable('not running');
    if (!isRecent(camera, request, clock.epochMs())) {
      if (request.mayOpen === false) throw unavailable(camera.status().state);
      const audience = audienceFor(camera);
      camera.touch(audience, 'picture');
      if (camera.status().state === 'starting') await this.#playable(camera, audience);
    }
    const still =
      atEpochMs !== null && isExpected(camera, atEpochMs)
        ? await this.#exact.still(cameraUuid, request, atEpochMs)
        : await this.#make(camera, request);
    const isLive = pictureStateOf(still, camera.status().state, clock.epochMs()) === 'live';
    if (request.isOnlyLive && !isLive) throw unavailable(camera.status().state);
    return this.#taken(cameraUuid, still, isLive, request.isHeld);
  }

  #taken(cameraUuid: Ruuid, still: Still, isLive: boolean, isHeld: boolean): TakenStill {
    const { held, mediaUrl } = this.#options;
    const { bytes, format, widthPx, heightPx, takenAtEpochMs } = still;
    const url = isHeld ? `${mediaUrl}/frames/${held.hold(cameraUuid, still)}` : null;
    return { bytes, format, widthPx, heightPx, takenAtEpochMs, isLive, url };
  }

  async #make(camera: LiveCamera, request: StillRequest): Promise<Still> {
    let still: Still | null;
    try {
      still = await this.#options.stills.still(camera, request);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const isBusy = error.code === FFMPEG_ERRORS.FFMPEG_POOL_FULL.code;
      throw failed(isBusy ? DEVICE_ERRORS.CAMERA_IMAGE_BUSY : DEVICE_ERRORS.CAMERA_IMAGE_BROKEN, error);
    }
    if (still !== null) return still;
    if (camera.hasPicture() === false) throw new GatewayError(DEVICE_ERRORS.CAMERA_HAS_NO_PICTURE);
    throw unavailable(camera.status().state);
  }

  /** Resolves when the camera plays, and also when it does not: then there may be its last image. */
  async #playable(camera: LiveCamera, audience: Audience): Promise<void> {
    const place = this.#waiting.take(imageCallOf(camera.uuid, this.#options.organizationOf));
    if (!place.isTaken) throw busy(place.level);
    try {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          timer.cancel();
          resolve();
        };
        const waiter: Waiter = { onReady: end, onGone: end };
        const timer = this.#options.clock.after(STILL_WAIT_MS, () => {
          camera.cancelWait(waiter);
          resolve();
        });
        camera.awaitPicture(audience, waiter);
      });
    } finally {
      place.giveBack();
    }
  }
}

/** Whether there is an image that will do, so that the camera need not be opened. */
function isRecent(
  camera: LiveCamera,
  { widthPx, maxAgeMs }: Pick<StillRequest, 'widthPx' | 'maxAgeMs'>,
  nowEpochMs: number,
): boolean {
  if (maxAgeMs === undefined) return false;
  const frame = camera.keyFrame(stillWidthPx(widthPx));
  return frame !== null && nowEpochMs - frame.atEpochMs <= maxAgeMs;
}

function unavailable(state: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.CAMERA_IMAGE_UNAVAILABLE, { state });
}

function failed(definition: ErrorDefinition, cause: GatewayError): GatewayError {
  return new GatewayError(definition, { cause: cause.code }, cause);
}
