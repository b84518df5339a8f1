/** When and where alerts happened, for programs that play them from the recording. */

import type { Ruuid } from '../core/ruuid.ts';
import type { EventRepository } from '../store/event.ts';
import type { PolicyAlertBody } from './policy-alerts.ts';

/** Half-open, epoch milliseconds. */
export interface AlertTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The longest alert that is shown whole, as in clips of alerts. */
const MAX_DURATION_SEC = 300;
const MS_PER_SEC = 1_000;

export class AlertTimes {
  readonly #events: Pick<EventRepository, 'find'>;

  constructor(events: Pick<EventRepository, 'find'>) {
    this.#events = events;
  }

  /** The device that raised it; null: the alert does not exist. Rejects like the store. */
  async deviceOf(orgUuid: Ruuid, alertUuid: Ruuid): Promise<Ruuid | null> {
    const alert = await this.#events.find(orgUuid, 'policyAlert', alertUuid);
    return alert?.deviceUuid ?? null;
  }

  /** The time since the alert was raised; null: there is no such alert, or it does not say how long it lasted. Rejects like the store. */
  async of(orgUuid: Ruuid, alertUuid: Ruuid): Promise<AlertTime | null> {
    const alert = await this.#events.find(orgUuid, 'policyAlert', alertUuid);
    if (alert === null) return null;
    const { durationSec = 0 } = alert.body as PolicyAlertBody;
    if (durationSec <= 0) return null;
    return { fromMs: alert.atMs, toMs: alert.atMs + Math.min(durationSec, MAX_DURATION_SEC) * MS_PER_SEC };
  }
}
