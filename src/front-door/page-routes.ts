/**
 * The viewer page and its assets. The page is the same for every share; everything that it shows comes from the open
 * call. Only its status differs: 404 under a link that this gateway did not make, which needs no look at any share.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptsCoding } from '../core/accept-encoding.ts';
import { GatewayError } from '../core/errors.ts';
import type { ShareGate } from '../sharing/share-gate.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { COMMON_HEADERS, sendFailure } from './refusal-answer.ts';
import type { WebAsset, WebAssets } from './web-assets.ts';

/** blob: serves Media Source Extensions and hls.js's worker. Anyone may embed the page. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  'frame-ancestors *',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-cache',
} as const;

const ASSET_HEADERS = { ...COMMON_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' } as const;

export function registerPageRoutes(
  app: FastifyInstance,
  assets: WebAssets,
  gate: Pick<ShareGate, 'isLink'>,
): void {
  const config = { access: 'public' } as const;
  app.get<{ Params: { token: string } }>('/share/:token', { config }, (request, reply) => {
    reply.code(gate.isLink(request.params.token) ? 200 : 404).headers(PAGE_HEADERS);
    sendAsset(reply, assets.page, request.headers['accept-encoding']);
  });
  app.get<{ Params: { name: string } }>('/assets/:name', { config }, (request, reply) => {
    const asset = assets.byName.get(request.params.name);
    if (asset === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PATH_NOT_FOUND));
      return;
    }
    reply.headers(ASSET_HEADERS);
    sendAsset(reply, asset, request.headers['accept-encoding']);
  });
}

function sendAsset(
  reply: FastifyReply,
  asset: WebAsset,
  acceptEncoding: string | string[] | undefined,
): void {
  reply.header('content-type', asset.type).header('vary', 'accept-encoding');
  if (acceptsCoding(acceptEncoding, 'br')) reply.header('content-encoding', 'br').send(asset.brotli);
  else if (acceptsCoding(acceptEncoding, 'gzip')) reply.header('content-encoding', 'gzip').send(asset.gzip);
  else reply.send(asset.body);
}
