/**
 * Everything that a viewer with a grant fetches: playlists, init segments, segments, parts, status. The
 * handlers are plain functions: compared with an empty route, a request costs the lookup of its session and one
 * comparison (src/sharing/viewer-sessions.ts), and all viewers share the bytes that are sent.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { type MediaExtension, parseMediaName } from '../../hls/media-names.ts';
import { type PlaylistDirectives, parsePlaylistQuery } from '../../hls/playlist-query.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type {
  Interest,
  LiveCamera,
  LiveRendition,
  PlaylistQuery,
  PlaylistText,
  RenditionName,
} from '../../stream/media/live-media.ts';
import { RenderedPlaylist } from '../../stream/media/rendered-playlist.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure, sendJson } from '../response/refusal-response.ts';
import { variantsWithin } from '../response/requested-height.ts';
import { variantQueryOf } from '../response/requested-video.ts';
import type { Deliver, WaitingReply } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import { RenditionReplies, sendMissing, sendNotFound } from './rendition-replies.ts';

/**
 * How long a request waits for a camera that has yet to be opened: its longest group of pictures (`maxSegmentMs`),
 * because the connection may begin in the middle of one, plus 5 s to connect.
 */
export const COLD_WAIT_MS = 25_000;

export type Profile = 'main' | 'sub' | 'h264';

interface NameParams extends GrantParams {
  readonly name: string;
}

const SILENT: Readonly<Record<Profile, 'main-silent' | 'sub-silent' | 'h264-silent'>> = {
  main: 'main-silent',
  sub: 'sub-silent',
  h264: 'h264-silent',
};
const BY_GRANT = { config: { access: 'grant' } } as const;

