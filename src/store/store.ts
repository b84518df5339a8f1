/**
 * The repositories, as their users see them. One contract suite runs over every implementation. All calls that
 * read or change an organisation's data take the organisation; "not found" and "another organisation's" are the
 * same answer. A promise that resolved means: committed and on disk.
 */

import type { LongList } from '../core/long-list.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RenditionName } from '../stream/live-media.ts';
import type { AuditRepository } from './audit.ts';
import type { CrossingRepository, OccupancyRepository } from './crossing.ts';
import type {
  ApiKey,
  Camera,
  CameraRecord,
  Location,
  Nvr,
  Organisation,
  Schedule,
  Share,
  StreamLedgerEntry,
} from './entities.ts';
import type { EventRepository } from './event.ts';
import type { OAuthApplication, OAuthGrantRepository } from './oauth.ts';
import type { DecideRecord, RecordChange, Room } from './record-change.ts';
import type { ResourceKindName, ResourceStore } from './resource.ts';
import type { StoredImportance } from './stored-importance.ts';

export type EntityKind =
  | 'organisation'
  | 'apiKey'
  | 'location'
  | 'nvr'
  | 'camera'
  | 'share'
  | 'schedule'
  | ResourceKindName;

/** What may be told of an entity to whoever listens from outside: nothing secret. */
export interface ChangeDetails {
  /** The device that it is, or belongs to. */
  readonly deviceUuid: Ruuid | null;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

/** Sent after the commit, in commit order. */
export interface ChangeEvent {
  readonly entity: EntityKind;
  readonly type: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
  /** As it is now, of what was removed as it last was. Absent for kinds that tell nothing of themselves. */
  readonly details?: ChangeDetails;
}

/**
 * `save` inserts or replaces by uuid (never across organisations), whatever is there: for records that are new, or that
 * nobody else changes. What is made from a record as it was goes through `change`. `remove` says whether there was
 * something to remove.
 */
export interface OrgRepository<T> {
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<T | null>;
  list(orgUuid: Ruuid): Promise<T[]>;
  save(entity: T, importance?: StoredImportance): Promise<void>;
  /**
   * Reads a record, lets `decide` say what becomes of it, and stores that only if the record is still as it was read;
   * else everything again. Nobody's change is lost, also not between threads and processes. Tells of what was stored,
   * once. Fails STORE_CONTENDED where others are faster again and again, and as `decide` does.
   */
  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<T>,
    importance?: StoredImportance,
  ): Promise<RecordChange<T>>;
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
  /** Every organisation's rows: for loading caches at start, never for answering a request. */
  listEverywhere(): Promise<T[]>;
}

export interface ShareRepository extends OrgRepository<Share> {
  listNewestFirst(orgUuid: Ruuid): Promise<LongList<Share>>;
  listByCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<Share[]>;
  listBySchedule(orgUuid: Ruuid, scheduleUuid: Ruuid): Promise<Share[]>;
}

export interface CameraRepository extends OrgRepository<Camera> {
  /** In the order of creation. A fraction of what `list` costs. */
  listRecords(orgUuid: Ruuid): Promise<CameraRecord[]>;
  /** The same, one by one. */
  records(orgUuid: Ruuid): Promise<LongList<CameraRecord>>;
}

export interface ScheduleRepository extends OrgRepository<Schedule> {
  /** Removes only when no share uses it, in one transaction; otherwise returns the shares that do. */
  removeUnused(orgUuid: Ruuid, uuid: Ruuid): Promise<{ removed: boolean; usedBy: Share[] }>;
}

export interface OrganisationRepository {
  find(uuid: Ruuid): Promise<Organisation | null>;
  list(): Promise<Organisation[]>;
  save(organisation: Organisation): Promise<void>;
}

export interface ApiKeyRepository extends OrgRepository<ApiKey> {
  /** The key with this hash, revoked or not. */
  findByHash(keyHash: string): Promise<ApiKey | null>;
}

export interface OAuthApplicationRepository extends OrgRepository<OAuthApplication> {
  /** As `change`. An application that it adds to an organization without room fails it, and is not added. */
  changeWithRoom(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<OAuthApplication>,
    room: Room,
  ): Promise<RecordChange<OAuthApplication>>;
  /** Any organisation's: applications are known to whomever they ask for access. */
  findByClientId(clientUuid: Ruuid): Promise<OAuthApplication | null>;
}

export interface StreamLedgerRepository {
  find(cameraUuid: Ruuid, rendition: RenditionName): Promise<StreamLedgerEntry | null>;
  save(entry: StreamLedgerEntry): Promise<void>;
}

export interface Store {
  readonly organisations: OrganisationRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly locations: OrgRepository<Location>;
  readonly nvrs: OrgRepository<Nvr>;
  readonly cameras: CameraRepository;
  readonly shares: ShareRepository;
  readonly schedules: ScheduleRepository;
  readonly streamLedger: StreamLedgerRepository;
  readonly resources: ResourceStore;
  readonly events: EventRepository;
  readonly crossings: CrossingRepository;
  readonly occupancy: OccupancyRepository;
  readonly audit: AuditRepository;
  readonly oauthApplications: OAuthApplicationRepository;
  readonly oauthGrants: OAuthGrantRepository;
  /** Returns the function that ends the subscription. Listeners must not throw. */
  onChange(listener: (event: ChangeEvent) => void): () => void;
  /** Resolves when the store answers queries: for readiness. */
  ping(): Promise<void>;
  /** Resolves when the store has taken a write of no meaning. */
  checkWriting(): Promise<void>;
  close(): Promise<void>;
}
