/** Whether the gateway can do its work: what /readyz answers. */

import { toGatewayError } from '../core/errors.ts';
import type { Counters } from '../counters/counters.ts';
import type { Store } from '../store/store.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** Redis is named but does not decide: viewers keep watching without it. */
export function createReadiness(store: Store, counters: Counters): () => Promise<Readiness> {
  return async () => {
    const storeState = await store.ping().then(
      () => 'ok',
      (thrown) => toGatewayError(thrown).code,
    );
    const redis = counters.status() === 'up' ? 'ok' : 'away, counts come from memory';
    return { ready: storeState === 'ok', checks: { store: storeState, counters: redis } };
  };
}
