/** The counters that the configuration asks for. Shares are counted in the API's thread, viewers in the gateway's. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { Counters } from '../counters/counters.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import { openRedisCounters } from '../counters/redis-counters.ts';

/** In memory without a `url`. `onReturned`: tells Redis of all shares anew, by whoever counts them. */
export async function openCounters(
  url: CredentialUrl | null,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly onReturned: (counters: Counters) => Promise<void>;
  },
): Promise<Counters> {
  const { clock, log, onReturned } = options;
  if (url === null) return createMemoryCounters({ clock });
  const counters: Counters = await openRedisCounters({
    url,
    clock,
    log,
    onReturned: () => onReturned(counters),
  });
  return counters;
}
