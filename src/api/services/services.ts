/**
 * What endpoint handlers work with. Business rules live behind these interfaces; handlers validate shapes and map.
 * Every call names the organisation, and another organisation's things are not found.
 */

import type { AccountServices } from '../../accounts/account-services.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Counters } from '../../counters/counters.ts';
import type { DeviceServices } from '../../devices/device-services.ts';
import type { EventServices } from '../../events/event-services.ts';
import type { ClimatePolicies } from '../../policies/climate-policies.ts';
import type { ReportServices } from '../../reports/report-services.ts';
import type {
  AbsoluteSchedule,
  AbsoluteSecondsInterval,
  Camera,
  LocalDateTimeInterval,
  RealtimeRelativeSchedule,
  RelativeDateTimeSchedule,
  Schedule,
  Share,
  StreamType,
  WeeklyMinuteInterval,
  WeeklySchedule,
} from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport } from '../../stream/camera-connection.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { AccessControlServices } from './access-control-services.ts';

/** A share as it is asked for; absent fields take the specification's defaults. */
export interface NewShare {
  readonly camera: Camera;
  readonly cameraFacet: string;
  readonly streamType: StreamType;
  readonly vodEnabled: boolean;
  readonly name?: string;
  readonly password?: string;
  readonly expirationTimeSecs?: number;
  readonly scheduleUuid?: Ruuid;
  readonly invertSchedule?: boolean;
  readonly includeAudio?: boolean;
  readonly audioGatewayUuid?: string;
  readonly ssoProtected?: boolean;
}

/** Absent: stays as it is. Null: back to the default of a new share. */
export interface ShareChanges {
  readonly name?: string | null;
  readonly password?: string | null;
  readonly expirationTimeSecs?: number | null;
  readonly scheduleUuid?: Ruuid | null;
  readonly invertSchedule?: boolean | null;
}

/** Where a share is watched. */
export interface ShareUrls {
  readonly pageUrl: string;
  readonly m3u8Url: string;
}

export interface ShareOperations {
  create(orgUuid: Ruuid, share: NewShare): Promise<Share>;
  update(orgUuid: Ruuid, uuid: Ruuid, changes: ShareChanges): Promise<Share>;
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void>;
  urls(share: Share): ShareUrls;
}

export interface NewSchedule<Interval> {
  readonly name: string;
  readonly intervals: readonly Interval[];
  readonly oneTimeUse: boolean;
}

export interface NewRealtimeRelative {
  readonly name: string;
  readonly pastSeconds: number;
  readonly oneTimeUse: boolean;
}

/** Absent: stays as it is. */
export interface ScheduleChanges<Interval> {
  readonly name?: string;
  readonly intervals?: readonly Interval[];
}

export interface ScheduleOperations {
  createWeekly(orgUuid: Ruuid, schedule: NewSchedule<WeeklyMinuteInterval>): Promise<WeeklySchedule>;
  createAbsolute(orgUuid: Ruuid, schedule: NewSchedule<AbsoluteSecondsInterval>): Promise<AbsoluteSchedule>;
  createRealtimeRelative(orgUuid: Ruuid, schedule: NewRealtimeRelative): Promise<RealtimeRelativeSchedule>;
  createRelativeDateTime(
    orgUuid: Ruuid,
    schedule: NewSchedule<LocalDateTimeInterval>,
  ): Promise<RelativeDateTimeSchedule>;
  updateWeekly(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: ScheduleChanges<WeeklyMinuteInterval>,
  ): Promise<WeeklySchedule>;
  updateAbsolute(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: ScheduleChanges<AbsoluteSecondsInterval>,
  ): Promise<AbsoluteSchedule>;
  findWeekly(orgUuid: Ruuid, uuid: Ruuid): Promise<WeeklySchedule>;
  findAbsolute(orgUuid: Ruuid, uuid: Ruuid): Promise<AbsoluteSchedule>;
  findRealtimeRelative(orgUuid: Ruuid, uuid: Ruuid): Promise<RealtimeRelativeSchedule>;
  findRelativeDateTime(orgUuid: Ruuid, uuid: Ruuid): Promise<RelativeDateTimeSchedule>;
  /** Of any kind. */
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Schedule>;
  list(orgUuid: Ruuid): Promise<Schedule[]>;
  /** Fails naming the shares that use it. */
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void>;
}

export interface ApiServices extends DeviceServices, AccountServices, EventServices, ReportServices {
  readonly accessControl: AccessControlServices;
  readonly climatePolicies: ClimatePolicies;
  readonly store: Store;
  readonly shares: ShareOperations;
  readonly schedules: ScheduleOperations;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
  readonly cameraSounds: CameraSounds;
  readonly clock: Clock;
  readonly audit: AuditReading;
}

/** What the gateway's cameras do now; undefined: it does not run this camera. */
export interface CameraStates {
  get(cameraUuid: Ruuid): CameraReport | undefined;
}

/** Whether viewers hear the gateway's cameras; undefined: nothing was ever known of this one. */
export interface CameraSounds {
  get(cameraUuid: Ruuid): SoundState | undefined;
}

/** Rows of the audit trail are written behind the requests that caused them. */
export interface AuditReading {
  /** Resolves when everything that happened so far is written. */
  settled(): Promise<void>;
}
