/** Wires up alert policies, and what schedules are used for. */

import type { Clock } from '../core/clock.ts';
import { ClimatePolicies } from '../platform/policies/climate-policies.ts';
import type { ScheduleService } from '../sharing/schedule-service.ts';
import type { Store } from '../store/store.ts';
import { UsedSchedules } from './schedule-uses.ts';

export interface PolicyServices {
  readonly climatePolicies: ClimatePolicies;
  readonly usedSchedules: UsedSchedules;
}

export function createPolicyServices(parts: {
  readonly store: Store;
  readonly schedules: ScheduleService;
  readonly clock: Clock;
}): PolicyServices {
  return { climatePolicies: new ClimatePolicies(parts), usedSchedules: new UsedSchedules(parts) };
}
