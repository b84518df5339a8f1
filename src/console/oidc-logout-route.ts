/**
 * `POST …/logout`: the provider says that it ended a session (OpenID Connect Back-Channel Logout 1.0 §2.5).
 * Anyone can send something here. Whatever is wrong with it, the answer is the same; the log says more.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actAs } from '../audit/acting-principal.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import type { AddressFailures } from '../oidc/provider-visit.ts';
import type { AuditPrincipal } from '../store/audit.ts';

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
const GUESSES: ReadonlySet<string> = new Set([
  OIDC_ERRORS.OIDC_LOGOUT_INVALID.code,
  OIDC_ERRORS.OIDC_NOT_SET_UP.code,
]);
/** §2.8 has no other word, and no word for why. */
const REFUSED = { error: 'invalid_request' };

/** Verifies a logout token, and calls `end` with what ends the sessions of the person, and resolves with their number. */
export type TakeLogout = (
  request: FastifyRequest,
  token: string,
  end: (work: () => Promise<number>) => Promise<void>,
) => Promise<void>;

export interface LogoutRouteOptions {
  readonly path: string;
  readonly logOut: TakeLogout;
  readonly failures: AddressFailures;
  readonly log: Log;
}

/** Registers in an encapsulated scope: its body parser applies to this route only. */
export async function logoutRoute(api: FastifyInstance, options: LogoutRouteOptions): Promise<void> {
  const { path, logOut, failures, log } = options;
  api.removeAllContentTypeParsers();
  const reading = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES } as const;
  api.addContentTypeParser('*', reading, (_request, body, done) => done(null, body));
  // Refusals of Fastify itself: a body that is too long, or a length that is wrong.
  api.setErrorHandler((_error, _request, reply) => reply.code(400).send(REFUSED));
  api.post(path, async (request, reply) => {
    // Apart from failed sign-ins: those from the provider's own address must not keep its logouts out.
    const address = `logout ${subscriberOf(request.ip)}`;
    try {
      if (!(await failures.peek(address)).isAllowed) return await reply.code(429).send(REFUSED);
      await logOut(request, logoutTokenOf(request), async (work) => {
        const endedCount = await actAs(providerAt(request.ip), work);
        log.info({ endedCount, address: request.ip }, 'sessions ended by the sign-in provider');
      });
      return await reply.code(200).send();
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      // Our own failures, and an outage of the provider, are not the sender's.
      if (GUESSES.has(failure.code)) await failures.take(address);
      const fields = { code: failure.code, address: request.ip };
      if (failure.kind === 'internal')
        log.error({ ...fields, err: failure }, 'logout of the provider failed');
      else log.info(fields, 'logout of the provider refused');
      return await reply.code(400).send(REFUSED);
    }
  });
}

/** The principal who signed the person out, in the trail. */
export function providerAt(sourceIp: string): AuditPrincipal {
  return { type: 'UNKNOWN', uuid: null, name: 'Sign-in provider', sourceIp, userAgent: null };
}

/** Fails OIDC_LOGOUT_INVALID. */
function logoutTokenOf({ headers, body }: FastifyRequest): string {
  const isForm = FORM.test(headers['content-type'] ?? '') && typeof body === 'string';
  const tokens = isForm ? new URLSearchParams(body).getAll('logout_token') : [];
  if (tokens.length !== 1 || tokens[0] === '') throw new GatewayError(OIDC_ERRORS.OIDC_LOGOUT_INVALID);
  return tokens[0]!;
}
