/**
 * MPEG-DASH for viewers with a grant: the manifest, its media, and the time. The same access decision, camera states
 * and waits as for HLS (viewer-routes.ts).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { type ManifestLatency, parseManifestQuery } from '../../dash/manifest-query.ts';
import {
  MANIFEST_NAME,
  parseDashName,
  STREAM_IDS,
  type StreamId,
  TIME_NAME,
} from '../../dash/media-names.ts';
import { SCRIPT_FOLDER, scriptPath } from '../../dash/script-manifest.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type {
  Audience,
  Content,
  Interest,
  LiveCamera,
  LiveRendition,
  ManifestVideo,
  PlaylistText,
  RenditionName,
} from '../../stream/media/live-media.ts';
import { MANIFEST_INTERESTS } from '../../stream/media/renditions.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { AUDIO, MANIFEST, MEDIA, sendBytes, sendMedia, sentBytes, TIME } from '../response/media-response.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure } from '../response/refusal-response.ts';
import { heightQuery } from '../response/requested-height.ts';
import { type VariantQuery, variantQueryOf, videoQuery } from '../response/requested-video.ts';
import type { Deliver } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import { GrowingSegment } from './growing-segment.ts';
import { ManifestQueries } from './manifest-queries.ts';
import { sendMissing } from './rendition-replies.ts';
import { COLD_WAIT_MS } from './viewer-routes.ts';

export interface NameParams extends GrantParams {
  readonly name: string;
}

const BY_GRANT = { config: { access: 'grant' } } as const;
const RENDITIONS: Readonly<Record<StreamId, RenditionName>> = {
  main: 'main-silent',
  sub: 'sub-silent',
  audio: 'main-audio',
  h264: 'h264-silent',
};
const AUDIO_ALONE: readonly Content[] = ['audio'];
const NOTHING: readonly Content[] = [];

/** A viewer's request for a manifest. */
interface ManifestRequest {
  readonly session: ViewerSession;
  readonly reply: FastifyReply;
  readonly latency: ManifestLatency;
  readonly variant: VariantQuery;
  /** In the form that scripts read. */
  readonly isForScripts: boolean;
}

export class DashRoutes {
  readonly #parts: FrontDoorParts;
  readonly #replies: ViewerReplies;

  readonly #requests = new ManifestQueries();

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
    this.#replies = new ViewerReplies(parts);
  }

  register(app: FastifyInstance): void {
    const scripts = `/live/:grant/${SCRIPT_FOLDER}`;
    for (const folder of ['/live/:grant', scripts]) {
      app.get<{ Params: GrantParams }>(`${folder}/${TIME_NAME}`, BY_GRANT, (request, reply) =>
        this.#sendTime(request, reply),
      );
    }
    app.get<{ Params: GrantParams }>(`${scripts}/${MANIFEST_NAME}`, BY_GRANT, (request, reply) =>
      this.sendManifest(request, reply, true),
    );
    for (const id of STREAM_IDS) {
      app.get<{ Params: NameParams }>(`${scripts}${scriptPath(id)}/:name`, BY_GRANT, (request, reply) =>
        this.sendMedia(request, reply, id),
      );
    }
  }

  /**
   * While the camera is offline, viewers who play keep getting the manifest as it is: players end for good when they
   * cannot refresh it. Others get 503.
   */
  sendManifest(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
    isForScripts = false,
  ): void {
    const session = this.#replies.sessionOf(request, reply);
    if (session === null) return;
    const query = rawQuery(request);
    const variant = variantQueryOf(query);
    const requested = { session, reply, latency: parseManifestQuery(query), variant, isForScripts };
    const camera = this.#parts.cameras.get(session.cameraUuid);
    const isTranscoded =
      requested.variant.video === 'h264' && camera !== undefined && isTranscodedFor(session, camera);
    this.#respondManifest(requested, isTranscoded ? 'transcoded' : 'camera');
  }

  #respondManifest(requested: ManifestRequest, video: ManifestVideo): void {
    const { session, reply, latency } = requested;
    const { audience } = session;
    const camera = this.#replies.touchedCamera(session, MANIFEST_INTERESTS[video][audience], reply);
    if (camera === null) return;
    const text = camera.manifest(audience, latency, video);
    const isRefresh = session.profile !== null && text !== null;
    if (!isRefresh && !this.#replies.canPlay(camera, session, reply)) return;
    if (text !== null) {
      this.#sendWanted(requested, video, camera, text);
      return;
    }
    const deliver: Deliver = () => {
      const ready = camera.manifest(audience, latency, video);
      if (ready !== null) this.#sendWanted(requested, video, camera, ready);
      else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
    };
    camera.awaitManifest(audience, this.#replies.wait(reply, session, camera, deliver, COLD_WAIT_MS), video);
  }

  /** The first manifest of a camera may show that none of its streams is H.264: then the next one is transcoded. */
  #sendWanted(
    requested: ManifestRequest,
    video: ManifestVideo,
    camera: LiveCamera,
    manifest: PlaylistText,
  ): void {
    const { session, reply, variant, isForScripts } = requested;
    const wanted = this.#requests.of(manifest, variant);
    if (wanted !== null) {
      const text = isForScripts ? this.#requests.forScripts(wanted) : wanted;
      this.#replies.sendText(reply, session, text, MANIFEST);
      return;
    }
    const origin = camera.h264From();
    if (origin === 'transcoder' && video === 'camera') this.#respondManifest(requested, 'transcoded');
    else if (origin === 'camera') sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.VIDEO_NOT_IN_MANIFEST));
  }

  /** Init segment or segment. An offline camera's window can still be played to its end. Hot. */
  sendMedia(request: FastifyRequest<{ Params: NameParams }>, reply: FastifyReply, id: StreamId): void {
    const session = this.#replies.sessionOf(request, reply);
    if (session === null) return;
    const name = parseDashName(id, request.params.name);
    const mayHave = id !== 'audio' || session.includeAudio;
    const camera = this.#parts.cameras.get(session.cameraUuid);
    if (camera !== undefined) {
      for (const interest of mediaInterests(session, camera, id)) camera.touch(interest, session.urgency);
    }
    const rendition = mayHave ? (camera?.rendition(RENDITIONS[id]) ?? null) : null;
    if (name === null || rendition === null || camera === undefined) {
      sendMissing(reply, name !== null && mayHave && camera?.isClustered === true);
      return;
    }
    if (name.kind === 'init') {
      const init = rendition.init(name.name);
      if (init === null) sendMissing(reply, rendition.isBehind(Number.POSITIVE_INFINITY));
      else if (this.#replies.begin(reply, session, null, init.length)) {
        this.#replies.count(session, sendMedia(reply, init, request.headers.range, kindOf(id)));
      }
      return;
    }
    session.noteFetch();
    // The audio of a camera without video is its main stream.
    session.noteLive('dash', id === 'audio' ? (session.profile ?? 'main') : id);
    const segment = rendition.segment(name.number);
    if (segment !== null) this.#replies.sendLent(reply, session, segment, kindOf(id));
    else if (!isComing(rendition, name.number)) sendMissing(reply, rendition.isBehind(name.number));
    else if (this.#replies.canPlay(camera, session, reply)) {
      new GrowingSegment({
        replies: this.#replies,
        responses: this.#parts.responses,
        reply,
        session,
        rendition,
        msn: name.number,
        kind: kindOf(id),
      }).send();
    }
  }

  #sendTime(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): void {
    const session = this.#replies.sessionOf(request, reply);
    if (session === null) return;
    const camera = this.#replies.touchedCamera(session, [], reply);
    if (camera === null) return;
    const body = Buffer.from(new Date(camera.mediaEpochMs()).toISOString());
    sendBytes(reply, TIME, body);
    this.#replies.count(session, sentBytes(reply, body.length));
  }
}

