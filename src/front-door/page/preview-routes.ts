/**
 * The pages on which a caller of the API watches cameras without a share (src/sharing/device-previews.ts), and their requests. The pages
 * are the same for every camera. The grant is in the fragment, which only the script reads; those of several cameras come from the page
 * around it.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendAsset } from '../../http/compressed-asset.ts';
import { compatibleUrl } from '../live/compatible-url.ts';
import { sendJson } from '../response/refusal-response.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import { PAGE_HEADERS, pagePolicy } from './page-routes.ts';
import type { WebAssetsOnDemand } from './web-assets.ts';

/** Origins of pages that may frame the preview. `host`: without port, as the client wrote it. */
export type FramingOrigins = (host: string) => readonly string[];

export class PreviewRoutes {
  readonly #parts: FrontDoorParts;
  readonly #replies: ViewerReplies;
  readonly #assets: WebAssetsOnDemand;
  readonly #framedBy: FramingOrigins;

  constructor(parts: FrontDoorParts, assets: WebAssetsOnDemand, framedBy: FramingOrigins) {
    this.#parts = parts;
    this.#replies = new ViewerReplies(parts);
    this.#assets = assets;
    this.#framedBy = framedBy;
  }

  register(app: FastifyInstance): void {
    for (const [path, page] of [
      ['/preview', 'page'],
      ['/preview/wall', 'watchedWallPage'],
    ] as const) {
      app.get(path, { config: { access: 'public' } }, async (request, reply) => {
        const asset = (await this.#assets())[page];
        const ancestors = this.#framedBy(request.hostname).join(' ') || "'none'";
        reply.headers({ ...PAGE_HEADERS, 'content-security-policy': pagePolicy(ancestors) });
        return sendAsset(reply, asset, request.headers['accept-encoding']);
      });
    }
    app.post<{ Params: GrantParams }>(
      '/preview/:grant/open',
      { config: { access: 'grant' } },
      (request, reply) => this.#open(request, reply),
    );
  }

  #open(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): void {
    const session = this.#replies.sessionOf(request, reply);
    const camera = session === null ? null : this.#replies.touchedCamera(session, [session.audience], reply);
    if (session === null || camera === null) return;
    const { basePath, clock } = this.#parts;
    const folder = `${basePath}/live/${request.params.grant}`;
    const picture = camera.keyFrame();
    const hasAudio = session.includeAudio ? camera.hasAudio() : false;
    sendJson(reply, 200, {
      status: 'open',
      name: camera.name,
      playlistUrl: `${folder}/${camera.hasSubStream() ? 'index.m3u8' : 'file.m3u8'}`,
      ...compatibleUrl(camera, folder),
      posterUrl: picture === null ? null : `${folder}/poster.jpg`,
      posterAtMs: picture === null ? null : picture.atEpochMs,
      ...(hasAudio === null ? {} : { hasAudio }),
      // Anyone who may see a device may see its past. Only pages that may frame this one may steer it.
      ...{ pastUrl: `${folder}/vod`, steeredFrom: this.#framedBy(request.hostname) },
      serverTimeMs: clock.epochMs(),
      expiresAtSec: null,
    });
  }
}
