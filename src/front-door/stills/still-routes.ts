/**
 * Still images: the poster of a share by its link or by a viewer's grant, the snapshot of the camera that a grant shows,
 * and frames that an API call made (docs/design/stills.md). The access is checked before an image is made, because of
 * what that costs, and again when it is ready, because of how long it took.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import { SHARE_TOKEN_CHARS } from '../../sharing/share-token.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { Audience, LiveBody, LiveCamera, Waiter } from '../../stream/media/live-media.ts';
import { RenderedPlaylist } from '../../stream/media/rendered-playlist.ts';
import type { Still, StillRequest } from '../../thumbnails/stills.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { sendNothing, sentBytes } from '../response/media-response.ts';
import { rawQuery } from '../response/raw-query.ts';
import { offlineError, sendFailure, sendOpeningRefused, sendRefused } from '../response/refusal-response.ts';
import { WaitingReply } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { acceptedStillFormat, stillWidthOf } from './still-query.ts';
import { hasStill, pictureStateOf, sendNotModified, sendStill } from './still-response.ts';

/** Enough for the moment before the video plays, on any screen. */
const POSTER_WIDTH_PX = 640;
/** How long a request waits for a camera that is being opened before it gets the last image, or none. */
export const STILL_WAIT_MS = 10_000;
/** How often a waiting request without a viewer session checks whether its link still counts. */
const LINK_RECHECK_MS = 500;

const POSTER: StillRequest = {
  widthPx: POSTER_WIDTH_PX,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
};
const UNKNOWN_NAME: AccessRefused = { allowed: false, reason: 'unknown', untilEpochMs: null };
const NO_BODY: LiveBody = new RenderedPlaylist('');

/** The caller who requests a still image, and the current access decision. */
export interface StillViewer {
  readonly cameraUuid: Ruuid;
  readonly audience: Audience;
  /** null: there is none, as with a share's link. */
  readonly session: ViewerSession | null;
  /** null: it may see the camera now. Otherwise sends the refusal. */
  refusal(): Refusal | null;
  /** Whether the viewer could have seen the frame that was taken then. */
  maySee(takenAtEpochMs: number): boolean;
}

type Refusal = (reply: FastifyReply) => void;

interface GrantParams {
  readonly grant: string;
}

type GrantRequest = FastifyRequest<{ Params: GrantParams }>;

/** How to respond while the camera opens, and if there is no image. */
interface Manner {
  readonly isWaiting: boolean;
  /** 204: a page that requests a poster shows the video as soon as there is a frame. */
  readonly isEmptyFine: boolean;
}

const SNAPSHOT_MANNER: Manner = { isWaiting: true, isEmptyFine: false };
const PAGE_POSTER_MANNER: Manner = { isWaiting: false, isEmptyFine: true };

