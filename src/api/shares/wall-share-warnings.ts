/** Fields of a shared wall that have no effect. */

import type { WallShare } from '../../store/entities.ts';

/** A sentence for each. `password`: as it was given; empty: none was. */
export function wallShareWarnings(
  password: string,
  { passwordHash, invertSchedule, scheduleUuid, deviceSchedules }: WallShare,
): string[] {
  const warnings: string[] = [];
  if (password !== '' && passwordHash === null) {
    warnings.push('password is blank, so the share has none: anyone with its link can watch.');
  }
  if (invertSchedule && scheduleUuid === null) {
    warnings.push('invertSchedule is stored but has no effect without scheduleUuid.');
  }
  const idle = Object.values(deviceSchedules).some((own) => own.invertSchedule && own.scheduleUuid === null);
  if (idle) warnings.push('invertSchedule in deviceScheduleMap has no effect without its scheduleUuid.');
  return warnings;
}
