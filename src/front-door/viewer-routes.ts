/**
 * Everything that a viewer with a grant fetches: playlists, init segments, segments, parts, poster, status. The
 * handlers are plain functions: compared with an empty route, a request costs the lookup of its session and one
 * comparison (src/sharing/viewer-sessions.ts), and all viewers share the bytes that are sent.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import { type MediaExtension, type MediaName, parseMediaName } from '../hls/media-names.ts';
import { parsePlaylistQuery } from '../hls/playlist-query.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import type {
  LentMedia,
  LiveCamera,
  LiveRendition,
  PlaylistQuery,
  PlaylistText,
  RenditionName,
} from '../stream/live-media.ts';
import { RenderedPlaylist } from '../stream/rendered-playlist.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import { POSTER, sendBytes, sendMedia, sendNothing, sendPlaylist, sentBytes } from './media-answer.ts';
import { rawQuery } from './raw-query.ts';
import { offlineError, sendFailure, sendJson, sendRefused } from './refusal-answer.ts';
import { type Deliver, WaitingReply } from './waiting-reply.ts';

/**
 * How long a request waits for a camera that has yet to be opened: its longest group of pictures (`maxSegmentMs`),
 * because the connection may begin in the middle of one, plus 5 s to connect.
 */
export const COLD_WAIT_MS = 25_000;

type Profile = 'main' | 'sub';

interface GrantParams {
  readonly grant: string;
}

interface NameParams extends GrantParams {
  readonly name: string;
}

const SILENT: Readonly<Record<Profile, RenditionName>> = { main: 'main-silent', sub: 'sub-silent' };
const BY_GRANT = { config: { access: 'grant' } } as const;

