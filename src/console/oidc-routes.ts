/**
 * Signing in to the console at the OIDC provider: `GET /console/oidc/start` leads there, `GET /console/oidc/callback`
 * takes the person back. Both are navigations, so they answer with redirects; a failure is a word in the address of the
 * console, which says it in a sentence.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OidcSignIn } from '../accounts/oidc-sign-in.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { RateLimiter } from '../counters/rate-limiter.ts';
import { consoleCookie, consoleTokenIn } from '../http/console-cookie.ts';
import { isGuess } from '../oidc/errors.ts';
import type { OidcClient } from '../oidc/oidc-client.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { ownPath } from '../oidc/own-path.ts';
import { ATTEMPT_MS } from '../oidc/sign-in-attempt.ts';
import { cookieIn, ssoCookie } from '../oidc/sso-cookie.ts';

export const OIDC_CALLBACK_PATH = '/console/oidc/callback';
const START_PATH = '/console/oidc/start';
const COOKIE = 'sluice_oidc';
const MAX_QUERY_CHARS = 8_000;

/** The sign-in provider of the console. */
export interface ConsoleSso {
  readonly settings: OidcSettings;
  readonly sealingKey: Uint8Array;
  readonly orgUuid: Ruuid;
}

export interface OidcRoutesOptions {
  readonly client: OidcClient;
  readonly signIn: OidcSignIn;
  /** Failed sign-ins of one address, of every kind. */
  readonly failures: Pick<RateLimiter, 'peek' | 'take'>;
  readonly publicApiUrl: string;
  readonly log: Log;
}

export async function oidcRoutes(api: FastifyInstance, options: OidcRoutesOptions): Promise<void> {
  const { client, publicApiUrl } = options;
  const basePath = new URL(publicApiUrl).pathname.replace(/\/+$/, '');
  const home = `${basePath}/console/`;
  const cookieFor = (value: string | null) =>
    ssoCookie({
      name: COOKIE,
      value,
      path: `${home}oidc/`,
      maxAgeSec: ATTEMPT_MS / 1_000,
      publicUrl: publicApiUrl,
    });

  async function attempt(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const address = subscriberOf(request.ip);
    try {
      if (!(await options.failures.peek(address)).isAllowed) return leave(reply, 'SIGN_IN_LIMITED');
      return await work();
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      // Whether the provider answers, no one can guess: its outage must not keep passwords out.
      if (isGuess(failure)) await options.failures.take(address);
      if (failure.kind === 'internal')
        options.log.error({ err: failure }, 'single sign-on failed internally');
      else options.log.info({ code: failure.code, address: request.ip }, 'single sign-on refused');
      return leave(reply, failure.code);
    }
  }
  const leave = (reply: FastifyReply, code: string) =>
    reply.header('set-cookie', cookieFor(null)).redirect(`${home}?signIn=${code}`, 302);

  api.get(START_PATH, (request, reply) =>
    attempt(request, reply, async () => {
      const { returnTo } = request.query as { readonly returnTo?: unknown };
      const { location, sealed } = await client.begin(ownPath(returnTo, home));
      return reply.header('set-cookie', cookieFor(sealed)).redirect(location, 302);
    }),
  );
  api.get(OIDC_CALLBACK_PATH, (request, reply) =>
    attempt(request, reply, async () => {
      const query = new URLSearchParams(request.url.split('?')[1]?.slice(0, MAX_QUERY_CHARS) ?? '');
      const { identity, returnTo } = await client.finish(query, cookieIn(request.headers, COOKIE));
      const begun = await options.signIn.enter(identity, {
        address: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
        sessionToken: consoleTokenIn(request.headers, publicApiUrl),
        browserToken: null,
      });
      return reply
        .header('set-cookie', [cookieFor(null), consoleCookie(begun.token, publicApiUrl)])
        .redirect(ownPath(returnTo, home), 302);
    }),
  );
}
