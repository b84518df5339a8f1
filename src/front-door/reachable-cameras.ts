/**
 * The cameras as viewers of this node may see them. While the node has lost touch with the owner of a camera, other nodes may be ahead of
 * it by any number of segments. Then it has no media of the camera, and responds to each request with 503, so that a load balancer tries
 * another node (docs/design/cluster.md#nodes-that-are-cut-off).
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type {
  Audience,
  H264Origin,
  Interest,
  KeyFrame,
  LiveCamera,
  LiveCameras,
  LivePictures,
  LiveRendition,
  LiveSounds,
  LiveState,
  PlaylistText,
  Waiter,
} from '../stream/media/live-media.ts';
import type { Urgency } from '../stream/media/urgency.ts';

/** After that time, the same node is worth another request. */
const RETRY_AFTER_MS = 1_000;

export class ReachableCameras implements LiveCameras {
  readonly #cameras: LiveCameras;
  readonly #clock: Clock;

  constructor(cameras: LiveCameras, clock: Clock) {
    this.#cameras = cameras;
    this.#clock = clock;
  }

  /** Hot. */
  get(cameraUuid: Ruuid): LiveCamera | undefined {
    const camera = this.#cameras.get(cameraUuid);
    return camera?.isCutOff === true ? new CutOffCamera(camera, this.#clock) : camera;
  }
}

/** A camera of which there is nothing to have. Those who want it keep the search for its owner going. */
class CutOffCamera implements LiveCamera {
  readonly isClustered = true;
  readonly isCutOff = true;
  readonly #camera: LiveCamera;
  readonly #clock: Clock;

  constructor(camera: LiveCamera, clock: Clock) {
    this.#camera = camera;
    this.#clock = clock;
  }

  get uuid(): Ruuid {
    return this.#camera.uuid;
  }

  get name(): string {
    return this.#camera.name;
  }

  touch(interest: Interest, urgency?: Urgency): void {
    this.#camera.touch(interest, urgency);
  }

  status(): LiveState {
    const retryAtEpochMs = this.#clock.epochMs() + RETRY_AFTER_MS;
    return { state: 'offline', error: outOfReach(this.uuid), retryAtEpochMs };
  }

  hasSubStream(): boolean {
    return this.#camera.hasSubStream();
  }

  hasCompatibleStream(): boolean | null {
    return this.#camera.hasCompatibleStream();
  }

  h264From(): H264Origin | null {
    return this.#camera.h264From();
  }

  hasPicture(): boolean | null {
    return this.#camera.hasPicture();
  }

  hasAudio(): boolean | null {
    return this.#camera.hasAudio();
  }

  rendition(): LiveRendition | null {
    return null;
  }

  /** The camera notifies its readers. A new request gets its state. */
  pictures(profile: 'main' | 'sub'): LivePictures | null {
    return this.#camera.pictures(profile);
  }

  get sounds(): LiveSounds {
    return this.#camera.sounds;
  }

  get speaker(): null {
    return null;
  }

  multivariantPlaylist(): string | null {
    return null;
  }

  manifest(): PlaylistText | null {
    return null;
  }

  mediaEpochMs(): number {
    return this.#camera.mediaEpochMs();
  }

  awaitManifest(_audience: Audience, waiter: Waiter): void {
    this.#refuse(waiter);
  }

  awaitPlayable(_audience: Audience, waiter: Waiter): void {
    this.#refuse(waiter);
  }

  awaitCompatible(_audience: Audience, waiter: Waiter): void {
    this.#refuse(waiter);
  }

  awaitPicture(_audience: Audience, waiter: Waiter): void {
    this.#refuse(waiter);
  }

  awaitMultivariant(_audience: Audience, waiter: Waiter): void {
    this.#refuse(waiter);
  }

  cancelWait(): void {
    // Nothing waits here.
  }

  keyFrame(): KeyFrame | null {
    return null;
  }

  #refuse(waiter: Waiter): void {
    waiter.onGone(outOfReach(this.uuid));
  }
}

function outOfReach(camera: Ruuid): GatewayError {
  return new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH, { camera, retryAfterSec: 1 });
}
