/** The report of an emergency: what was opened, why, by whom, what was sent, and who watched what when. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Emergency, EmergencyDelivery, PastEmergency } from '../sharing/emergency-link.ts';
import { seeingAll } from '../store/acting-view.ts';
import type { Store } from '../store/store.ts';
import type { Emergencies } from './emergencies.ts';
import { EMERGENCY_VIEWS, type EmergencyView } from './emergency-records.ts';
import type { EmergencySender } from './emergency-sender.ts';

export interface EmergencyReport {
  readonly emergency: Emergency | PastEmergency;
  readonly deliveries: readonly EmergencyDelivery[];
  /** In the order in which they began. */
  readonly views: readonly EmergencyView[];
}

export interface EmergencyReportsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly emergencies: Pick<Emergencies, 'find'>;
  readonly sender: Pick<EmergencySender, 'deliveriesOf'>;
}

export class EmergencyReports {
  readonly #options: EmergencyReportsOptions;

  constructor(options: EmergencyReportsOptions) {
    this.#options = options;
  }

  /** Fails EMERGENCY_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<EmergencyReport> {
    const { store, emergencies, sender } = this.#options;
    const emergency = await emergencies.find(orgUuid, uuid);
    // Who sees all of its cameras sees all of its report.
    return seeingAll(async () => {
      const logged = await sender.deliveriesOf(emergency);
      const kept = 'closedAtMs' in emergency.body ? (emergency.body.deliveries ?? []) : [];
      const rows = await store.resources.of(EMERGENCY_VIEWS).listByParent(orgUuid, uuid);
      return {
        emergency,
        deliveries: [...logged, ...kept.filter((each) => !logged.some((one) => isSame(one, each)))],
        views: rows.toSorted((one, other) => one.body.fromMs - other.body.fromMs),
      };
    });
  }
}

function isSame(one: EmergencyDelivery, other: EmergencyDelivery): boolean {
  return one.recipientUuid === other.recipientUuid && one.queuedAtMs === other.queuedAtMs;
}
