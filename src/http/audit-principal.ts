/** Who sent a request, as recorded in the audit trail. */

import type { Caller } from '../accounts/caller.ts';
import type { AuditPrincipal } from '../store/audit.ts';

const MAX_USER_AGENT_LENGTH = 512;

const TYPE_BY_SCHEME = { api: 'API_TOKEN', 'partner-api': 'PARTNER', device: 'DEVICE' } as const;

export function principalOf(caller: Caller, sourceIp: string, userAgent: string | undefined): AuditPrincipal {
  return {
    type: caller.grant === null ? TYPE_BY_SCHEME[caller.key.scheme] : 'API_OAUTH_TOKEN',
    uuid: caller.key.uuid,
    name: caller.key.name,
    sourceIp,
    userAgent: auditedUserAgent(userAgent),
  };
}

/** How much of a client's description of itself is kept. */
export function auditedUserAgent(userAgent: string | undefined): string | null {
  return userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}
