/**
 * Viewers who sign in at the OIDC provider before they watch: `GET /share/<token>/sign-in` leads there, and `GET /sso/callback` takes the
 * viewer back to the page of that link, never elsewhere. For the link, the browser's proof then counts like a correct password
 * (docs/design/access.md#viewers-who-sign-in).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../core/log.ts';
import type { OidcClient } from '../../oidc/oidc-client.ts';
import { type AddressFailures, callbackQuery, visitProvider } from '../../oidc/provider-visit.ts';
import { ATTEMPT_MS } from '../../oidc/sign-in-attempt.ts';
import { cookieIn, ssoCookie, ssoCookieName } from '../../oidc/sso-cookie.ts';
import type { ShareGate } from '../../sharing/share-gate.ts';
import type { ViewerProofs } from '../../sharing/viewer-proofs.ts';
import { COMMON_HEADERS } from '../response/refusal-response.ts';

export const VIEWER_CALLBACK_PATH = '/sso/callback';
const ATTEMPT_COOKIE = 'sluice_sign_in';
const PROOF_COOKIE = 'sluice_viewer';
const HEADERS = { ...COMMON_HEADERS, 'cache-control': 'no-store' } as const;

/** The provider at which viewers sign in. */
export interface ViewerSignIn {
  /** The label of the button. */
  readonly label: string;
  readonly proofs: ViewerProofs;
  readonly proofLifetimeMs: number;
  /** Failed sign-ins and credentials of one address. */
  readonly failures: AddressFailures;
  /** Base of this listener as viewers reach it: known once it listens. */
  mediaUrl(): string;
  client(): OidcClient;
}

/** The browser's proof of a sign-in for the requested link; null: none. */
export function signInProofOf({ headers }: FastifyRequest): string | null {
  return cookieIn(headers, PROOF_COOKIE);
}

export function registerViewerSignIn(
  app: FastifyInstance,
  parts: { readonly gate: ShareGate; readonly log: Log; readonly basePath: string },
  signIn: ViewerSignIn,
): void {
  const { gate, log, basePath } = parts;
  const pageOf = (token: string) => `${basePath}/share/${token}`;
  const attemptCookie = (value: string | null) =>
    ssoCookie({
      name: ATTEMPT_COOKIE,
      value,
      path: '/',
      maxAgeSec: ATTEMPT_MS / 1_000,
      publicUrl: signIn.mediaUrl(),
    });
  const proofCookie = (value: string, token: string) =>
    ssoCookie({
      name: PROOF_COOKIE,
      value,
      path: pageOf(token),
      maxAgeSec: Math.ceil(signIn.proofLifetimeMs / 1_000),
      publicUrl: signIn.mediaUrl(),
    });

  /** `token`: the token of the link whose page shows the failure; null: unknown. */
  const attempt = (
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | null,
    work: () => Promise<FastifyReply>,
  ) => {
    reply.headers(HEADERS);
    const { failures } = signIn;
    return visitProvider({
      request,
      failures,
      log,
      who: 'viewer',
      browser: null,
      work,
      fail: (code) => fail(reply, token, code),
    });
  };
  function fail(reply: FastifyReply, token: string | null, code: string): FastifyReply {
    reply.header('set-cookie', attemptCookie(null));
    if (token !== null) return reply.redirect(`${pageOf(token)}?signIn=${code}`, 302);
    return reply.code(400).type('text/plain; charset=utf-8').send(STALE);
  }

  app.get<{ Params: { token: string } }>(
    '/share/:token/sign-in',
    { config: { access: 'share-link' } },
    (request, reply) => {
      const { token } = request.params;
      if (gate.awaitsSignIn(token, request) === null) {
        // The page explains the state of the link, even if there is none.
        return reply.headers(HEADERS).redirect(pageOf(encodeURIComponent(token)), 302);
      }
      return attempt(request, reply, token, async () => {
        const { location, sealed } = await signIn.client().begin(token);
        return reply.header('set-cookie', attemptCookie(sealed)).redirect(location, 302);
      });
    },
  );
  app.get(VIEWER_CALLBACK_PATH, { config: { access: 'public' } }, (request, reply) => {
    const sealed = cookieIn(request.headers, ssoCookieName(ATTEMPT_COOKIE, '/', signIn.mediaUrl()));
    const begun = signIn.client().returnToOf(sealed);
    return attempt(request, reply, begun, async () => {
      const { identity, returnTo: token } = await signIn
        .client()
        .finish(callbackQuery(request.raw.url), sealed, request.ip);
      const share = gate.awaitsSignIn(token, request);
      const cookies = [attemptCookie(null)];
      if (share !== null) cookies.push(proofCookie(signIn.proofs.issue(share, identity), token));
      return reply.header('set-cookie', cookies).redirect(pageOf(token), 302);
    });
  });
}

const STALE =
  'This sign-in was started too long ago, in another browser, or was already used. Open the link that you were given again.\n';