/**
 * Whether a request for H.264 gets the transcoded video. A viewer of that, or of the substream, keeps it as long as it exists: players do
 * not follow from one to the other.
 */
function isTranscodedFor(session: ViewerSession, camera: LiveCamera): boolean {
  if (session.profile === 'h264') return camera.hasCompatibleStream() === true;
  return session.profile !== 'sub' && camera.h264From() === 'transcoder';
}

/**
 * The streams that a request for media keeps open. Audio goes with either video, which its own requests and the manifest's keep open. H.264
 * is never transcoded.
 */
function mediaInterests(session: ViewerSession, camera: LiveCamera, id: StreamId): readonly Interest[] {
  if (id !== 'h264') return ledOnContents(session.audience, id);
  return camera.hasCompatibleStream() === false ? NOTHING : MANIFEST_INTERESTS.transcoded[session.audience];
}

/** The part of a manifest's query that a redirect keeps. */
export function manifestQueryOf(request: FastifyRequest): string {
  const query = rawQuery(request);
  const latency = parseManifestQuery(query) === 'low' ? 'latency=low' : '';
  const kept = [latency, heightQuery(query), videoQuery(query)]
    .filter((parameter) => parameter !== '')
    .join('&');
  return kept === '' ? '' : `?${kept}`;
}

/** The video of the requested manifest. Fails like variantWishOf. */
export function videoOf(request: FastifyRequest): Extract<StreamId, 'main' | 'h264'> {
  return videoQuery(rawQuery(request)) === '' ? 'main' : 'h264';
}

/**
 * The streams that a request opens before it is redirected to its grant, to save time. For H.264 none: the request for its manifest decides
 * whether it has to be transcoded.
 */
export function ledOnContents(audience: Audience, id: StreamId): readonly Content[] {
  if (id === 'h264') return NOTHING;
  if (id === 'audio') return audience === 'sound' ? AUDIO_ALONE : NOTHING;
  return MANIFEST_INTERESTS.camera[audience];
}

/** Whether the segment has begun, or is the next one. */
function isComing(rendition: LiveRendition, msn: number): boolean {
  const first = rendition.part(msn, 0);
  if (typeof first === 'string') return first === 'wait';
  first.release();
  return true;
}

function kindOf(id: StreamId) {
  return id === 'audio' ? AUDIO : MEDIA;
}
