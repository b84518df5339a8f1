/** How devices report problems, and their end. */

export const UNHEALTHY_SYMPTOMS = ['POLICY_NOT_ASSIGNED', 'DOWN', 'SLOW_INTERNET'] as const;

export type UnhealthySymptom = (typeof UNHEALTHY_SYMPTOMS)[number];

/** The stored body of an event of kind `deviceHealth`; null: the device is healthy. */
export interface DeviceHealthBody {
  readonly symptom: UnhealthySymptom | null;
  /** Absent: reported by a device or an integration. */
  readonly seenBy?: 'gateway';
}
