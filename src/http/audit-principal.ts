/** The sender of a request, as recorded in the audit trail. */

import type { Caller } from '../accounts/caller.ts';
import { GATEWAY_PRINCIPAL } from '../audit/acting-principal.ts';
import type { AuditPrincipal } from '../store/audit.ts';

const MAX_USER_AGENT_LENGTH = 512;

const TYPE_BY_SCHEME = { api: 'API_TOKEN', 'partner-api': 'PARTNER', device: 'DEVICE' } as const;

/** `caller`: null if the endpoint requires no credentials. */
export function principalOf(
  caller: Caller | null,
  sourceIp: string,
  userAgent: string | undefined,
): AuditPrincipal {
  const client = { sourceIp, userAgent: auditedUserAgent(userAgent) };
  if (caller === null) return { ...GATEWAY_PRINCIPAL, ...client };
  const { uuid, name } = caller.actor;
  return { type: typeOf(caller), uuid, name, ...client };
}

function typeOf({ principal }: Caller): AuditPrincipal['type'] {
  switch (principal.kind) {
    case 'person':
      return 'USER';
    case 'application':
      return 'API_OAUTH_TOKEN';
    default:
      return TYPE_BY_SCHEME[principal.key.scheme];
  }
}

/** How much of a client's description of itself is kept. */
export function auditedUserAgent(userAgent: string | undefined): string | null {
  return userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}
