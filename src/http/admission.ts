/** Everything that is decided about a request before its body is read: who sent it, and whether they can send it now. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/caller.ts';
import { GatewayError } from '../core/errors.ts';
import type { Role } from '../store/person.ts';
import {
  type AuthenticationParts,
  authenticate,
  callerIfAny,
  type EndpointAccess,
  expectKnownScheme,
  headersWithSession,
  rateLimited,
} from './authentication.ts';
import { isFromOwnPage } from './console-cookie.ts';
import { expectRole, hasRole } from './endpoint-roles.ts';
import type { ScopeTreatment } from './endpoint-scopes.ts';
import { API_ERRORS } from './errors.ts';
import { setQuotaHeaders } from './quota-headers.ts';
import { mayEndAccess, type RequestLimits } from './request-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the caller is known. */
    caller: Caller | null;
    /** The `warningMsg` of a refusal. */
    warning: string | null;
  }
}

/** Failed authentications in `RateLimit-Policy`. */
export const ADDRESS_POLICY = 'address';

export interface AdmissionParts {
  readonly authentication: AuthenticationParts;
  readonly requestLimits: RequestLimits;
  /** The `WWW-Authenticate` of a 401: where to get a token (RFC 9728 §5.1). */
  readonly challenge: string;
}

/** Who can call. */
export interface Admitted {
  readonly access: EndpointAccess;
  readonly role: Role;
  readonly limited: ScopeTreatment;
}

/** Sets `request.caller` and the quota headers. Fails AUTHENTICATION_FAILED, API_RATE_LIMITED, ROLE_REQUIRED or SCOPE_REFUSED. */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, role, limited }: Admitted,
  parts: AdmissionParts,
): Promise<Caller> {
  const { url, headers } = request;
  const queryAt = url.indexOf('?');
  const endsAccess = mayEndAccess(pathOf(url));
  const caller = await authenticate(
    queryAt < 0 ? headers : headersWithSession(headers, url.slice(queryAt + 1)),
    request.ip,
    access,
    { ...parts.authentication, endsAccess },
    (verdict) => {
      setQuotaHeaders(reply, ADDRESS_POLICY, verdict);
      if (verdict.isAllowed) reply.header('www-authenticate', parts.challenge);
    },
  );
  request.caller = caller;
  const isReserved = hasRole(caller, role) && endsAccess;
  const { policy, verdict } = await parts.requestLimits.take(caller, isReserved);
  setQuotaHeaders(reply, policy, verdict);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  expectRole(caller, role);
  if (caller.scope !== null && limited === 'refused') throw new GatewayError(API_ERRORS.SCOPE_REFUSED);
  return caller;
}

/**
 * Admits requests to an endpoint that needs no credentials, such as signing in. Sets `request.caller` if the request has valid credentials.
 * Requests count against their address, and pages of other sites cannot send them. Fails API_RATE_LIMITED, ORIGIN_REFUSED, or
 * AUTHENTICATION_FAILED for credentials of an unknown kind.
 */
export async function admitAnyone(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: AdmissionParts,
): Promise<void> {
  const { headers, ip } = request;
  const { authentication } = parts;
  const { policy, verdict } = await parts.requestLimits.takeForAddress(ip);
  setQuotaHeaders(reply, policy, verdict);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  if (authentication.consoleUrl === null || !isFromOwnPage(headers, authentication.consoleUrl)) {
    throw new GatewayError(API_ERRORS.ORIGIN_REFUSED);
  }
  expectKnownScheme(headers);
  const endsAccess = mayEndAccess(pathOf(request.url));
  request.caller = await callerIfAny(headers, ip, 'api', { ...authentication, endsAccess });
}

function pathOf(url: string): string {
  const queryAt = url.indexOf('?');
  return queryAt < 0 ? url : url.slice(0, queryAt);
}
