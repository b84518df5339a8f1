/**
 * Live HLS of cameras that are mirrored here: most of what viewers request. All other requests, and those whose media are not ready here,
 * go to the gateway's thread.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type MediaExtension, parseMediaName } from '../../hls/media-names.ts';
import { parsePlaylistQuery } from '../../hls/playlist-query.ts';
import type { MirroredCamera, MirroredCameras } from '../../mirror/mirrored-cameras.ts';
import type { SessionLease } from '../../sharing/session-leases.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerOrigin } from '../../sharing/viewer-sessions.ts';
import type { LiveRendition, RenditionName } from '../../stream/media/live-media.ts';
import { RenditionReplies } from '../live/rendition-replies.ts';
import { interestOf, playlistQueryOf, renditionNameOf } from '../live/viewer-routes.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure } from '../response/refusal-response.ts';
import { type GrantParams, GrantReplies, type GrantReplyParts } from '../session/grant-replies.ts';
import type { LeasedSessions } from './leased-sessions.ts';

/** The gateway's thread, as it serves a viewer that is new here. */
export interface Desk {
  /** null: refused. */
  lease(grantText: string, origin: ViewerOrigin): Promise<SessionLease | null>;
  /** Whether the rendition has a part; if so, it is mirrored when this resolves. */
  follow(cameraUuid: Ruuid, rendition: RenditionName): Promise<boolean>;
}

export interface LiveRouteParts extends Omit<GrantReplyParts, 'sessions'> {
  readonly sessions: LeasedSessions;
  readonly cameras: MirroredCameras;
  readonly desk: Desk;
  /** Lets the gateway's thread respond. */
  readonly forward: (request: FastifyRequest, reply: FastifyReply) => void;
}

type Profile = 'main' | 'sub';

interface NameParams extends GrantParams {
  readonly name: string;
}

/** Serves a request whose viewer and rendition are here. */
type Serve = (session: ViewerSession, rendition: LiveRendition) => void;

const BY_GRANT = { config: { access: 'grant' } } as const;

export class LiveRoutes {
  readonly #parts: LiveRouteParts;
  readonly #renditions: RenditionReplies;
  /** By grant: leases that are under way. */
  readonly #leasing = new Map<string, Promise<boolean>>();
  /** Followings that are under way. */
  readonly #following = new Map<string, Promise<boolean>>();

  constructor(parts: LiveRouteParts) {
    this.#parts = parts;
    this.#renditions = new RenditionReplies(new GrantReplies(parts));
  }

  register(app: FastifyInstance): void {
    for (const profile of ['main', 'sub'] as const) {
      const folder = profile === 'main' ? '/live/:grant' : '/live/:grant/sub';
      for (const [name, extension] of [
        ['file.m3u8', 'm4v'],
        ['stream.m3u8', 'mp4'],
      ] as const) {
        app.get<{ Params: GrantParams }>(`${folder}/${name}`, BY_GRANT, (request, reply) =>
          this.#sendPlaylist(request, reply, profile, extension),
        );
      }
      app.get<{ Params: NameParams }>(`${folder}/:name`, BY_GRANT, (request, reply) =>
        this.#sendMedia(request, reply, profile),
      );
    }
  }

  /** Hot. */
  #sendPlaylist(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
    profile: Profile,
    extension: MediaExtension,
  ): void {
    this.#serve(request, reply, profile, (session, rendition) => {
      const query = playlistQueryOf(session, profile, extension, parsePlaylistQuery(rawQuery(request)));
      this.#renditions.playlist(reply, session, rendition, query);
    });
  }

  /** Hot. */
  #sendMedia(request: FastifyRequest<{ Params: NameParams }>, reply: FastifyReply, profile: Profile): void {
    const name = parseMediaName(request.params.name);
    if (name === null) {
      this.#parts.forward(request, reply);
      return;
    }
    this.#serve(request, reply, profile, (session, rendition) => {
      if (name.kind !== 'init') session.noteFetch();
      session.noteLive('hls', profile);
      this.#renditions.media(request, reply, session, rendition, name, () => true);
    });
  }

  /** Hot. */
  #serve(
    request: FastifyRequest<{ Params: GrantParams }>,
    reply: FastifyReply,
    profile: Profile,
    serve: Serve,
  ): void {
    if (this.#serveNow(request, profile, serve)) return;
    this.#prepare(request, profile)
      .then((isReady) => {
        if (reply.raw.destroyed) reply.hijack();
        else if (!isReady || !this.#serveNow(request, profile, serve)) this.#parts.forward(request, reply);
      })
      .catch((thrown: unknown) => sendFailure(reply, toGatewayError(thrown)));
  }

  /** False: the viewer or the rendition is not here. Fails as WaitingRoom.enter. */
  #serveNow(request: FastifyRequest<{ Params: GrantParams }>, profile: Profile, serve: Serve): boolean {
    const { sessions } = this.#parts;
    const session = sessions.known(request.params.grant);
    if (session === null) return false;
    const name = renditionNameOf(session, profile);
    const camera = this.#cameraWith(session, name);
    const rendition = camera?.rendition(name) ?? null;
    if (camera === null || rendition === null) return false;
    camera.touch(interestOf(session, profile), session.urgency);
    serve(session, rendition);
    return true;
  }

  /** Gets missing leases and media from the gateway's thread. False: that thread has to respond. */
  async #prepare(request: FastifyRequest<{ Params: GrantParams }>, profile: Profile): Promise<boolean> {
    const { sessions } = this.#parts;
    const { grant } = request.params;
    if (sessions.known(grant) === null && !(await this.#lease(grant, request))) return false;
    const session = sessions.access(grant);
    if (!session.allowed) return false;
    const name = renditionNameOf(session, profile);
    return this.#cameraWith(session, name) !== null || (await this.#follow(session.cameraUuid, name));
  }

  /** One lease for all concurrent requests of a viewer. False: refused. */
  #lease(grant: string, { ip, headers }: FastifyRequest): Promise<boolean> {
    let leasing = this.#leasing.get(grant);
    if (leasing === undefined) {
      const origin = { ip, headers: { 'user-agent': headers['user-agent'] } };
      leasing = this.#addLease(grant, origin).finally(() => this.#leasing.delete(grant));
      this.#leasing.set(grant, leasing);
    }
    return leasing;
  }

  async #addLease(grant: string, origin: ViewerOrigin): Promise<boolean> {
    const lease = await this.#parts.desk.lease(grant, origin);
    if (lease !== null) this.#parts.sessions.add(lease);
    return lease !== null;
  }

  async #follow(cameraUuid: Ruuid, name: RenditionName): Promise<boolean> {
    const key = `${cameraUuid}/${name}`;
    let following = this.#following.get(key);
    if (following === undefined) {
      following = this.#parts.desk.follow(cameraUuid, name).finally(() => this.#following.delete(key));
      this.#following.set(key, following);
    }
    return following;
  }

  /** null: the rendition is not here, or has had no part since its camera was last lost. */
  #cameraWith({ cameraUuid }: ViewerSession, name: RenditionName): MirroredCamera | null {
    const camera = this.#parts.cameras.get(cameraUuid);
    return camera?.hasFed(name) === true ? camera : null;
  }
}