export class ViewerRoutes {
  readonly #parts: FrontDoorParts;
  readonly #replies: ViewerReplies;
  readonly #renditions: RenditionReplies;

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
    this.#replies = new ViewerReplies(parts);
    this.#renditions = new RenditionReplies(this.#replies);
  }

  register(app: FastifyInstance): void {
    for (const profile of ['main', 'sub', 'h264'] as const) {
      const folder = profile === 'main' ? '/live/:grant' : `/live/:grant/${profile}`;
      // The two names differ in the extension of the files they list (src/hls/media-names.ts). The main file.m3u8 is
      // registered with the links, because pullers request it with a share's token.
      if (profile !== 'main') {
        app.get<{ Params: GrantParams }>(`${folder}/file.m3u8`, BY_GRANT, (request, reply) =>
          this.sendPlaylist(request, reply, profile, 'm4v'),
        );
      }
      app.get<{ Params: GrantParams }>(`${folder}/stream.m3u8`, BY_GRANT, (request, reply) =>
        this.sendPlaylist(request, reply, profile, 'mp4'),
      );
      app.get<{ Params: NameParams }>(`${folder}/:name`, BY_GRANT, (request, reply) =>
        this.#sendMedia(request, reply, profile),
      );
    }
    app.get<{ Params: GrantParams }>('/live/:grant/index.m3u8', BY_GRANT, (request, reply) =>
      this.#sendMultivariant(request, reply),
    );
    app.get<{ Params: GrantParams }>('/live/:grant/status', BY_GRANT, (request, reply) =>
      this.#sendStatus(request, reply),
    );
  }

  /** A Media Playlist, now or as soon as the requested content exists. Hot. */
  sendPlaylist(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
    profile: Profile,
    extension: MediaExtension,
  ): void {
    const session = this.#sessionOf(request, reply);
    if (session === null) return;
    const query = playlistQueryOf(session, profile, extension, parsePlaylistQuery(rawQuery(request)));
    if (this.#isAlreadyH264(session, profile)) {
      sendNotFound(reply);
      return;
    }
    const camera = this.#openCamera(session, reply, interestOf(session, profile));
    if (camera === null) return;
    const rendition = renditionOf(camera, session, profile);
    if (rendition === null) this.#awaitRendition(reply, session, camera, profile, query);
    else this.#renditions.playlist(reply, session, rendition, query);
  }

  /** The camera is being opened: its renditions exist as soon as it plays. */
  #awaitRendition(
    reply: FastifyReply,
    session: ViewerSession,
    camera: LiveCamera,
    profile: Profile,
    query: PlaylistQuery,
  ): void {
    if (profile === 'sub' && !camera.hasSubStream()) {
      sendNotFound(reply);
      return;
    }
    const deliver: Deliver = () => {
      const rendition = renditionOf(camera, session, profile);
      if (rendition === null) sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
      else this.#renditions.playlist(reply, session, rendition, query);
    };
    const waiting = this.#wait(reply, session, camera, deliver, COLD_WAIT_MS);
    if (profile === 'h264') camera.awaitCompatible(session.audience, waiting);
    else camera.awaitPlayable(session.audience, waiting);
  }

  /** Init segment, segment or part. An offline camera's window can still be played to its end. Hot. */
  #sendMedia(request: FastifyRequest<{ Params: NameParams }>, reply: FastifyReply, profile: Profile): void {
    const session = this.#sessionOf(request, reply);
    if (session === null) return;
    const camera = this.#parts.cameras.get(session.cameraUuid);
    if (!this.#isAlreadyH264(session, profile)) camera?.touch(interestOf(session, profile), session.urgency);
    const rendition = camera === undefined ? null : renditionOf(camera, session, profile);
    const name = parseMediaName(request.params.name);
    if (name?.kind !== 'init') session.noteFetch();
    session.noteLive('hls', profile);
    if (name === null) sendNotFound(reply);
    else if (rendition === null) sendMissing(reply, camera?.isClustered === true);
    else {
      const mayWait = () => this.#openCamera(session, reply, interestOf(session, profile)) !== null;
      this.#renditions.media(request, reply, session, rendition, name, mayWait);
    }
  }

  /** Nothing has to be transcoded, and viewers cannot make the gateway do it. */
  #isAlreadyH264(session: ViewerSession, profile: Profile): boolean {
    if (profile !== 'h264') return false;
    return this.#parts.cameras.get(session.cameraUuid)?.hasCompatibleStream() === false;
  }

  #sendMultivariant(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): void {
    const session = this.#sessionOf(request, reply);
    const camera = session === null ? null : this.#openCamera(session, reply, session.audience);
    if (session === null || camera === null) return;
    const { audience } = session;
    const variant = variantQueryOf(rawQuery(request));
    const send = (text: string): void =>
      this.#sendText(reply, session, new RenderedPlaylist(variantsWithin(text, variant.maxHeightPx)));
    const text = camera.multivariantPlaylist('', audience, 'file.m3u8', variant.video);
    if (text !== null) {
      send(text);
      return;
    }
    const deliver: Deliver = () => {
      const ready = camera.multivariantPlaylist('', audience, 'file.m3u8', variant.video);
      if (ready !== null) send(ready);
      else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
    };
    camera.awaitMultivariant(audience, this.#wait(reply, session, camera, deliver, COLD_WAIT_MS));
  }

  async #sendStatus(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { cameras, counters, clock } = this.#parts;
    const session = this.#sessionOf(request, reply);
    if (session === null) return reply;
    const [viewers = 0] = await counters.viewerCounts([session.audienceUuid]);
    if (this.#sessionOf(request, reply) === null) return reply;
    const camera = cameras.get(session.cameraUuid);
    camera?.touch(session.audience, session.urgency);
    if (camera !== undefined && !this.#replies.hasSomething(camera, session, reply)) return reply;
    const state = camera?.status();
    const validUntil = Number.isFinite(session.validUntilEpochMs) ? session.validUntilEpochMs : null;
    sendJson(reply, 200, {
      camera: {
        state: state?.state ?? 'offline',
        ...(camera?.hasPicture() === false ? { soundOnly: true } : {}),
        ...(session.includeAudio && camera !== undefined && camera.hasAudio() === true
          ? { sound: true }
          : {}),
        ...(state?.state === 'offline' ? { retryAtEpochMs: state.retryAtEpochMs } : {}),
        ...(state?.state === 'starting' && state.waiting !== undefined
          ? { waitingBehind: state.waiting.ahead }
          : {}),
      },
      access: { allowed: true, validUntilEpochMs: validUntil },
      viewers,
      serverTimeMs: clock.epochMs(),
    });
    return reply;
  }

  #sendText(reply: FastifyReply, session: ViewerSession, playlist: PlaylistText): void {
    this.#replies.sendText(reply, session, playlist);
  }

  #sessionOf(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): ViewerSession | null {
    return this.#replies.sessionOf(request, reply);
  }

  /** Keeps the viewer's camera open. null: it cannot play, and the response was sent. */
  #openCamera(session: ViewerSession, reply: FastifyReply, interest: Interest): LiveCamera | null {
    const camera = this.#replies.touchedCamera(session, [interest], reply);
    return camera !== null && this.#replies.canPlay(camera, session, reply) ? camera : null;
  }

  #wait(
    reply: FastifyReply,
    session: ViewerSession,
    source: LiveRendition | LiveCamera,
    deliver: Deliver,
    maxWaitMs: number | null,
  ): WaitingReply {
    return this.#replies.wait(reply, session, source, deliver, maxWaitMs);
  }
}

function renditionOf(camera: LiveCamera, session: ViewerSession, profile: Profile): LiveRendition | null {
  return camera.rendition(renditionNameOf(session, profile));
}

/** The rendition of a profile that the viewer gets. */
export function renditionNameOf({ audience }: ViewerSession, profile: Profile): RenditionName {
  return audience === 'sound' ? profile : SILENT[profile];
}

/** The viewer's query to the rendition. Hot. */
export function playlistQueryOf(
  session: ViewerSession,
  profile: Profile,
  extension: MediaExtension,
  directives: PlaylistDirectives,
): PlaylistQuery {
  const { msn, part, skip } = directives;
  // Only the Multivariant Playlists of pullers give such a URL out.
  const firstMsn = extension === 'mp4' ? directives.firstMsn : -1;
  const isSwitch = session.profile !== null && session.profile !== profile;
  const { sharesPaths: isShared } = session;
  if (isShared) {
    // A cache has the media that this viewer gets next: only its playlists show that it plays.
    session.noteFetch();
    session.noteLive('hls', profile);
  } else if (extension === 'm4v' && !isSwitch && directives.firstMsn < 0) return directives;
  const isFirst = session.profile === null && msn < 0;
  return { msn, part, skip, extension, isSwitch, isShared, firstMsn, isFirst };
}

/** The interest with which the viewer of a profile keeps the camera open. */
export function interestOf({ audience }: ViewerSession, profile: Profile): Interest {
  if (profile !== 'h264') return audience;
  return audience === 'sound' ? 'h264' : 'h264-silent';
}
