/** The rate limits of the API as token buckets, from the configured limits per minute. */

import type { RateLimit } from '../../core/limits/shared-limit.ts';
import type { Config } from './schema.ts';

/** Seconds' worth of each limit that a caller may use in one burst. */
const REQUESTS_BURST_SEC = 10;
const ATTEMPTS_BURST_SEC = 100;

export interface ConfiguredApiLimits {
  /** Requests of one organization. */
  readonly requestsPerOrg: RateLimit;
  /** Failed authentications from one address. */
  readonly failedAuthenticationsPerAddress: RateLimit;
}

export function apiLimits({ rateLimit, authenticationAttempts }: Config['api']): ConfiguredApiLimits {
  return {
    requestsPerOrg: tokenBucket(rateLimit, REQUESTS_BURST_SEC),
    failedAuthenticationsPerAddress: tokenBucket(authenticationAttempts, ATTEMPTS_BURST_SEC),
  };
}

function tokenBucket(perMinute: number, burstSec: number): RateLimit {
  return { burst: Math.max(1, Math.ceil((perMinute * burstSec) / 60)), perSec: perMinute / 60 };
}