export class ViewerRoutes {
  readonly #parts: FrontDoorParts;
  readonly #deliverLive: Deliver = ({ reply, session }, body) => {
    if ('text' in body) this.#sendText(reply, session!, body);
    else this.#sendLent(reply, session!, body);
  };

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  register(app: FastifyInstance): void {
    for (const profile of ['main', 'sub'] as const) {
      const folder = profile === 'main' ? '/live/:grant' : '/live/:grant/sub';
      // The two names differ in the extension of the files they list (src/hls/media-names.ts). The main file.m3u8 is
      // registered with the links, because pullers request it with a share's token.
      if (profile === 'sub') {
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
    app.get<{ Params: GrantParams }>('/live/:grant/poster.jpg', BY_GRANT, (request, reply) =>
      this.#sendPoster(request, reply),
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
    const directives = parsePlaylistQuery(rawQuery(request));
    const { msn, part, skip } = directives;
    const isSwitch = session.profile !== null && session.profile !== profile;
    const isPlain = extension === 'm4v' && !isSwitch;
    const query = isPlain ? directives : { msn, part, skip, extension, isSwitch };
    const camera = this.#openCamera(session, reply);
    if (camera === null) return;
    const rendition = renditionOf(camera, session, profile);
    if (rendition === null) this.#awaitRendition(reply, session, camera, profile, query);
    else this.#answerPlaylist(reply, session, rendition, query);
  }

  #answerPlaylist(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    query: PlaylistQuery,
  ): void {
    const body = rendition.playlist(query);
    if (body === 'wait') {
      const waiting = this.#wait(reply, session, rendition, this.#deliverLive, null);
      rendition.awaitPlaylist(query, waiting);
    } else if (body === 'rejected') {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PLAYLIST_AHEAD_OF_LIVE));
    } else if (body === 'unknown') sendNotFound(reply);
    else this.#sendText(reply, session, body);
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
      else this.#answerPlaylist(reply, session, rendition, query);
    };
    const waiting = this.#wait(reply, session, camera, deliver, COLD_WAIT_MS);
    camera.awaitPlayable(session.audience, waiting);
  }

  /** Init segment, segment or part. An offline camera's window can still be played to its end. Hot. */
  #sendMedia(request: FastifyRequest<{ Params: NameParams }>, reply: FastifyReply, profile: Profile): void {
    const session = this.#sessionOf(request, reply);
    if (session === null) return;
    const camera = this.#parts.cameras.get(session.cameraUuid);
    camera?.touch(session.audience);
    const rendition = camera === undefined ? null : renditionOf(camera, session, profile);
    const name = parseMediaName(request.params.name);
    if (name?.kind !== 'init') session.noteFetch();
    session.profile = profile;
    if (name === null || rendition === null) sendNotFound(reply);
    else if (name.kind === 'part') this.#sendPart(reply, session, rendition, name);
    else if (name.kind === 'segment') {
      const segment = rendition.segment(name.msn);
      if (segment === null) sendNotFound(reply);
      else this.#sendLent(reply, session, segment);
    } else {
      const init = rendition.init(name.name);
      if (init === null) sendNotFound(reply);
      else if (this.#begin(reply, session, null, init.length)) {
        this.#count(session, sendMedia(reply, init, request.headers.range));
      }
    }
  }

  #sendPart(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    { msn, part }: Extract<MediaName, { kind: 'part' }>,
  ): void {
    const body = rendition.part(msn, part);
    if (typeof body !== 'string') this.#sendLent(reply, session, body);
    else if (body !== 'wait') sendNotFound(reply);
    else if (this.#openCamera(session, reply) !== null) {
      const waiting = this.#wait(reply, session, rendition, this.#deliverLive, null);
      rendition.awaitPart(msn, part, waiting);
    }
  }

  #sendMultivariant(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): void {
    const session = this.#sessionOf(request, reply);
    const camera = session === null ? null : this.#openCamera(session, reply);
    if (session === null || camera === null) return;
    const { audience } = session;
    const text = camera.multivariantPlaylist('', audience, 'file.m3u8');
    if (text !== null) {
      this.#sendText(reply, session, new RenderedPlaylist(text));
      return;
    }
    const deliver: Deliver = () => {
      const ready = camera.multivariantPlaylist('', audience, 'file.m3u8');
      if (ready !== null) this.#sendText(reply, session, new RenderedPlaylist(ready));
      else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
    };
    camera.awaitMultivariant(audience, this.#wait(reply, session, camera, deliver, COLD_WAIT_MS));
  }

  /** Checks the access again once the image is ready, because making it takes time. */
  async #sendPoster(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const session = this.#sessionOf(request, reply);
    if (session === null) return reply;
    const camera = this.#parts.cameras.get(session.cameraUuid);
    const body = camera === undefined ? null : await this.#parts.posters.poster(camera);
    if (this.#sessionOf(request, reply) === null) return reply;
    // Not a failure: a page that requests a poster shows the video as soon as there is a frame.
    if (body === null) sendNothing(reply);
    else if (this.#begin(reply, session, null, body.length)) {
      sendBytes(reply, POSTER, body);
      this.#count(session, sentBytes(reply, body.length));
    }
    return reply;
  }

  async #sendStatus(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { cameras, counters, clock } = this.#parts;
    const session = this.#sessionOf(request, reply);
    if (session === null) return reply;
    const [viewers = 0] = await counters.viewerCounts([session.shareUuid]);
    if (this.#sessionOf(request, reply) === null) return reply;
    const camera = cameras.get(session.cameraUuid);
    camera?.touch(session.audience);
    const state = camera?.status();
    const validUntil = Number.isFinite(session.validUntilEpochMs) ? session.validUntilEpochMs : null;
    sendJson(reply, 200, {
      camera: {
        state: state?.state ?? 'offline',
        ...(state?.state === 'offline' ? { retryAtEpochMs: state.retryAtEpochMs } : {}),
      },
      access: { allowed: true, validUntilEpochMs: validUntil },
      viewers,
      serverTimeMs: clock.epochMs(),
    });
    return reply;
  }

  /** Hot. */
  #sendText(reply: FastifyReply, session: ViewerSession, playlist: PlaylistText): void {
    this.#count(session, sendPlaylist(reply, playlist));
  }

  /** Sends borrowed media, or the requested part of it, and returns it when that is done. Hot. */
  #sendLent(reply: FastifyReply, session: ViewerSession, media: LentMedia): void {
    if (!this.#begin(reply, session, media, media.bytes.length)) return;
    this.#count(session, sendMedia(reply, media.bytes, reply.request.headers.range));
  }

  /** Whether the media may be sent now. If not, it was returned and the viewer got a response. Hot. */
  #begin(reply: FastifyReply, session: ViewerSession, media: LentMedia | null, bytes: number): boolean {
    const result = this.#parts.answers.begin(reply, session, media, bytes);
    if (result === 'begun') return true;
    if (result === 'gone') reply.hijack();
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
    return false;
  }

  /** The bytes of a response's body. Hot. */
  #count(session: ViewerSession, bytes: number): void {
    const { traffic, sessions } = this.#parts;
    session.traffic ??= traffic.counterOf(session.shareUuid, (shareUuid) => sessions.isWatched(shareUuid));
    session.traffic.bytes += bytes;
  }

  /** null: refused, and the response was sent. */
  #sessionOf(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): ViewerSession | null {
    const access = this.#parts.sessions.access(request.params.grant, request);
    if (access.allowed) return access;
    sendRefused(reply, access, this.#parts.clock.epochMs());
    return null;
  }

  /** Keeps the viewer's camera open. null: it cannot play, and the response was sent. */
  #openCamera(session: ViewerSession, reply: FastifyReply): LiveCamera | null {
    const camera = this.#parts.cameras.get(session.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return null;
    }
    camera.touch(session.audience);
    const state = camera.status();
    if (state.state !== 'offline') return camera;
    sendFailure(reply, offlineError(state, this.#parts.clock.epochMs()));
    return null;
  }

  #wait(
    reply: FastifyReply,
    session: ViewerSession,
    source: LiveRendition | LiveCamera,
    deliver: Deliver,
    maxWaitMs: number | null,
  ): WaitingReply {
    const { room } = this.#parts;
    return new WaitingReply({ room, reply, session, source, deliver, maxWaitMs });
  }
}

function renditionOf(camera: LiveCamera, session: ViewerSession, profile: Profile): LiveRendition | null {
  return camera.rendition(session.audience === 'sound' ? profile : SILENT[profile]);
}

function sendNotFound(reply: FastifyReply): void {
  sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
}
