/** Everything that is decided about a request before its body is read: who sent it, and whether they can send it now. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/caller.ts';
import type { RateLimiter } from '../counters/rate-limiter.ts';
import {
  type AuthenticationParts,
  authenticate,
  type EndpointAccess,
  rateLimited,
} from './authentication.ts';
import { setQuotaHeaders } from './quota-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the caller is known. */
    caller: Caller | null;
    /** The `warningMsg` of a refusal. */
    warning: string | null;
  }
}

/** The names of the rate limits in `RateLimit-Policy`. */
export const ORGANIZATION_POLICY = 'organization';
export const ADDRESS_POLICY = 'address';

export interface AdmissionParts {
  readonly authentication: AuthenticationParts;
  readonly requestsPerOrg: RateLimiter;
  /** The `WWW-Authenticate` of a 401: where to get a token (RFC 9728 §5.1). */
  readonly challenge: string;
}

/** Sets `request.caller` and the quota headers. Fails AUTHENTICATION_FAILED or API_RATE_LIMITED. */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  endpointAccess: EndpointAccess,
  parts: AdmissionParts,
): Promise<Caller> {
  const caller = await authenticate(
    request.headers,
    request.ip,
    endpointAccess,
    parts.authentication,
    (verdict) => {
      setQuotaHeaders(reply, ADDRESS_POLICY, verdict);
      if (verdict.isAllowed) reply.header('www-authenticate', parts.challenge);
    },
  );
  request.caller = caller;
  const verdict = await parts.requestsPerOrg.take(caller.orgUuid);
  setQuotaHeaders(reply, ORGANIZATION_POLICY, verdict);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  return caller;
}
