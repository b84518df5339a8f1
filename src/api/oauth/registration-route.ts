/**
 * POST /oauth/register (RFC 7591). No one registers anonymously: the initial access token (§3) is an API key of the
 * organization that the client will belong to, or an access token that such a key granted. So an unauthenticated caller
 * gets a 401 and nothing is written. A registered client has no rights until a key consents.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthApplications } from '../../accounts/oauth-applications.ts';
import { actAs } from '../../audit/acting-principal.ts';
import { GatewayError } from '../../core/errors.ts';
import type { RateLimiter } from '../../counters/rate-limiter.ts';
import { type AdmissionParts, admit } from '../../http/admission.ts';
import { principalOf } from '../../http/audit-principal.ts';
import { API_KEY_HEADER, rateLimited } from '../../http/authentication.ts';
import { API_ERRORS } from '../../http/errors.ts';
import { setQuotaHeaders } from '../../http/quota-headers.ts';
import { REGISTER_PATH } from './discovery.ts';
import { REGISTRATION_NAMES } from './errors.ts';
import { respondRegistration } from './registration-request.ts';

/** Client metadata is a few short strings. */
const METADATA_BYTES = 32 * 1024;

/** The rate limit's name in `RateLimit-Policy`. */
export const REGISTRATION_POLICY = 'registration';

const BEARER_KEY = /^bearer +(?!slo_at_)(\S+)$/i;

export interface RegistrationRouteOptions {
  readonly admission: AdmissionParts;
  readonly applications: OAuthApplications;
  /** Registrations by organization. */
  readonly registrations: RateLimiter;
}

/** Registers in an encapsulated scope: its body parser and error names apply to this route only. */
export async function registrationRoute(
  api: FastifyInstance,
  { admission, applications, registrations }: RegistrationRouteOptions,
): Promise<void> {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'string', bodyLimit: METADATA_BYTES }, (_request, body, done) => {
    done(null, body);
  });
  api.setErrorHandler((error, _request, reply) => respondRegistrationError(error, reply));
  api.post(
    REGISTER_PATH,
    {
      onRequest: async (request, reply) => {
        takeKeyFromBearer(request);
        const { orgUuid } = await admit(
          request,
          reply,
          { access: 'api', role: 'admin', limited: 'refused' },
          admission,
        );
        const verdict = await registrations.take(orgUuid);
        if (verdict.isAllowed) return;
        setQuotaHeaders(reply, REGISTRATION_POLICY, verdict);
        throw rateLimited(verdict.retryAfterSec);
      },
    },
    async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
      const principal = principalOf(caller, request.ip, request.headers['user-agent']);
      const body = typeof request.body === 'string' ? request.body : '';
      const client = await actAs(principal, () => respondRegistration(caller.orgUuid, body, applications));
      return reply.code(201).send(client);
    },
  );
}

/** Clients of RFC 7591 can only send an initial access token as a bearer token. */
function takeKeyFromBearer({ headers }: FastifyRequest): void {
  const key = BEARER_KEY.exec(headers.authorization ?? '')?.[1];
  if (key === undefined || headers[API_KEY_HEADER] !== undefined) return;
  headers[API_KEY_HEADER] = key;
  delete headers.authorization;
}

/** Failures that RFC 7591 §3.2.2 has a name for. All others are reported as usual. */
function respondRegistrationError(failure: unknown, reply: FastifyReply): FastifyReply {
  if (!(failure instanceof GatewayError) || !Object.hasOwn(REGISTRATION_NAMES, failure.code)) throw failure;
  const { status, name } = REGISTRATION_NAMES[failure.code as keyof typeof REGISTRATION_NAMES];
  const { sentence } = failure.context;
  const description = typeof sentence === 'string' ? sentence : failure.message;
  return reply.code(status).send({ error: name, error_description: description });
}
