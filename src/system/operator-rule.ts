/**
 * The callers who may see the gateway itself: its log, its configuration, its load. These show the activity of all organizations. So only
 * the default organization's own admins and keys, and the default partner's keys, are accepted: the operator gets them at the first start.
 * An application or a page has the rights of a key for its data, but not for this.
 */

import type { Caller } from '../accounts/caller.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SYSTEM_ERRORS } from './errors.ts';

/** The organizations whose keys the operator has. */
export interface Operators {
  readonly orgUuid: Ruuid;
  readonly partnerUuid: Ruuid;
}

/** Fails SYSTEM_CALLER_REFUSED. */
export function admitOperator(caller: Caller, operators: Operators): void {
  if (!isOperator(caller, operators)) throw new GatewayError(SYSTEM_ERRORS.SYSTEM_CALLER_REFUSED);
}

function isOperator({ principal }: Caller, { orgUuid, partnerUuid }: Operators): boolean {
  switch (principal.kind) {
    case 'key':
      return principal.key.scheme === 'api'
        ? principal.key.orgUuid === orgUuid
        : principal.key.scheme === 'partner-api' && principal.key.orgUuid === partnerUuid;
    case 'person':
      return principal.person.orgUuid === orgUuid;
    case 'application':
    case 'page':
      return false;
  }
}
