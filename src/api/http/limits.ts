/** What the API listener lets a caller take. The configuration may change any of them. */

import type { ConnectionLimits } from '../../connections/connection-table.ts';
import type { RateLimit } from '../../counters/rate-limiter.ts';

export interface ApiLimits {
  readonly bodyBytes: number;
  /** Time for a request to arrive whole. */
  readonly requestTimeoutMs: number;
  /** Time for its answer. */
  readonly answerTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connections: ConnectionLimits;
  /** Requests of one organisation. */
  readonly requestsPerOrg: RateLimit;
  /** Failed authentications from one address. */
  readonly failedAuthenticationsPerAddress: RateLimit;
  /** OAuth clients that register themselves for one organization. */
  readonly registrationsPerOrg: RateLimit;
  /** Event loop delay from which on requests are answered 503; 0 turns the check off. */
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
  registrationsPerOrg: { burst: 10, perSec: 1 / 60 },
  maxEventLoopDelayMs: 1_000,
};
