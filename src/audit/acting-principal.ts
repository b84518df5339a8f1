/**
 * On whose behalf the running code acts. A request says it once, at its beginning; whatever it changes, however
 * deep in the repositories, is recorded under that name.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditPrincipal } from '../store/audit.ts';

/** The gateway itself: the configuration file, the command line, timers. */
export const GATEWAY_PRINCIPAL: AuditPrincipal = {
  type: 'UNKNOWN',
  uuid: null,
  name: 'Sluice',
  sourceIp: null,
  userAgent: null,
};

const acting = new AsyncLocalStorage<AuditPrincipal>();

/** Runs `work`, and everything it starts, on behalf of `principal`. */
export function actAs<T>(principal: AuditPrincipal, work: () => T): T {
  return acting.run(principal, work);
}

export function actingPrincipal(): AuditPrincipal {
  return acting.getStore() ?? GATEWAY_PRINCIPAL;
}
