/**
 * `GET /console/`: the page for people. It is the same for everyone; all that it shows comes from the API, with the
 * rights of who signed in.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import { IMMUTABLE, sendAsset } from '../http/compressed-asset.ts';
import { API_ERRORS } from '../http/errors.ts';
import { addressReach } from '../system/public-url-request.ts';
import { type BundleScripts, bundleInProcess, consoleBundle } from './console-bundle.ts';
import { consoleShell } from './console-shell.ts';

export interface ConsoleRoutesOptions {
  /** The base address at which browsers reach the API listener. */
  readonly publicApiUrl: string;
  /** The base address of the media listener: previews are its pages, in a frame. */
  readonly publicMediaUrl: string;
  /** Other base addresses of the media listener, for example in the same network. Default: none. */
  readonly mediaUrls?: () => readonly string[];
  /** The template of a street map's tiles; null or absent: there is no map. */
  readonly mapTilesUrl?: string | null;
  /** Default: in a process of its own. */
  readonly bundleScripts?: BundleScripts;
}

export const CONSOLE_PATH = '/console';

const ICON_PATH = 'icons/:name';
const SHELL_PATHS = [
  'manifest.webmanifest',
  'service-worker.js',
  'talk-capture.js',
  'offline.html',
  ICON_PATH,
] as const;

function iconPathOf({ params }: FastifyRequest): string {
  return `icons/${(params as { readonly name: string }).name}`;
}

/**
 * Nobody may frame the console. It frames only the player's pages, and connects only to the API and, for talk and to test which of its
 * addresses work, to the media listener: `mediaUrls` are its other ones. Only the tiles of a map are pictures of another host.
 */
export function consolePolicy(
  publicMediaUrl: string,
  mediaUrls: readonly string[] = [],
  mapTilesUrl: string | null = null,
): string {
  const mediaOrigin = new URL(publicMediaUrl).origin;
  const origins = new Set([mediaOrigin, ...mediaUrls.map((url) => new URL(url).origin)]);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${mapTilesUrl === null ? '' : ` ${new URL(mapTilesUrl).origin}`}`,
    `media-src 'self' blob: ${mediaOrigin}`,
    // Talk goes up a WebSocket, whose scheme some browsers compare.
    `connect-src 'self' ${mediaOrigin.replace(/^http/, 'ws')} ${[...origins].join(' ')}`,
    `frame-src ${mediaOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join('; ');
}

/** Headers that proxies add. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** Whether the browser is in a network of this machine. Others need not learn its addresses, and could not reach them. */
function isNearby({ ip, headers }: FastifyRequest): boolean {
  const isForwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  return !isForwarded && addressReach(ip) !== 'everyone';
}

export async function consoleRoutes(api: FastifyInstance, options: ConsoleRoutesOptions): Promise<void> {
  const basePath = new URL(options.publicApiUrl).pathname.replace(/\/+$/, '');
  const { mediaUrls = () => [], mapTilesUrl = null } = options;
  const pageHeaders = {
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(self), geolocation=(), clipboard-write=(self)',
    'cache-control': 'no-cache',
  } as const;
  const { bundleScripts = bundleInProcess } = options;
  const page = async () => (await consoleBundle(bundleScripts)).page(basePath);
  let made: ReturnType<typeof page> | null = null;

  api.get('/', (_request, reply) => reply.redirect(`${basePath}${CONSOLE_PATH}/`, 302));
  api.get<{ Params: { name: string } }>(`${CONSOLE_PATH}/assets/:name`, async (request, reply) => {
    const asset = (await consoleBundle(bundleScripts)).byName.get(request.params.name);
    if (asset === undefined) throw new GatewayError(API_ERRORS.UNKNOWN_PATH);
    return sendAsset(reply.header('cache-control', IMMUTABLE), asset, request.headers['accept-encoding']);
  });
  for (const path of SHELL_PATHS) {
    api.get(`${CONSOLE_PATH}/${path}`, async (request, reply) => {
      const found = (await consoleShell()).get(path === ICON_PATH ? iconPathOf(request) : path);
      if (found === undefined) throw new GatewayError(API_ERRORS.UNKNOWN_PATH);
      return reply.headers(found.headers).type(found.type).send(found.body);
    });
  }
  // Every address below it is a page of the console, which finds out itself which.
  for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/*`]) {
    api.get(path, async (request, reply) => {
      made ??= page().catch((error: unknown) => {
        made = null;
        throw error;
      });
      reply.headers(pageHeaders);
      // Interfaces come and go.
      const nearby = isNearby(request) ? mediaUrls() : [];
      reply.header('content-security-policy', consolePolicy(options.publicMediaUrl, nearby, mapTilesUrl));
      return sendAsset(reply, await made, request.headers['accept-encoding']);
    });
  }
}
