/**
 * Signing in to the console at SAML providers, and signing out there. All are navigations, which lead on: `GET …/start` to the provider,
 * `POST …/acs` takes its response, `GET finish` signs in the browser that began, `GET …/logout` ends what the provider ended, and `GET end`
 * leads to the provider's own end. `GET …/metadata` is for the provider's admin. A failure is a code in the address of the console.
 */

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleSessions } from '../accounts/console-sessions.ts';
import type { KnownBrowsers } from '../accounts/known-browsers.ts';
import type { SamlSignIn } from '../accounts/saml-sign-in.ts';
import { actAs } from '../audit/acting-principal.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { browserProofIn, consoleCookie, consoleTokenIn, knownBrowserCookie } from '../http/console-cookie.ts';
import { isGuess } from '../oidc/errors.ts';
import { ownPath } from '../oidc/own-path.ts';
import { type AddressFailures, visitProvider } from '../oidc/provider-visit.ts';
import { ATTEMPT_MS } from '../oidc/sign-in-attempt.ts';
import { cookieIn, ssoCookie, ssoCookieName } from '../oidc/sso-cookie.ts';
import { SAML_ERRORS } from '../saml/errors.ts';
import type { BrowserRequest } from '../saml/requests.ts';
import type { SamlClient } from '../saml/saml-client.ts';
import { escapedXml, MAX_MESSAGE_BYTES } from '../saml/saml-xml.ts';
import { providerAt } from './oidc-logout-route.ts';

const ATTEMPT_COOKIE = 'sluice_saml';
/** Names the person's session at the provider, for the end there. */
const SUBJECT_COOKIE = 'sluice_saml_subject';
const SUBJECT_MAX_AGE_SEC = 30 * 86_400;
/** Base64 has four characters for three bytes, and some of them are escaped in a form. */
const MAX_FORM_BYTES = MAX_MESSAGE_BYTES * 2;
const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
const SIGNED_OUT_HERE = 'SIGNED_OUT_HERE';
const PROVIDER_PATH = '/console/saml/:providerUuid';
const FINISH_PATH = '/console/saml/finish';
/** The page of the console where admins read what a test brought. */
const TESTED_PATH = 'sign-in-providers';

export interface SamlRoutesOptions {
  readonly client: SamlClient;
  readonly signIn: SamlSignIn;
  readonly sessions: Pick<ConsoleSessions, 'findByToken'>;
  /** Failed visits of providers. */
  readonly failures: AddressFailures;
  readonly browsers: Pick<KnownBrowsers, 'find'>;
  readonly publicApiUrl: string;
  readonly log: Log;
}

