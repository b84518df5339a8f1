/** The limits of the API listener. The configuration can change each of them. */

import type { ConnectionLimits } from '../connections/connection-table.ts';
import type { RateLimit } from '../counters/rate-limiter.ts';

export interface ApiLimits {
  readonly bodyBytes: number;
  /** How long a request can take to arrive completely. */
  readonly requestTimeoutMs: number;
  /** How long its response can take. */
  readonly answerTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connections: ConnectionLimits;
  /** Requests of one organization. */
  readonly requestsPerOrg: RateLimit;
  /** Failed authentications from one address. */
  readonly failedAuthenticationsPerAddress: RateLimit;
  /** Attempts to sign in with one email address, from wherever. */
  readonly signInsPerPerson: RateLimit;
  /** OAuth clients that register themselves with one organization. */
  readonly registrationsPerOrg: RateLimit;
  /** If the event loop is delayed more than this, requests return 503; 0 turns the check off. */
  readonly maxEventLoopDelayMs: number;
}

export const DEFAULT_API_LIMITS: ApiLimits = {
  bodyBytes: 1024 * 1024,
  requestTimeoutMs: 15_000,
  answerTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  connections: { maxConnections: 2_000, maxPerAddress: 1_000, maxDescriptor: Number.POSITIVE_INFINITY },
  requestsPerOrg: { burst: 200, perSec: 50 },
  failedAuthenticationsPerAddress: { burst: 20, perSec: 0.2 },
  signInsPerPerson: { burst: 10, perSec: 1 / 60 },
  registrationsPerOrg: { burst: 10, perSec: 1 / 60 },
  maxEventLoopDelayMs: 1_000,
};
