/** Wires up what reads and writes events. */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { AlertHandling } from './alert-handling.ts';
import { CameraPauses } from './camera-pauses.ts';
import { HealthService } from './health-service.ts';
import { PolicyAlerts } from './policy-alerts.ts';
import { SavedClips } from './saved-clips.ts';
import type { UnhealthyDevicesOptions } from './unhealthy-devices.ts';

export interface EventServices {
  readonly policyAlerts: PolicyAlerts;
  readonly alertHandling: AlertHandling;
  readonly savedClips: SavedClips;
  readonly health: HealthService;
  readonly cameraPauses: CameraPauses;
}

export function createEventServices({
  store,
  cameraStates,
  clock,
}: {
  readonly store: Pick<Store, 'events' | 'resources' | 'cameras' | 'nvrs' | 'gatewayRuns'>;
  readonly cameraStates: UnhealthyDevicesOptions['cameraStates'];
  readonly clock: Pick<Clock, 'epochMs'>;
}): EventServices {
  const policyAlerts = new PolicyAlerts(store);
  return {
    policyAlerts,
    alertHandling: new AlertHandling({ store, clock }),
    savedClips: new SavedClips({ store, alerts: policyAlerts, clock }),
    health: new HealthService({ store, cameraStates, clock }),
    cameraPauses: new CameraPauses({ store, clock }),
  };
}