export class StillRoutes {
  readonly #parts: FrontDoorParts;

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  register(app: FastifyInstance): void {
    app.get<{ Params: GrantParams }>(
      '/live/:grant/poster.jpg',
      { config: { access: 'link-or-grant' } },
      (request, reply) => {
        const { grant } = request.params;
        // Tokens and grants differ in length.
        if (grant.length === SHARE_TOKEN_CHARS) {
          this.#sendTo(this.#viewerByLink(grant, request), request, reply, POSTER, SNAPSHOT_MANNER);
        } else this.#sendTo(this.#viewerByGrant(request), request, reply, POSTER, PAGE_POSTER_MANNER);
      },
    );
    app.get<{ Params: GrantParams }>(
      '/live/:grant/snapshot.jpeg',
      { config: { access: 'grant' } },
      (request, reply) => this.sendSnapshot(this.#viewerByGrant(request), request, reply),
    );
    app.get<{ Params: { name: string } }>(
      '/frames/:name',
      { config: { access: 'frame' } },
      (request, reply) => this.#sendFrame(request, reply),
    );
  }

  /**
   * The newest image of the viewer's camera, in the width of the query and the format of the Accept header, or the
   * refusal. Fails STILL_WIDTH_INVALID.
   */
  sendSnapshot(viewer: StillViewer, request: FastifyRequest, reply: FastifyReply): void {
    const wanted: StillRequest = {
      widthPx: stillWidthOf(rawQuery(request)),
      format: acceptedStillFormat(request.headers.accept),
      qualityPercent: null,
      crop: null,
      downscaleFactor: 1,
    };
    this.#sendTo(viewer, request, reply, wanted, SNAPSHOT_MANNER);
  }

  /** By the session of a grant. */
  #viewerByGrant(request: GrantRequest): StillViewer {
    const { sessions, gate, clock } = this.#parts;
    const { grant } = request.params;
    const access = sessions.access(grant, request);
    const session = access.allowed ? access : null;
    return {
      session,
      cameraUuid: session?.cameraUuid ?? ('' as Ruuid),
      audience: session?.audience ?? 'silent',
      refusal() {
        const now = sessions.access(grant, request);
        if (!now.allowed) return (reply) => sendRefused(reply, now, clock.epochMs());
        if (now.cameraUuid === session?.cameraUuid) return null;
        // The grant shows another camera by now.
        return (reply) => sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
      },
      maySee: (takenAtEpochMs) =>
        session !== null && (session.shareUuid === null || gate.wasShown(session.shareUuid, takenAtEpochMs)),
    };
  }