export async function samlRoutes(api: FastifyInstance, options: SamlRoutesOptions): Promise<void> {
  const { client, signIn, sessions, failures, browsers, publicApiUrl, log } = options;
  const basePath = new URL(publicApiUrl).pathname.replace(/\/+$/, '');
  const home = `${basePath}/console/`;
  const cookieName = (name: string) => ssoCookieName(name, '/', publicApiUrl);
  const cookie = (name: string, value: string | null, maxAgeSec: number) =>
    ssoCookie({ name, value, path: '/', maxAgeSec, publicUrl: publicApiUrl });
  const attemptCookie = (value: string | null) => cookie(ATTEMPT_COOKIE, value, ATTEMPT_MS / 1_000);
  const leave = (reply: FastifyReply, code: string) =>
    reply.header('set-cookie', attemptCookie(null)).redirect(`${home}?signIn=${code}`, 303);
  const visit = (request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) =>
    visitProvider({
      request,
      failures,
      log,
      who: 'person',
      browser: browsers.find(browserProofIn(request.headers, publicApiUrl))?.name ?? null,
      work,
      fail: (code) => leave(reply, code),
    });

  api.get(`${PROVIDER_PATH}/metadata`, async (request, reply) => {
    try {
      const xml = await client.metadata(providerOf(request));
      return await reply.type('application/samlmetadata+xml').send(xml);
    } catch (thrown) {
      const { kind, code } = toGatewayError(thrown);
      if (kind === 'internal') throw thrown;
      return await reply.code(404).type('text/plain').send(code);
    }
  });
  api.get(`${PROVIDER_PATH}/start`, (request, reply) =>
    visit(request, reply, async () => {
      const { returnTo, test } = request.query as { readonly returnTo?: unknown; readonly test?: unknown };
      const token = consoleTokenIn(request.headers, publicApiUrl);
      const session = token === null ? null : await sessions.findByToken(token);
      const begun = await client.begin(providerOf(request), {
        returnTo: ownPath(returnTo, home),
        test: typeof test === 'string' ? test : null,
        personUuid: session?.personUuid ?? null,
      });
      return leadOn(reply.header('set-cookie', attemptCookie(begun.sealed)), begun.request);
    }),
  );
  api.get(FINISH_PATH, (request, reply) =>
    visit(request, reply, async () => {
      const { ticket } = request.query as { readonly ticket?: unknown };
      const sealed = cookieIn(request.headers, cookieName(ATTEMPT_COOKIE));
      const finished = await client.finish(typeof ticket === 'string' ? ticket : '', sealed);
      if (finished.attempt?.isTest === true) {
        await signIn.report(finished);
        const page = `${home}${TESTED_PATH}?tested=${finished.provider.uuid}`;
        return reply.header('set-cookie', attemptCookie(null)).redirect(page, 303);
      }
      // Already counted where it was received.
      if (finished.outcome.kind === 'failure') return leave(reply, finished.outcome.error.code);
      const begun = await signIn.enter(finished, {
        address: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
        sessionToken: consoleTokenIn(request.headers, publicApiUrl),
        browserToken: null,
        browserProof: browserProofIn(request.headers, publicApiUrl),
      });
      const subject = client.sealSubject(finished.provider, finished.outcome.statement);
      return reply
        .header('set-cookie', [
          attemptCookie(null),
          cookie(SUBJECT_COOKIE, subject, SUBJECT_MAX_AGE_SEC),
          consoleCookie(begun.token, publicApiUrl),
          ...(begun.browserProof === null ? [] : [knownBrowserCookie(begun.browserProof, publicApiUrl)]),
        ])
        .redirect(ownPath(finished.returnTo, home), 303);
    }),
  );
  // Our session has ended before.
  api.get('/console/saml/end', (request, reply) =>
    visitProvider({
      request,
      failures,
      log,
      who: 'person',
      browser: null,
      work: async () => {
        const url = await client.logoutUrl(cookieIn(request.headers, cookieName(SUBJECT_COOKIE)));
        return reply.header('set-cookie', cookie(SUBJECT_COOKIE, null, 0)).redirect(url ?? home, 303);
      },
      fail: () => leave(reply, SIGNED_OUT_HERE),
    }),
  );
  // Refused logouts count apart from failed sign-ins, as those of OpenID Connect.
  api.get(`${PROVIDER_PATH}/logout`, async (request, reply) => {
    const address = `logout ${subscriberOf(request.ip)}`;
    try {
      if (!(await failures.peek(address)).isAllowed) return leave(reply, 'SIGN_IN_LIMITED');
      const query = (request.url ?? '').split('?')[1] ?? '';
      const next = await client.takeLogout(
        providerOf(request),
        query,
        request.ip,
        async (provider, logout) => {
          const endedCount = await actAs(providerAt(request.ip), () => signIn.end(provider, logout));
          const { orgUuid, uuid } = provider;
          log.info({ endedCount, orgUuid, providerUuid: uuid }, 'sessions ended by a SAML provider');
        },
      );
      return reply.header('set-cookie', cookie(SUBJECT_COOKIE, null, 0)).redirect(next ?? home, 303);
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      if (isGuess(failure)) await failures.take(address);
      if (failure.kind === 'internal') log.error({ err: failure }, 'SAML logout failed');
      else log.info({ code: failure.code, address: request.ip }, 'SAML logout refused');
      return leave(reply, failure.kind === 'internal' ? failure.code : SAML_ERRORS.SAML_LOGOUT_INVALID.code);
    }
  });
  await api.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const reading = { parseAs: 'string', bodyLimit: MAX_FORM_BYTES } as const;
    scope.addContentTypeParser('*', reading, (_request, body, done) => done(null, body));
    // Refusals of Fastify itself: a body that is too long, or a length that is wrong.
    scope.setErrorHandler((_error, _request, reply) => leave(reply, SAML_ERRORS.SAML_TOO_LARGE.code));
    scope.post(`${PROVIDER_PATH}/acs`, (request, reply) =>
      visit(request, reply, async () => {
        const form = formOf(request);
        const response = form.getAll('SAMLResponse');
        if (response.length !== 1) throw new GatewayError(SAML_ERRORS.SAML_STRUCTURE_INVALID);
        const { ticket, fault } = await client.receive(
          providerOf(request),
          response[0]!,
          form.get('RelayState'),
          request.ip,
        );
        const browser = browsers.find(browserProofIn(request.headers, publicApiUrl))?.name;
        if (fault !== null && isGuess(fault)) await failures.take(browser ?? subscriberOf(request.ip));
        return reply.redirect(`${basePath}${FINISH_PATH}?ticket=${encodeURIComponent(ticket)}`, 303);
      }),
    );
  });
}

/** Fails SAML_NOT_SET_UP. */
function providerOf(request: FastifyRequest): Ruuid {
  const { providerUuid } = request.params as { readonly providerUuid: string };
  if (!isRuuid(providerUuid)) throw new GatewayError(SAML_ERRORS.SAML_NOT_SET_UP);
  return providerUuid;
}

function formOf({ headers, body }: FastifyRequest): URLSearchParams {
  const isForm = FORM.test(headers['content-type'] ?? '') && typeof body === 'string';
  return new URLSearchParams(isForm ? body : '');
}

const SUBMIT = 'document.forms[0].submit()';
const SUBMIT_HASH = createHash('sha256').update(SUBMIT).digest('base64');

/** To the provider: by its address, or by a form that posts itself. */
function leadOn(reply: FastifyReply, request: BrowserRequest): FastifyReply {
  if (request.binding === 'redirect') return reply.redirect(request.url, 303);
  const action = escapedXml(request.url);
  const policy = `default-src 'none'; script-src 'sha256-${SUBMIT_HASH}'; frame-ancestors 'none'; base-uri 'none'`;
  return reply
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><form method="post" action="${action}">` +
        `<input type="hidden" name="SAMLRequest" value="${request.samlRequest}"><button>Continue</button></form>` +
        `<script>${SUBMIT}</script></html>`,
    );
}
