/** How devices say that something is wrong with them, and that it is over. */

export const UNHEALTHY_SYMPTOMS = ['POLICY_NOT_ASSIGNED', 'DOWN', 'SLOW_INTERNET'] as const;

export type UnhealthySymptom = (typeof UNHEALTHY_SYMPTOMS)[number];

/** What is stored of an event of kind `deviceHealth`; null: the device is healthy. */
export interface DeviceHealthBody {
  readonly symptom: UnhealthySymptom | null;
  /** Absent: reported by a device or an integration. */
  readonly seenBy?: 'gateway';
}
