/** Pauses of alerts: from when until when, and for what, no policy alerts are raised. */

import type { Ruuid } from '../../core/ruuid.ts';
import { type Resource, resourceKind } from '../../store/resource.ts';

export interface AlertPolicyPauseBody {
  readonly componentCompositeUuids: readonly Ruuid[];
  readonly deviceUuids: readonly Ruuid[];
  readonly locationUuids: readonly Ruuid[];
  /** Half-open, epoch milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
}

export const ALERT_POLICY_PAUSES = resourceKind<AlertPolicyPauseBody>('alertPolicyPause');

/** What an alert is about, and when. */
export interface PausableAlert {
  readonly componentUuid: Ruuid | null;
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  readonly timestampMs: number;
}

/** Whether one of the pauses covers the alert. */
export function isPaused(
  alert: PausableAlert,
  pauses: readonly Pick<Resource<AlertPolicyPauseBody>, 'body'>[],
): boolean {
  const { componentUuid, deviceUuid, locationUuid, timestampMs } = alert;
  return pauses.some(({ body }) => {
    if (timestampMs < body.fromMs || timestampMs >= body.toMs) return false;
    return (
      body.deviceUuids.includes(deviceUuid) ||
      (componentUuid !== null && body.componentCompositeUuids.includes(componentUuid)) ||
      (locationUuid !== null && body.locationUuids.includes(locationUuid))
    );
  });
}