  /** By a share's link alone: a share with a password has no poster. */
  #viewerByLink(shareToken: string, request: FastifyRequest): StillViewer {
    const { gate, clock } = this.#parts;
    const looked = gate.look(shareToken, request);
    const share = looked.allowed ? looked.view.share : null;
    return {
      session: null,
      cameraUuid: share?.cameraUuid ?? ('' as Ruuid),
      audience: share?.includeAudio ? 'sound' : 'silent',
      refusal() {
        const now = gate.look(shareToken, request);
        if (!now.allowed) return (reply) => sendOpeningRefused(reply, now, clock.epochMs());
        if (now.view.share.cameraUuid === share?.cameraUuid) return null;
        // The share shows another camera by now.
        return (reply) => sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
      },
      maySee: (takenAtEpochMs) => share !== null && gate.wasShown(share.uuid, takenAtEpochMs),
    };
  }

  #sendTo(
    viewer: StillViewer,
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: StillRequest,
    manner: Manner,
  ): void {
    const refuse = viewer.refusal();
    if (refuse !== null) {
      refuse(reply);
      return;
    }
    const camera = this.#parts.cameras.get(viewer.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return;
    }
    if (camera.isCutOff) {
      sendFailure(reply, this.#absence(camera));
      return;
    }
    const deliver = (): void => {
      this.#deliver(viewer, camera, request, reply, wanted, manner).catch((thrown) => {
        sendFailure(reply, toGatewayError(thrown));
      });
    };
    if (!manner.isWaiting) {
      deliver();
      return;
    }
    camera.touch(viewer.audience, 'picture');
    if (camera.status().state === 'starting') this.#awaitCamera(viewer, camera, reply, deliver);
    else deliver();
  }

  /** Calls `deliver` when the camera plays, and also when it does not: then there may be its last image. */
  #awaitCamera(viewer: StillViewer, camera: LiveCamera, reply: FastifyReply, deliver: () => void): void {
    const { room, clock } = this.#parts;
    const either: Waiter = {
      onReady: () => waiting.onReady(NO_BODY),
      onGone: () => waiting.onReady(NO_BODY),
    };
    const source = { cancelWait: () => camera.cancelWait(either) };
    const { session } = viewer;
    const waiting = new WaitingReply({ room, reply, session, source, deliver, maxWaitMs: null });
    clock.after(STILL_WAIT_MS, () => {
      camera.cancelWait(either);
      waiting.onReady(NO_BODY);
    });
    if (session === null) this.#recheck(viewer, waiting);
    camera.awaitPicture(viewer.audience, either);
  }

  /** A waiting request without a viewer session is only cut off here. */
  #recheck(viewer: StillViewer, waiting: WaitingReply): void {
    this.#parts.clock.after(LINK_RECHECK_MS, () => {
      if (waiting.isOver) return;
      const refuse = viewer.refusal();
      if (refuse === null) this.#recheck(viewer, waiting);
      else waiting.endWith(refuse);
    });
  }

  async #deliver(
    viewer: StillViewer,
    camera: LiveCamera,
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: StillRequest,
    manner: Manner,
  ): Promise<void> {
    let still: Still | null = null;
    let failure: GatewayError | null = null;
    try {
      still = await this.#parts.stills.still(camera, wanted);
    } catch (thrown) {
      failure = toGatewayError(thrown);
    }
    const refuse = viewer.refusal();
    if (refuse !== null) {
      refuse(reply);
      return;
    }
    const current = this.#parts.cameras.get(viewer.cameraUuid);
    if (current?.isCutOff === true) {
      sendFailure(reply, this.#absence(current));
      return;
    }
    const nowEpochMs = this.#parts.clock.epochMs();
    if (still !== null && viewer.maySee(still.takenAtEpochMs)) {
      const state = pictureStateOf(still, camera.status().state, nowEpochMs);
      if (hasStill(request, still)) sendNotModified(reply, still, state, nowEpochMs);
      else if (this.#begin(viewer.session, reply, still)) {
        sendStill(reply, still, state, nowEpochMs);
        this.#count(viewer.session, sentBytes(reply, still.bytes.length));
      }
    } else if (manner.isEmptyFine) sendNothing(reply);
    else sendFailure(reply, failure === null ? this.#absence(camera) : busyOrBroken(failure));
  }

  /** The reason why there is no image that may be shown. */
  #absence(camera: LiveCamera): GatewayError {
    const state = camera.status();
    if (state.state === 'offline') return offlineError(state, this.#parts.clock.epochMs());
    if (camera.hasPicture() === false) return new GatewayError(STREAM_ERRORS.STREAM_NO_PICTURE);
    return new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START);
  }

  #sendFrame(request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply): void {
    const held = this.#parts.heldStills.find(request.params.name);
    if (held === null || this.#parts.cameras.get(held.cameraUuid) === undefined) {
      sendRefused(reply, UNKNOWN_NAME, this.#parts.clock.epochMs());
      return;
    }
    const { still } = held;
    // It stays that of its moment, whatever the camera does now.
    const nowEpochMs = this.#parts.clock.epochMs();
    if (hasStill(request, still)) sendNotModified(reply, still, 'past', nowEpochMs);
    else sendStill(reply, still, 'past', nowEpochMs);
  }

  /** Whether the image may be sent now. If not, the viewer got a response. */
  #begin(session: ViewerSession | null, reply: FastifyReply, still: Still): boolean {
    if (session === null) return true;
    const result = this.#parts.responses.begin(reply, session, null, still.bytes.length);
    if (result === 'begun') return true;
    if (result === 'gone') reply.hijack();
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
    return false;
  }

  #count(session: ViewerSession | null, bytes: number): void {
    if (session === null) return;
    this.#parts.traffic.count(session, bytes, this.#parts.sessions);
  }
}

/** The failure that the viewer sees: the camera's fault, or too much load. */
function busyOrBroken(failure: GatewayError): GatewayError {
  const isBusy = failure.code === FFMPEG_ERRORS.FFMPEG_POOL_FULL.code;
  const definition = isBusy ? FRONT_DOOR_ERRORS.TOO_MANY_STILLS : FRONT_DOOR_ERRORS.STILL_UNAVAILABLE;
  return new GatewayError(definition, failure.context, failure);
}
