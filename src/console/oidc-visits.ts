/**
 * Signing in to the console at an OpenID Connect provider, and signing out there: `GET …/start` leads there, `GET …/callback` takes the
 * person back, `GET …/end` leads to where the provider ends its own session. These are navigations, so they answer with redirects; a
 * failure is a word in the address of the console, which says it in a sentence. `POST …/logout` is for the provider.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleClient } from '../accounts/console-sessions.ts';
import type { KnownBrowsers } from '../accounts/known-browsers.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { Log } from '../core/log.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { browserProofIn, consoleCookie, consoleTokenIn, knownBrowserCookie } from '../http/console-cookie.ts';
import { ownPath } from '../oidc/own-path.ts';
import { type AddressFailures, callbackQuery, visitProvider } from '../oidc/provider-visit.ts';
import { ATTEMPT_MS } from '../oidc/sign-in-attempt.ts';
import { cookieIn, ssoCookie, ssoCookieName } from '../oidc/sso-cookie.ts';
import { logoutRoute, type TakeLogout } from './oidc-logout-route.ts';

const COOKIE = 'sluice_oidc';
/** The console's code if the provider could not be asked to sign the person out as well. */
const SIGNED_OUT_HERE = 'SIGNED_OUT_HERE';

/** What a kind of provider does with a visit. */
export interface OidcVisits {
  /** Of the routes. */
  readonly path: string;
  begin(
    request: FastifyRequest,
    returnTo: string,
  ): Promise<{ readonly location: string; readonly sealed: string }>;
  /** `sealed`: the browser's cookie. */
  enter(
    request: FastifyRequest,
    query: URLSearchParams,
    sealed: string | null,
    client: ConsoleClient,
  ): Promise<{ readonly begun: SignedIn; readonly returnTo: string }>;
  /** null: the provider has no such page. */
  endSessionUrl(request: FastifyRequest, returnUri: string): Promise<string | null>;
  readonly logOut: TakeLogout;
}

export interface OidcVisitOptions {
  /** Failed visits of the provider. Wrong keys and passwords do not count. */
  readonly failures: AddressFailures;
  readonly browsers: Pick<KnownBrowsers, 'find'>;
  readonly publicApiUrl: string;
  readonly log: Log;
}

export async function oidcVisitRoutes(
  api: FastifyInstance,
  { visits, failures, browsers, publicApiUrl, log }: OidcVisitOptions & { readonly visits: OidcVisits },
): Promise<void> {
  const basePath = new URL(publicApiUrl).pathname.replace(/\/+$/, '');
  const home = `${basePath}/console/`;
  const publicHome = `${withoutTrailingSlashes(publicApiUrl)}/console/`;
  const cookieName = ssoCookieName(COOKIE, '/', publicApiUrl);
  const cookieFor = (value: string | null) =>
    ssoCookie({
      name: COOKIE,
      value,
      path: '/',
      maxAgeSec: ATTEMPT_MS / 1_000,
      publicUrl: publicApiUrl,
    });
  const leave = (reply: FastifyReply, code: string) =>
    reply.header('set-cookie', cookieFor(null)).redirect(`${home}?signIn=${code}`, 302);
  const browserOf = ({ headers }: FastifyRequest) =>
    browsers.find(browserProofIn(headers, publicApiUrl))?.name ?? null;
  const attempt = (request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) =>
    visitProvider({
      request,
      failures,
      log,
      who: 'person',
      browser: browserOf(request),
      work,
      fail: (code) => leave(reply, code),
    });

  api.get(`${visits.path}/start`, (request, reply) =>
    attempt(request, reply, async () => {
      const { returnTo } = request.query as { readonly returnTo?: unknown };
      const { location, sealed } = await visits.begin(request, ownPath(returnTo, home));
      return reply.header('set-cookie', cookieFor(sealed)).redirect(location, 302);
    }),
  );
  api.get(`${visits.path}/callback`, (request, reply) =>
    attempt(request, reply, async () => {
      const sealed = cookieIn(request.headers, cookieName);
      const { begun, returnTo } = await visits.enter(request, callbackQuery(request.url), sealed, {
        address: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
        sessionToken: consoleTokenIn(request.headers, publicApiUrl),
        browserToken: null,
        browserProof: browserProofIn(request.headers, publicApiUrl),
      });
      return reply
        .header('set-cookie', [
          cookieFor(null),
          consoleCookie(begun.token, publicApiUrl),
          ...(begun.browserProof === null ? [] : [knownBrowserCookie(begun.browserProof, publicApiUrl)]),
        ])
        .redirect(ownPath(returnTo, home), 302);
    }),
  );
  // Nothing ends here: our session has ended before, and the provider asks the person.
  api.get(`${visits.path}/end`, (request, reply) =>
    visitProvider({
      request,
      failures,
      log,
      who: 'person',
      browser: browserOf(request),
      work: async () => reply.redirect((await visits.endSessionUrl(request, publicHome)) ?? home, 302),
      fail: () => leave(reply, SIGNED_OUT_HERE),
    }),
  );
  await api.register(logoutRoute, { path: `${visits.path}/logout`, logOut: visits.logOut, failures, log });
}
