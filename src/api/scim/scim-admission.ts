/** Who may send SCIM requests: the holder of one of the organization's provisioning tokens. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import type { RateVerdict } from '../../counters/rate-limiter.ts';
import { ADDRESS_POLICY, type AdmissionParts } from '../../http/admission.ts';
import { auditedUserAgent } from '../../http/audit-principal.ts';
import { bearerToken, countFailure, rateLimited } from '../../http/authentication.ts';
import { API_ERRORS } from '../../http/errors.ts';
import { setQuotaHeaders } from '../../http/quota-headers.ts';
import type { ScimToken, ScimTokens } from '../../scim/scim-tokens.ts';
import type { AuditPrincipal } from '../../store/audit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the token of a SCIM request is known. */
    scim: ScimAdmission | null;
  }
}

export interface ScimAdmission {
  readonly token: ScimToken;
  /** What the response says of a failure. */
  detail: string | null;
}

const CHALLENGE = 'Bearer realm="scim"';

/** Sets `request.scim`. Fails AUTHENTICATION_FAILED, API_RATE_LIMITED. */
export async function admitScim(
  request: FastifyRequest,
  reply: FastifyReply,
  tokens: Pick<ScimTokens, 'find'>,
  { authentication, requestLimits }: AdmissionParts,
): Promise<void> {
  const text = bearerToken(request.headers.authorization);
  const token = text === null ? null : await lookUp(text, request.ip, tokens, authentication);
  if (token === null) {
    await countFailure(request.ip, authentication.failures, (verdict: RateVerdict) => {
      setQuotaHeaders(reply, ADDRESS_POLICY, verdict);
      if (verdict.isAllowed) reply.header('www-authenticate', CHALLENGE);
    });
    throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
  }
  request.scim = { token, detail: null };
  const { policy, verdict } = await requestLimits.takeForProvisioning(token.orgUuid, token.uuid);
  setQuotaHeaders(reply, policy, verdict);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
}

/** A flood of guesses must not delay other requests to the store. */
async function lookUp(
  text: string,
  address: string,
  tokens: Pick<ScimTokens, 'find'>,
  { failures, suspectLookUps }: AdmissionParts['authentication'],
): Promise<ScimToken | null> {
  const { isAllowed } = await failures.peek(subscriberOf(address));
  return isAllowed ? tokens.find(text) : suspectLookUps.run(() => tokens.find(text));
}

/** The token, in the trail of what it changed. Fails AUTHENTICATION_FAILED. */
export function principalOfScim({ scim, ip, headers }: FastifyRequest): AuditPrincipal {
  const { uuid, name } = tokenOf(scim);
  return {
    type: 'API_TOKEN',
    uuid,
    name: `${name} (SCIM)`,
    sourceIp: ip,
    userAgent: auditedUserAgent(headers['user-agent']),
  };
}

export function tokenOf(scim: ScimAdmission | null): ScimToken {
  if (scim === null) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
  return scim.token;
}
