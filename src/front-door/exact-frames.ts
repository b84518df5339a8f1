/**
 * The frame that a camera showed at an instant, as an image: from its live window or its recording, also if the instant is
 * so young that neither has it yet. docs/design/stills.md#the-past.
 */

import { type Clock, pause } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import type { Pool } from '../core/limits/pool.ts';
import type { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { StillRequest } from '../devices/camera-stills.ts';
import { DEVICE_ERRORS } from '../devices/errors.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import { PLAYBACK_ERRORS } from '../playback/errors.ts';
import {
  type FoundFrame,
  OTHER_RENDITIONS,
  pastFrame,
  RECENT_RENDITIONS,
  recentFrame,
} from '../playback/past-frames.ts';
import type { PastPlayback } from '../playback/past-playback.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type {
  Audience,
  HeldSpan,
  LiveCamera,
  LiveCameras,
  RenditionName,
} from '../stream/media/live-media.ts';
import type { Still, Stills } from '../thumbnails/stills.ts';

/** How long a call waits for a picture that was taken and is not here yet. */
export const EXACT_WAIT_MS = 5_000;
/** Pictures of older instants are here, or never will be: a segment lasts at most 20 s. */
export const RECENT_MS = 25_000;
/** A part lasts 200 ms or more. Frames that are on their way to the disk, or from another node, are requested less often. */
const LOOK_AGAIN_MS = 50;
const LOOK_ELSEWHERE_MS = 250;
/** How far from the instant the nearest pictures are looked for. */
const NEAR_MS = 3_600_000;
/** Before the end of a span: its last frame, whatever was rounded. */
const END_MS = 3;
/** Recorded segments that are no further apart follow each other. */
const JOIN_MS = 100;
const BUSY_CODES: ReadonlySet<string> = new Set([
  FFMPEG_ERRORS.FFMPEG_POOL_FULL.code,
  PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_READS.code,
]);

export interface ExactFramesOptions {
  readonly cameras: LiveCameras;
  readonly stills: Pick<Stills, 'pastStill'>;
  readonly media: Pick<RecordedMedia, 'seek' | 'read' | 'spans'>;
  /** As PastPlayback. Default: no camera has masks. */
  readonly maskedFrame?: PastPlayback['maskedFrame'] | undefined;
  readonly clock: Clock;
  /** Calls that wait. */
  readonly waiting: Pool<typeof LIMITS.imageCalls>;
  /** The organization that owns the camera; null: unknown. */
  readonly organizationOf?: ((cameraUuid: Ruuid) => string | null) | undefined;
}

export class ExactFrames {
  readonly #options: ExactFramesOptions;

  constructor(options: ExactFramesOptions) {
    this.#options = options;
  }

  /**
   * The frame that was shown at the instant, not another one. Waits up to EXACT_WAIT_MS for one that is on its way. Fails
   * FRAME_NOT_RECORDED with the nearest times that have one, CAMERA_HAS_NO_PICTURE, CAMERA_IMAGE_BUSY, CAMERA_IMAGE_BROKEN.
   */
  async still(cameraUuid: Ruuid, request: StillRequest, atEpochMs: number): Promise<Still> {
    const { clock } = this.#options;
    const place = this.#options.waiting.take(imageCallOf(cameraUuid, this.#options.organizationOf));
    if (!place.isTaken) throw busy(place.level);
    try {
      this.#keepOpen(cameraUuid, atEpochMs);
      const untilMonoMs = clock.monoMs() + EXACT_WAIT_MS;
      for (;;) {
        const looked = await this.#look(cameraUuid, request, atEpochMs);
        if (looked.still !== null) return looked.still;
        const pauseMs = await this.#pauseMs(cameraUuid, looked.found, atEpochMs);
        if (pauseMs === null || clock.monoMs() >= untilMonoMs) {
          throw await this.#absence(cameraUuid, looked.found, atEpochMs);
        }
        await pause(clock, pauseMs);
      }
    } finally {
      place.giveBack();
    }
  }

