/**
 * Signing in to the console at the OIDC provider, and signing out there: `GET /console/oidc/start` leads there, `GET
 * /console/oidc/callback` takes the person back, `GET /console/oidc/end` leads to where the provider ends its own session.
 * These are navigations, so they answer with redirects; a failure is a word in the address of the console, which says it in
 * a sentence. `POST /console/oidc/logout` is for the provider.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KnownBrowsers } from '../accounts/known-browsers.ts';
import type { OidcSignIn } from '../accounts/oidc-sign-in.ts';
import type { ProviderSignOut } from '../accounts/provider-sign-out.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { browserProofIn, consoleCookie, consoleTokenIn, knownBrowserCookie } from '../http/console-cookie.ts';
import type { OidcClient } from '../oidc/oidc-client.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { ownPath } from '../oidc/own-path.ts';
import { type AddressFailures, callbackQuery, visitProvider } from '../oidc/provider-visit.ts';
import { ATTEMPT_MS } from '../oidc/sign-in-attempt.ts';
import { cookieIn, ssoCookie, ssoCookieName } from '../oidc/sso-cookie.ts';
import { logoutRoute } from './oidc-logout-route.ts';

export const OIDC_CALLBACK_PATH = '/console/oidc/callback';
const START_PATH = '/console/oidc/start';
const END_PATH = '/console/oidc/end';
const COOKIE = 'sluice_oidc';
/** The console's code if the provider could not be asked to sign the person out as well. */
const SIGNED_OUT_HERE = 'SIGNED_OUT_HERE';

/** The sign-in provider of the console. */
export interface ConsoleSso {
  readonly settings: OidcSettings;
  readonly sealingKey: Uint8Array;
  readonly orgUuid: Ruuid;
}

export interface OidcRoutesOptions {
  readonly client: OidcClient;
  readonly signIn: OidcSignIn;
  readonly signOut: ProviderSignOut;
  readonly orgUuid: Ruuid;
  /** Failed visits of the provider. Wrong keys and passwords do not count. */
  readonly failures: AddressFailures;
  readonly browsers: Pick<KnownBrowsers, 'find'>;
  readonly publicApiUrl: string;
  readonly log: Log;
}

export async function oidcRoutes(api: FastifyInstance, options: OidcRoutesOptions): Promise<void> {
  const { client, failures, browsers, publicApiUrl, log } = options;
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

  api.get(START_PATH, (request, reply) =>
    attempt(request, reply, async () => {
      const { returnTo } = request.query as { readonly returnTo?: unknown };
      const { location, sealed } = await client.begin(ownPath(returnTo, home));
      return reply.header('set-cookie', cookieFor(sealed)).redirect(location, 302);
    }),
  );
  api.get(OIDC_CALLBACK_PATH, (request, reply) =>
    attempt(request, reply, async () => {
      const query = callbackQuery(request.url);
      const { identity, returnTo } = await client.finish(
        query,
        cookieIn(request.headers, cookieName),
        request.ip,
      );
      const begun = await options.signIn.enter(identity, {
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
  api.get(END_PATH, (request, reply) =>
    visitProvider({
      request,
      failures,
      log,
      who: 'person',
      browser: browserOf(request),
      work: async () => reply.redirect((await client.endSessionUrl(publicHome)) ?? home, 302),
      fail: () => leave(reply, SIGNED_OUT_HERE),
    }),
  );
  const { signOut, orgUuid } = options;
  await api.register(logoutRoute, { client, signOut, orgUuid, failures, log });
}
