/** How devices say that something is wrong with them, and that it is over. */

export const UNHEALTHY_SYMPTOMS = ['POLICY_NOT_ASSIGNED', 'DOWN', 'SLOW_INTERNET'] as const;

export type UnhealthySymptom = (typeof UNHEALTHY_SYMPTOMS)[number];

/** What an event of kind `deviceHealth` keeps; null: the device is well. */
export interface DeviceHealthBody {
  readonly symptom: UnhealthySymptom | null;
  /** Absent: reported by a device or an integration. */
  readonly seenBy?: 'gateway';
}