  /** A camera that is open gets a window, if it has none; in a cluster, the owner's window is mirrored. */
  #keepOpen(cameraUuid: Ruuid, atEpochMs: number): void {
    const { cameras, clock } = this.#options;
    const camera = cameras.get(cameraUuid);
    if (camera === undefined || atEpochMs < clock.epochMs() - RECENT_MS) return;
    if (camera.hasPicture() === false) throw new GatewayError(DEVICE_ERRORS.CAMERA_HAS_NO_PICTURE);
    if (camera.isClustered || isOpen(camera)) camera.touch(audienceFor(camera), 'picture');
  }

  async #look(
    cameraUuid: Ruuid,
    request: StillRequest,
    atEpochMs: number,
  ): Promise<{ still: Still | null; found: FoundFrame }> {
    let found: FoundFrame = { kind: 'none' };
    const camera = this.#options.cameras.get(cameraUuid);
    // A frame that is newer than the live window is not on the disk either.
    if (camera !== undefined && reachOf(camera, atEpochMs) === 'behind') return { still: null, found };
    const find = async () => {
      found = await this.#find(cameraUuid, atEpochMs);
      return found.kind === 'frame' ? found.frame : null;
    };
    try {
      const still = await this.#options.stills.pastStill(cameraUuid, String(atEpochMs), request, find);
      return { still, found };
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === 'not-found') return { still: null, found };
      const isBusy = BUSY_CODES.has(error.code);
      throw failed(isBusy ? DEVICE_ERRORS.CAMERA_IMAGE_BUSY : DEVICE_ERRORS.CAMERA_IMAGE_BROKEN, error);
    }
  }

  /** As it is recorded, if anything has it so. */
  async #find(cameraUuid: Ruuid, atEpochMs: number): Promise<FoundFrame> {
    const { cameras, media } = this.#options;
    const camera = cameras.get(cameraUuid);
    const recent = camera === undefined ? NONE : recentFrame(camera, atEpochMs, RECENT_RENDITIONS);
    if (recent.kind !== 'none') return recent;
    const masked = (await this.#options.maskedFrame?.(cameraUuid, atEpochMs)) ?? null;
    const past = masked ?? (await pastFrame(media, cameraUuid, atEpochMs));
    if (past.kind !== 'none' || camera === undefined) return past;
    return recentFrame(camera, atEpochMs, OTHER_RENDITIONS);
  }

  /** When to look again; null: the frame will not come. */
  async #pauseMs(cameraUuid: Ruuid, found: FoundFrame, atEpochMs: number): Promise<number | null> {
    const { cameras, media, clock } = this.#options;
    const camera = cameras.get(cameraUuid);
    if (camera === undefined || found.kind === 'gap' || atEpochMs < clock.epochMs() - RECENT_MS) return null;
    const { state } = camera.status();
    if (state === 'offline') return null;
    const reach = reachOf(camera, atEpochMs);
    if (found.kind === 'coming' || reach === 'behind') return LOOK_AGAIN_MS;
    if (reach === 'none') return state === 'idle' ? null : LOOK_ELSEWHERE_MS;
    // It left the window, or another node has it: its segment may be on the way to the disk.
    const stream = { cameraUuid, rendition: RECORDED_RENDITION };
    const spans = await media.spans(stream, atEpochMs - RECENT_MS, clock.epochMs(), JOIN_MS);
    const newestMs = Math.max(...spans.map(({ endMs }) => endMs));
    return newestMs > atEpochMs - RECENT_MS && newestMs <= atEpochMs ? LOOK_ELSEWHERE_MS : null;
  }

  /** With the nearest instants of which there is a picture, whole epoch milliseconds. */
  async #absence(cameraUuid: Ruuid, found: FoundFrame, atEpochMs: number): Promise<GatewayError> {
    const { cameras, media } = this.#options;
    const camera = cameras.get(cameraUuid);
    const stream = { cameraUuid, rendition: RECORDED_RENDITION };
    const held = camera === undefined ? [] : heldSpans(camera);
    const spans = [
      ...held,
      ...(await media.spans(stream, atEpochMs - NEAR_MS, atEpochMs + NEAR_MS, JOIN_MS)),
    ];
    const before = spans
      .filter(({ endMs }) => endMs <= atEpochMs)
      .map(({ endMs }) => Math.ceil(endMs) - END_MS);
    const after = spans.filter(({ startMs }) => startMs > atEpochMs).map(({ startMs }) => Math.ceil(startMs));
    if (found.kind === 'gap') {
      if (found.beforeMs !== null) before.push(found.beforeMs);
      if (found.afterMs !== null) after.push(found.afterMs);
    }
    return new GatewayError(DEVICE_ERRORS.FRAME_NOT_RECORDED, {
      camera: cameraUuid,
      ...(before.length === 0 ? {} : { beforeMs: Math.max(...before) }),
      ...(after.length === 0 ? {} : { afterMs: Math.min(...after) }),
    });
  }
}

const NONE: FoundFrame = { kind: 'none' };

/** The holders of the call's place. A camera of unknown organization counts as its own organization. */
export function imageCallOf(
  camera: Ruuid,
  organizationOf: ExactFramesOptions['organizationOf'],
): { readonly organization: string; readonly camera: string } {
  return { organization: organizationOf?.(camera) ?? camera, camera };
}

export function busy(boundOf: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.CAMERA_IMAGE_BUSY, { boundOf });
}

/** Whom the camera plays for already; otherwise without audio, which no image has. */
export function audienceFor(camera: Pick<LiveCamera, 'rendition'>): Audience {
  return camera.rendition('main') === null ? 'silent' : 'sound';
}

function isOpen(camera: LiveCamera): boolean {
  const { state } = camera.status();
  return state === 'live' || state === 'starting';
}

function heldSpans(
  camera: Pick<LiveCamera, 'rendition'>,
  names: readonly RenditionName[] = [...RECENT_RENDITIONS, ...OTHER_RENDITIONS],
): readonly HeldSpan[] {
  return names.flatMap((name) => camera.rendition(name)?.heldSpans() ?? []);
}

/** Whether the live windows have come to the instant; `none`: those that there are have stopped long before it. */
function reachOf(camera: Pick<LiveCamera, 'rendition'>, atEpochMs: number): 'past' | 'behind' | 'none' {
  for (const names of [RECENT_RENDITIONS, OTHER_RENDITIONS]) {
    const newestMs = Math.max(...heldSpans(camera, names).map(({ endMs }) => endMs));
    if (newestMs > atEpochMs) return 'past';
    if (newestMs > atEpochMs - EXACT_WAIT_MS) return 'behind';
  }
  return 'none';
}

/** Whether the camera was open at the instant, a moment ago, and still is: its live window has the frame, or will have it. */
export function isExpected(camera: LiveCamera, atEpochMs: number): boolean {
  if (camera.status().state !== 'live') return false;
  return [...RECENT_RENDITIONS, ...OTHER_RENDITIONS].some((name) => {
    const newest = camera.rendition(name)?.heldSpans().at(-1);
    return newest !== undefined && newest.startMs <= atEpochMs && newest.endMs > atEpochMs - EXACT_WAIT_MS;
  });
}

function failed(definition: ErrorDefinition, cause: GatewayError): GatewayError {
  return new GatewayError(definition, { cause: cause.code }, cause);
}
