/** How devices report problems, and their end. */

export const UNHEALTHY_SYMPTOMS = ['POLICY_NOT_ASSIGNED', 'DOWN', 'SLOW_INTERNET'] as const;

export type UnhealthySymptom = (typeof UNHEALTHY_SYMPTOMS)[number];

/** The stored body of an event of kind `deviceHealth`; null: the device is healthy. */
export interface DeviceHealthBody {
  readonly symptom: UnhealthySymptom | null;
  /** Absent: reported by a device or an integration. */
  readonly seenBy?: 'gateway';
  /** The first contact after a start of the gateway, which found the device as it was before: no news. */
  readonly isUnchanged?: true;
  /** The device is still unhealthy when a pause of it ends: no change, but people are notified. */
  readonly isAfterPause?: true;
}

/** Whether others are told of it. */
export function isHealthNews({ isUnchanged, isAfterPause }: DeviceHealthBody): boolean {
  return isUnchanged !== true || isAfterPause === true;
}
