/**
 * The counters that the configuration asks for. The API's thread counts shares; the gateway's thread counts
 * viewers.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { Counters } from './counters.ts';
import { createMemoryCounters } from './memory-counters.ts';
import type { RedisRateLimiters } from './redis-rate-limiter.ts';

/**
 * In memory without a `url`. `counts`: what this thread counts with them, for the log. `onReturned`: rewrites to
 * Redis what only the store knows.
 */
export async function openCounters(
  url: CredentialUrl | null,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly counts: 'viewers' | 'shares';
    readonly onReturned: (counters: Counters) => Promise<void>;
  },
): Promise<Counters> {
  const { clock, counts, onReturned } = options;
  if (url === null) return createMemoryCounters({ clock });
  // Its client is loaded by those who use it.
  const { openRedisCounters } = await import('./redis-counters.ts');
  const counters: Counters = await openRedisCounters({
    url,
    clock,
    log: options.log.child({ counts }),
    onReturned: () => onReturned(counters),
  });
  return counters;
}

/** Limits that nodes count together; null without a `url`: each has its own. `counts`: what, for the log. */
export async function openSharedLimits(
  url: CredentialUrl | null,
  options: { readonly clock: Clock; readonly log: Log; readonly counts: 'requests' | 'openings' },
): Promise<RedisRateLimiters | null> {
  if (url === null) return null;
  const { openRedisRateLimiters } = await import('./redis-rate-limiter.ts');
  return openRedisRateLimiters({ url, ...options });
}
