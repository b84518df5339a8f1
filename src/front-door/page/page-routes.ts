/**
 * The viewer page, the pages of video walls and of shared clips, and their assets. A page is the same for every share; everything that it shows comes from the open
 * call. Only its status differs: 404 under a link that this gateway did not make, which needs no look at any share.
 */

import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { IMMUTABLE, sendAsset } from '../../http/compressed-asset.ts';
import type { ShareGate } from '../../sharing/share-gate.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { COMMON_HEADERS, sendFailure } from '../response/refusal-response.ts';
import type { WebAssetsOnDemand } from './web-assets.ts';

/** blob: serves Media Source Extensions and hls.js's worker. Anyone may embed the page. */
export const PAGE_POLICY = pagePolicy('*');

/** `ancestors`: the pages that may embed this one, as `frame-ancestors` takes them. */
export function pagePolicy(ancestors: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-cache',
} as const;

/** Viewers of a camera's link may talk to people at the camera. */
const TALK_POLICY = { 'permissions-policy': 'camera=(), microphone=(self), geolocation=()' };
const ASSET_HEADERS = { ...COMMON_HEADERS, 'cache-control': IMMUTABLE } as const;

type LinkCheck = Pick<ShareGate, 'isLink'>;

export function registerPageRoutes(
  app: FastifyInstance,
  assets: WebAssetsOnDemand,
  links: { readonly shares: LinkCheck; readonly walls: LinkCheck; readonly groups: LinkCheck },
): void {
  const config = { access: 'public' } as const;
  for (const [path, page, gate] of [
    ['/share/:token', 'page', links.shares],
    ['/wall/:token', 'wallPage', links.walls],
    ['/clips/:token', 'clipsPage', links.groups],
  ] as const) {
    app.get<{ Params: { token: string } }>(path, { config }, async (request, reply) => {
      const asset = (await assets())[page];
      reply.code(gate.isLink(request.params.token) ? 200 : 404).headers(PAGE_HEADERS);
      if (page === 'page') reply.headers(TALK_POLICY);
      return sendAsset(reply, asset, request.headers['accept-encoding']);
    });
  }
  app.get<{ Params: { name: string } }>('/assets/:name', { config }, async (request, reply) => {
    const asset = (await assets()).byName.get(request.params.name);
    if (asset === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PATH_NOT_FOUND));
      return reply;
    }
    reply.headers(ASSET_HEADERS);
    return sendAsset(reply, asset, request.headers['accept-encoding']);
  });
}
