/**
 * What endpoint handlers work with. Business rules live behind these interfaces; handlers validate shapes and map values.
 * Every call names the organization, and things of another organization are not found. Handlers have neither the store
 * nor the clock.
 */

import { type AccountServices, createAccountServices } from '../accounts/account-services.ts';
import { AuditFeed, type AuditReading } from '../audit/audit-feed.ts';
import type { Clock } from '../core/clock.ts';
import type { Counters } from '../counters/counters.ts';
import type { DeviceServices } from '../devices/device-services.ts';
import { type CameraStates, DeviceStates } from '../devices/device-states.ts';
import { type CameraSounds, FullDeviceStates } from '../devices/full-device-states.ts';
import { createEventServices, type EventServices } from '../events/event-services.ts';
import { IngestService } from '../ingest/ingest-service.ts';
import type { AccessControlServices } from '../integrations/access-control-services.ts';
import { createPolicyServices, type PolicyServices } from '../policies/policy-services.ts';
import { createReportServices, type ReportServices } from '../reports/report-services.ts';
import type { ScheduleService } from '../sharing/schedule-service.ts';
import type { ShareService } from '../sharing/share-service.ts';
import type { Store } from '../store/store.ts';

/** Services that are created elsewhere. */
interface GivenServices extends DeviceServices {
  readonly accessControl: AccessControlServices;
  readonly shares: ShareService;
  readonly schedules: ScheduleService;
}

export interface ApiServices
  extends GivenServices,
    AccountServices,
    EventServices,
    PolicyServices,
    ReportServices {
  readonly deviceStates: DeviceStates;
  readonly fullDeviceStates: FullDeviceStates;
  readonly auditFeed: AuditFeed;
  readonly ingest: IngestService;
}

/** What they are built from. */
export interface ApiServiceParts extends GivenServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
  readonly cameraSounds: CameraSounds;
  readonly audit: AuditReading;
}

/** `requestsPerSec`: the rate limit that is shown with an organization's keys. */
export function createApiServices(parts: ApiServiceParts, requestsPerSec: number): ApiServices {
  const { store, clock } = parts;
  const events = createEventServices(parts);
  return {
    ...parts,
    ...events,
    ...createAccountServices({ store, clock, requestsPerSec }),
    ...createPolicyServices(parts),
    ...createReportServices(parts),
    deviceStates: new DeviceStates(parts),
    fullDeviceStates: new FullDeviceStates({ ...parts, health: events.health }),
    auditFeed: new AuditFeed(parts),
    ingest: new IngestService(parts),
  };
}
