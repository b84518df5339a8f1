/** Wires up what reads and writes events. */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { PolicyAlerts } from './policy-alerts.ts';
import { SavedClips } from './saved-clips.ts';

export interface EventServices {
  readonly policyAlerts: PolicyAlerts;
  readonly savedClips: SavedClips;
}

export function createEventServices({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'events' | 'resources' | 'cameras'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}): EventServices {
  const policyAlerts = new PolicyAlerts(store);
  return { policyAlerts, savedClips: new SavedClips({ store, alerts: policyAlerts, clock }) };
}
