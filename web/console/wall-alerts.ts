/** Alerts that bring their camera forward on a watched wall: which they are, in which order, and in what words. Pure. */

import { type AlertList, alertTitle, type PolicyAlert } from './alert-list.ts';
import { t } from './words.ts';

/** Which alerts bring their camera forward. */
export type AlertScope = 'wall' | 'all' | 'none';

export const ALERT_SCOPES: Readonly<Record<AlertScope, string>> = {
  wall: t('Alerts of this wall'),
  all: t('Alerts of all your cameras'),
  none: t('No alerts'),
};

/** The newest alerts that nobody has acknowledged and that the page reads: as many as wait in line at most. */
export const MAX_WAITING = 100;

/** Alerts that were there when watching began: they are on the page of alerts, and do not come forward. */
export interface Before {
  readonly uuids: ReadonlySet<string>;
  /** Older ones, by the time of the camera, were there as well; null: all are in `uuids`. */
  readonly untilMs: number | null;
}

export interface WaitingAlerts {
  /** Newest first. */
  readonly alerts: readonly PolicyAlert[];
  /** There are more than the page reads. */
  readonly isMore: boolean;
}

export const NO_WAITING: WaitingAlerts = { alerts: [], isMore: false };

export function alertsBefore({ alerts, isMore }: AlertList): Before {
  return {
    uuids: new Set(alerts.map(({ uuid }) => uuid)),
    untilMs: isMore ? (alerts.at(-1)?.timestampMs ?? null) : null,
  };
}

/** `read`: those that nobody has acknowledged. `isWatched`: whether an alert of this device comes forward. */
export function waitingAlerts(
  read: AlertList,
  before: Before,
  isWatched: (deviceUuid: string) => boolean,
): WaitingAlerts {
  const isNew = ({ uuid, timestampMs }: PolicyAlert) =>
    !before.uuids.has(uuid) && (before.untilMs === null || timestampMs > before.untilMs);
  const alerts = read.alerts.filter((alert) => isNew(alert) && isWatched(alert.deviceUuid));
  // An earlier one among those that were read: there is no other new one behind it.
  return { alerts, isMore: read.isMore && read.alerts.every(isNew) };
}

/** "1 alert", "2 of 5 alerts", "1 of more than 100 alerts". `place`: of the one that is forward, from 0. */
export function lineText({ alerts, isMore }: WaitingAlerts, place: number): string {
  const { length: count } = alerts;
  if (isMore) return t('{place} of more than {count} alerts', { place: place + 1, count });
  return count === 1 ? t('1 alert') : t('{place} of {count} alerts', { place: place + 1, count });
}

/** Words for an alert of a camera on the wall. */
export function alertSentence(alert: PolicyAlert, cameraName: string): string {
  return `${cameraName}: ${alertTitle(alert)}`;
}
