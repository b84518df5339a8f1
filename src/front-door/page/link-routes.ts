/**
 * Routes under a share's link: opening the share from the viewer page, and the bare m3u8 URL that pullers play, with
 * the password in HTTP Basic or `?password=` (docs/design/access.md).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import {
  MANIFEST_NAME,
  parseDashName,
  STREAM_IDS,
  STREAM_NAMES,
  type StreamId,
} from '../../dash/media-names.ts';
import { showsPast } from '../../sharing/past-access.ts';
import type { OpenedShare, OpeningRefused } from '../../sharing/share-gate.ts';
import { SHARE_TOKEN_CHARS } from '../../sharing/share-token.ts';
import type { ShareView } from '../../sharing/share-view.ts';
import { allowsTalk } from '../../sharing/talk-rights.ts';
import { shareUrgency } from '../../sharing/viewing-urgency.ts';
import type { Audience, Content, LiveCamera } from '../../stream/media/live-media.ts';
import { compatibleUrl } from '../live/compatible-url.ts';
import {
  type DashRoutes,
  ledOnContents,
  manifestQueryOf,
  type NameParams,
  videoOf,
} from '../live/dash-routes.ts';
import { type Refuse, respondMultivariant } from '../live/multivariant-response.ts';
import type { ViewerRoutes } from '../live/viewer-routes.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { emptyBodyIsObject, OPEN_BODY, type OpenBody } from '../response/open-body.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure, sendJson, sendOpeningRefused, sendRedirect } from '../response/refusal-response.ts';
import { bareQueryOf } from '../response/requested-video.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { OpeningLog } from '../session/opening-log.ts';
import { RecentGrants } from '../session/recent-grants.ts';
import { asksForReport } from '../session/report-route.ts';
import { signInProofOf } from '../session/viewer-sign-in.ts';

/** Only the bare URL sends this: elsewhere browsers would show their own password window. */
const BASIC_CHALLENGE = 'Basic realm="Shared live video", charset="UTF-8"';
const BASIC_PATTERN = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i;

export class LinkRoutes {
  readonly #parts: FrontDoorParts;
  readonly #viewerRoutes: ViewerRoutes;
  readonly #dashRoutes: DashRoutes;
  readonly #openingLog: OpeningLog;
  readonly #recent: RecentGrants<string>;

  constructor(
    parts: FrontDoorParts,
    viewerRoutes: ViewerRoutes,
    dashRoutes: DashRoutes,
    openingLog: OpeningLog,
  ) {
    this.#parts = parts;
    this.#openingLog = openingLog;
    this.#viewerRoutes = viewerRoutes;
    this.#dashRoutes = dashRoutes;
    this.#recent = new RecentGrants(parts.clock);
  }

