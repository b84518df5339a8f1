/**
 * What endpoint handlers work with. Business rules live behind these interfaces; handlers validate shapes and map values.
 * Every call names the organization, and things of another organization are not found.
 */

import type { AccountServices } from '../../accounts/account-services.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Counters } from '../../counters/counters.ts';
import type { DeviceServices } from '../../devices/device-services.ts';
import type { CameraStates, DeviceStates } from '../../devices/device-states.ts';
import type { EventServices } from '../../events/event-services.ts';
import type { AccessControlServices } from '../../integrations/access-control-services.ts';
import type { ClimatePolicies } from '../../policies/climate-policies.ts';
import type { ReportServices } from '../../reports/report-services.ts';
import type { ScheduleService } from '../../sharing/schedule-service.ts';
import type { ShareService } from '../../sharing/share-service.ts';
import type { Store } from '../../store/store.ts';
import type { SoundState } from '../../stream/sound-state.ts';

export interface ApiServices extends DeviceServices, AccountServices, EventServices, ReportServices {
  readonly accessControl: AccessControlServices;
  readonly climatePolicies: ClimatePolicies;
  readonly store: Store;
  readonly shares: ShareService;
  readonly schedules: ScheduleService;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
  readonly deviceStates: DeviceStates;
  readonly cameraSounds: CameraSounds;
  readonly clock: Clock;
  readonly audit: AuditReading;
}

/** Whether viewers can hear the gateway's cameras; undefined: never known for this one. */
export interface CameraSounds {
  get(cameraUuid: Ruuid): SoundState | undefined;
}

/** Audit rows are written after the requests that caused them. */
export interface AuditReading {
  /** Resolves when everything so far is written. */
  settled(): Promise<void>;
}
