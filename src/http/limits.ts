/** The limits of the API listener. The configuration can change each of them. */

import type { ConnectionLimits } from '../connections/connection-table.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';

export interface ApiLimits {
  readonly bodyBytes: number;
  /** How long a request can take to arrive completely. */
  readonly requestTimeoutMs: number;
  /** How long its response can take. */
  readonly responseTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connections: ConnectionLimits;
  /** Requests of one organization. Those of its credentials follow (request-limits.ts). */
  readonly requestsPerOrg: RateLimit;
  /** Failed authentications from one address. */
  readonly failedAuthenticationsPerAddress: RateLimit;
  /** Failed attempts to sign in from one address. */
  readonly failedSignInsPerAddress: RateLimit;
  /** Attempts to sign in with one email address, of one known browser or one address. */
  readonly signInsPerPerson: RateLimit;
  /** The same, of all unknown browsers together. */
  readonly signInsOfStrangers: RateLimit;
  /** OAuth clients that register themselves with one organization. */
  readonly registrationsPerOrg: RateLimit;
  /** If the event loop is delayed more than this, requests return 503; 0 turns the check off. */
  readonly maxEventLoopDelayMs: number;
}

export const DEFAULT_API_LIMITS: ApiLimits = {
  bodyBytes: 1024 * 1024,
  requestTimeoutMs: 15_000,
  responseTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  connections: { maxConnections: 2_000, maxPerAddress: 1_000, maxDescriptor: Number.POSITIVE_INFINITY },
  requestsPerOrg: LIMITS.apiRequests.levels.organization,
  failedAuthenticationsPerAddress: LIMITS.failedAuthentications.levels.address,
  failedSignInsPerAddress: LIMITS.failedSignIns.levels.address,
  signInsPerPerson: LIMITS.signIns.levels.browser,
  signInsOfStrangers: LIMITS.signInsOfStrangers.levels.person,
  registrationsPerOrg: { burst: 10, perSec: 1 / 60 },
  maxEventLoopDelayMs: 1_000,
};