  register(app: FastifyInstance): void {
    app.post<{ Params: { token: string }; Body: OpenBody }>(
      '/share/:token/open',
      { config: { access: 'share-link' }, schema: { body: OPEN_BODY }, preValidation: emptyBodyIsObject },
      (request, reply) => this.#open(request.params.token, request.body.password || null, request, reply),
    );
    app.get<{ Params: { grant: string } }>(
      '/live/:grant/file.m3u8',
      { config: { access: 'link-or-grant' } },
      (request, reply) => {
        // Tokens and grants differ in length: pullers send the former, players the latter.
        if (request.params.grant.length !== SHARE_TOKEN_CHARS) {
          this.#viewerRoutes.sendPlaylist(request, reply, 'main', 'm4v');
        } else this.#pull(request.params.grant, request, reply).catch((thrown) => reply.send(thrown));
      },
    );
    app.get<{ Params: { grant: string } }>(
      `/live/:grant/${MANIFEST_NAME}`,
      { config: { access: 'link-or-grant' } },
      (request, reply) => {
        const { grant } = request.params;
        if (grant.length !== SHARE_TOKEN_CHARS) this.#dashRoutes.sendManifest(request, reply);
        else {
          const path = `${MANIFEST_NAME}${manifestQueryOf(request)}`;
          this.#leadOn(grant, request, reply, '../', path, videoOf(request)).catch((thrown) =>
            reply.send(thrown),
          );
        }
      },
    );
    for (const id of STREAM_IDS) {
      const { folder } = STREAM_NAMES[id];
      const root = '../'.repeat(1 + folder.split('/').length);
      app.get<{ Params: NameParams }>(
        `/live/:grant/${folder}/:name`,
        { config: { access: 'link-or-grant' } },
        (request, reply) => {
          const { grant, name } = request.params;
          if (grant.length !== SHARE_TOKEN_CHARS) this.#dashRoutes.sendMedia(request, reply, id);
          else {
            const path = parseDashName(id, name) === null ? null : `${folder}/${name}`;
            this.#leadOn(grant, request, reply, root, path, id).catch((thrown) => reply.send(thrown));
          }
        },
      );
    }
  }

  async #open(token: string, password: string | null, request: FastifyRequest, reply: FastifyReply) {
    const opened = await this.#ask(token, password, request, undefined, signInProofOf(request));
    if (!opened.allowed) {
      const { clock, viewerSignIn } = this.#parts;
      sendOpeningRefused(reply, opened, clock.epochMs(), viewerSignIn?.label);
      return reply;
    }
    const { view, grantText } = opened;
    const camera = this.#parts.cameras.get(view.share.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return reply;
    }
    const { basePath, liveSigner } = this.#parts;
    const folder = `${basePath}/live/${grantText}`;
    const picture = camera.keyFrame();
    const hasAudio = knownAudio(camera, audienceOf(view));
    sendJson(reply, 200, {
      status: 'open',
      name: view.share.name,
      streamType: view.share.streamType,
      playlistUrl: `${folder}/${camera.hasSubStream() ? 'index.m3u8' : 'file.m3u8'}`,
      ...compatibleUrl(camera, folder),
      posterUrl: picture === null ? null : `${folder}/poster.jpg`,
      posterAtMs: picture === null ? null : picture.atEpochMs,
      ...(hasAudio === null ? {} : { hasAudio }),
      ...(liveSigner === null ? {} : { signedBy: liveSigner }),
      ...this.#reportUrl(view.share.uuid, folder),
      ...(this.#canTalk(view) ? { talkUrl: `${folder}/talk/ws` } : {}),
      ...(showsPast(view.share, this.#parts.clock.epochMs()) ? { pastUrl: `${folder}/vod` } : {}),
      serverTimeMs: this.#parts.clock.epochMs(),
      expiresAtSec: view.share.expiresAtSec,
    });
    return reply;
  }

  #canTalk(view: ShareView): boolean {
    const { carriesTalk, cameras } = this.#parts;
    return carriesTalk && allowsTalk(view) && cameras.get(view.stored.cameraUuid)?.speaker != null;
  }

  #reportUrl(shareUuid: Ruuid, folder: string): { readonly reportUrl?: string } {
    const { onViewerReport, sessions } = this.#parts;
    if (onViewerReport === null || !asksForReport(sessions.sessionsOf(shareUuid).size)) return {};
    return { reportUrl: `${folder}/report` };
  }

  /** A Multivariant Playlist whose URIs use the puller's own grant. */
  async #pull(token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const variant = bareQueryOf(rawQuery(request));
    const opened = await this.#ask(token, passwordOf(request), request);
    if (!opened.allowed) {
      this.#refusePull(reply, opened);
      return;
    }
    const camera = this.#parts.cameras.get(opened.view.share.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return;
    }
    respondMultivariant(this.#parts, reply, {
      camera,
      audience: audienceOf(opened.view),
      folder: `../${opened.grantText}/`,
      variant,
      reconsider: () => this.#reconsider(opened, request),
    });
  }

  /**
   * Redirects to the same file under the puller's own grant; `path` null: there is none; `id`: the stream that it belongs to. DASH players
   * resolve a manifest's URIs against the redirect's target, and request it there again. ffmpeg 5 continues with this URL, and keeps its
   * grant.
   */
  async #leadOn(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    root: string,
    path: string | null,
    id: StreamId,
  ): Promise<void> {
    const password = passwordOf(request);
    const puller = JSON.stringify([token, password, request.ip, request.headers['user-agent']]);
    let grantText = this.#recent.find(puller);
    if (grantText === null || !this.#parts.sessions.access(grantText, request).allowed) {
      const opened = await this.#ask(token, password, request, (audience) => ledOnContents(audience, id));
      if (!opened.allowed) {
        this.#refusePull(reply, opened);
        return;
      }
      ({ grantText } = opened);
      const { orgUuid, uuid } = opened.view.share;
      const holders = { organization: orgUuid, link: uuid, address: subscriberOf(request.ip) };
      this.#recent.put(puller, grantText, holders);
    }
    if (path !== null) sendRedirect(reply, `${root}${grantText}/${path}`);
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
  }

  #reconsider(opened: OpenedShare, request: FastifyRequest): Refuse | null {
    const refusal = this.#parts.gate.reconsider(opened, request);
    return refusal === null ? null : (reply) => this.#refusePull(reply, refusal);
  }

  #refusePull(reply: FastifyReply, refusal: OpeningRefused): void {
    const wantsPassword = refusal.reason === 'password-needed' || refusal.reason === 'password-wrong';
    if (wantsPassword) reply.header('www-authenticate', BASIC_CHALLENGE);
    sendOpeningRefused(reply, refusal, this.#parts.clock.epochMs());
  }

  async #ask(
    shareToken: string,
    password: string | null,
    request: FastifyRequest,
    contentsFor: (audience: Audience) => readonly Content[] = (audience) => [audience],
    signInProof: string | null = null,
  ): Promise<OpenedShare | OpeningRefused> {
    const { gate, cameras, log, onShareOpened } = this.#parts;
    const onNear = (view: ShareView): void => {
      const camera = cameras.get(view.share.cameraUuid);
      for (const content of contentsFor(audienceOf(view))) camera?.touch(content, shareUrgency(view.share));
    };
    this.#openingLog.noteProxy(request);
    const opened = await gate.open({ shareToken, password, signInProof, address: request.ip, onNear });
    const route = request.routeOptions.url;
    if (opened.allowed) {
      const { stored: share } = opened.view;
      log.debug({ route, share: share.uuid }, 'share opened');
      onShareOpened(share, {
        email: opened.viewerEmail,
        address: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
      });
    } else this.#openingLog.refused(route, opened);
    return opened;
  }
}

function audienceOf(view: ShareView): Audience {
  return view.share.includeAudio ? 'sound' : 'silent';
}

/** null: not known before the camera plays. */
function knownAudio(camera: LiveCamera, audience: Audience): boolean | null {
  if (audience === 'silent') return false;
  return camera.hasAudio();
}

/** The password from HTTP Basic (RFC 7617; any user name), otherwise from the query; null if neither has one. */
function passwordOf(request: FastifyRequest): string | null {
  const basic = BASIC_PATTERN.exec(request.headers.authorization ?? '')?.[1];
  const userAndPassword = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  const colon = userAndPassword.indexOf(':');
  const password =
    colon >= 0 ? userAndPassword.slice(colon + 1) : new URLSearchParams(rawQuery(request)).get('password');
  return password === '' ? null : password;
}
