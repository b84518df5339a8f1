/**
 * The page that shows that the public URL answers: `/reach/<check>`, from a QR code in the console. It is the same for every check, and
 * reveals nothing about the gateway. The addresses that open it are remembered (src/system/public-url-visits.ts).
 */

import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { sendAsset } from '../../http/compressed-asset.ts';
import type { PublicUrlVisits } from '../../system/public-url-visits.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { sendFailure } from '../response/refusal-response.ts';
import { PAGE_HEADERS, pagePolicy } from './page-routes.ts';
import type { WebAssetsOnDemand } from './web-assets.ts';

/** Headers that proxies add. */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
  'x-real-ip',
  'via',
] as const;

const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': pagePolicy("'none'"),
  // Each opening must come here.
  'cache-control': 'no-store',
  // The console reads the page at each address of the machine, to see which of them work. It is the same for everyone.
  'access-control-allow-origin': '*',
} as const;

export function registerCheckRoutes(
  app: FastifyInstance,
  assets: WebAssetsOnDemand,
  visits: Pick<PublicUrlVisits, 'visited'>,
): void {
  const config = { access: 'public' } as const;
  app.get<{ Params: { check: string } }>('/reach/:check', { config }, async (request, reply) => {
    const isKnown = visits.visited(request.params.check, {
      address: request.ip,
      peerAddress: request.socket.remoteAddress ?? '',
      proxyHeaders: PROXY_HEADERS.filter((name) => request.headers[name] !== undefined),
    });
    if (!isKnown) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PATH_NOT_FOUND));
      return reply;
    }
    const { reachPage } = await assets();
    reply.headers(HEADERS);
    return sendAsset(reply, reachPage, request.headers['accept-encoding']);
  });
}
