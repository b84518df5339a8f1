/**
 * The repositories, as their users see them. One contract suite runs over every implementation. All calls that read or
 * change an organization's data take the organization; "not found" and "another organization's" are the same result. A
 * resolved promise means: committed and on disk.
 */

import type { LongList } from '../core/long-list.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RenditionName } from '../stream/media/live-media.ts';
import type { AuditRepository } from './audit.ts';
import type { ClusterLeaseRepository } from './cluster-lease.ts';
import type { CrossingRepository, OccupancyRepository } from './crossing.ts';
import type { EndedViewRepository } from './ended-view.ts';
import type {
  ApiKey,
  Camera,
  CameraRecord,
  KeyUse,
  Location,
  NotedKeyUses,
  Nvr,
  Organization,
  Schedule,
  Share,
  StreamLedgerEntry,
  VideoWall,
  WallShare,
} from './entities.ts';
import type { EventRepository } from './event.ts';
import type { GatewayRunRepository } from './gateway-run.ts';
import type { LeaseRepository } from './lease.ts';
import type { OAuthApplication, OAuthGrantRepository } from './oauth.ts';
import type { Passkey, PasskeyChallengeRepository, PasskeyUse } from './passkey.ts';
import type { ConsoleSession, Person } from './person.ts';
import type { DecideRecord, RecordChange, Room } from './record-change.ts';
import type { RecordingRepository } from './recording.ts';
import type { RecordingBlockRepository } from './recording-block.ts';
import type { RecordingHoldRepository } from './recording-hold.ts';
import type { ResourceKindName, ResourceStore } from './resource.ts';
import type { SigningCertificateRepository } from './signing-certificate.ts';
import type { StoredImportance } from './stored-importance.ts';
import type { StoredUseRepository } from './stored-use.ts';
import type { UploadRepository } from './upload.ts';

export type EntityKind =
  | 'organization'
  | 'apiKey'
  | 'location'
  | 'nvr'
  | 'camera'
  | 'share'
  | 'schedule'
  | 'videoWall'
  | 'wallShare'
  | 'person'
  | 'consoleSession'
  /** Events of these kinds, when they are added, and when a clip or image of an alert is there or gone. */
  | 'policyAlert'
  | 'componentEvent'
  | 'alertAcknowledgement'
  | 'alertTaking'
  | 'passkey'
  /** Views of a link that were ended, and addresses blocked from it: `uuid` is the link's. Only in foreign events. */
  | 'endedView'
  | ResourceKindName;

export type ChangeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | null;

/** The facts about an entity for listeners outside the gateway: nothing secret. */
export interface ChangeDetails {
  /** The device that it is, or belongs to. */
  readonly deviceUuid: Ruuid | null;
  readonly fields: Readonly<Record<string, ChangeValue>>;
}

/** Sent after the commit; those of one record in commit order. */
export interface ChangeEvent {
  readonly entity: EntityKind;
  readonly type: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
  /** Its current state, or the last one if it was removed. Absent for kinds that reveal nothing. */
  readonly details?: ChangeDetails;
  /**
   * Another process committed it: what a change sets off once, in the process that made it, must not follow. Absent: one of
   * this process's threads did.
   */
  readonly isForeign?: true;
}

/**
 * `save` inserts or replaces by uuid (never across organizations), regardless of the stored record: for records that are new, or that
 * have no other writer. A change that depends on the current record goes through `change`. `remove` says whether there was
 * something to remove.
 */
export interface OrgRepository<T> {
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<T | null>;
  list(orgUuid: Ruuid): Promise<T[]>;
  save(entity: T, importance?: StoredImportance): Promise<void>;
  /**
   * Reads a record, lets `decide` return the new one, and stores that only if the record is still as it was read;
   * otherwise starts again. No change is lost, not even between threads and processes. Announces the stored record, once.
   * Fails STORE_CONTENDED if others are faster again and again, or like `decide`.
   */
  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<T>,
    importance?: StoredImportance,
  ): Promise<RecordChange<T>>;
  /** Like `change`. Adding a record to an organization without room fails with the error of `room`, and nothing is added. */
  changeWithRoom(orgUuid: Ruuid, uuid: Ruuid, decide: DecideRecord<T>, room: Room): Promise<RecordChange<T>>;
  /** Adds a record, unless its organization has no room for one more. Fails STORE_DUPLICATE. */
  add(entity: T, room: Room): Promise<RecordChange<T>>;
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
  /** Every organization's rows: to load caches at startup, never to respond to a request. */
  listEverywhere(): Promise<T[]>;
}

export interface ShareRepository extends OrgRepository<Share> {
  /** At most `limit`. */
  listNewestFirst(orgUuid: Ruuid, limit: number): Promise<LongList<Share>>;
  /** Those that expired before `beforeSec`, the earliest first. */
  listExpired(orgUuid: Ruuid, beforeSec: number, limit: number): Promise<Share[]>;
  listByCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<Share[]>;
  listBySchedule(orgUuid: Ruuid, scheduleUuid: Ruuid): Promise<Share[]>;
  /** Which cameras are shared by which schedules, each pair once, in no particular order. */
  scheduled(orgUuid: Ruuid): Promise<{ readonly scheduleUuid: Ruuid; readonly cameraUuid: Ruuid }[]>;
}

export interface WallShareRepository extends OrgRepository<WallShare> {
  /** In creation order. */
  listByWall(orgUuid: Ruuid, wallUuid: Ruuid): Promise<WallShare[]>;
}

export interface CameraRepository extends OrgRepository<Camera> {
  /** In creation order. Costs a fraction of `list`. */
  listRecords(orgUuid: Ruuid): Promise<CameraRecord[]>;
  /** The same, one by one. */
  records(orgUuid: Ruuid): Promise<LongList<CameraRecord>>;
}

export interface ScheduleRepository extends OrgRepository<Schedule> {
  /** Removes only if no share uses it, in one transaction; otherwise returns the shares that do. */
  removeUnused(orgUuid: Ruuid, uuid: Ruuid): Promise<{ removed: boolean; usedBy: Share[] }>;
}

export interface OrganizationRepository {
  find(uuid: Ruuid): Promise<Organization | null>;
  list(): Promise<Organization[]>;
  save(organization: Organization): Promise<void>;
  /** Changes these fields and no others. False: the organization does not exist. */
  change(uuid: Ruuid, fields: Partial<Pick<Organization, 'name' | 'cameraNetworks'>>): Promise<boolean>;
}

/** Only keys that are not revoked count toward a room. Removing one removes its notification settings, without an event. */
export interface ApiKeyRepository extends OrgRepository<ApiKey> {
  /** The key with this hash, revoked or not. */
  findByHash(keyHash: string): Promise<ApiKey | null>;
  /** Notes uses of keys that exist, without an event. A use that is less than KEY_USE_STEP_MS after the noted one is ignored. */
  noteUses(uses: readonly KeyUse[]): Promise<void>;
  lastUses(orgUuid: Ruuid): Promise<NotedKeyUses>;
}

export interface OAuthApplicationRepository extends OrgRepository<OAuthApplication> {
  /** Any organization's: everyone whom an application asks for access can see it. */
  findByClientId(clientUuid: Ruuid): Promise<OAuthApplication | null>;
}

/**
 * Who must be left as an admin who can sign in: anyone; or, if the change concerns one with a password or a passkey, another one with
 * either.
 */
export type KeptAdmin = 'any' | 'local';

export interface PersonRepository extends OrgRepository<Person> {
  /**
   * Like `change`. Fails with `lastAdmin` instead of leaving an organization that has an admin who can sign in without
   * one, no matter who else changes what at the same time. `kept`: any by default.
   */
  changeKeepingAdmin(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Person>,
    lastAdmin: () => Error,
    kept?: KeptAdmin,
  ): Promise<RecordChange<Person>>;
  /** People of any organization with this address, whatever its case, the oldest first. */
  listByEmail(email: string, limit: number): Promise<Person[]>;
  /** Without an event. */
  noteSignIn(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void>;
}

export interface ConsoleSessionRepository extends OrgRepository<ConsoleSession> {
  /** Whether or not it has expired. */
  findByTokenHash(tokenHash: string): Promise<ConsoleSession | null>;
  /** In creation order. */
  listByPerson(orgUuid: Ruuid, personUuid: Ruuid): Promise<ConsoleSession[]>;
  /** Those that began as one of these subjects, or in one of these sessions, of the OIDC provider. */
  listByProvider(orgUuid: Ruuid, uuids: readonly Ruuid[]): Promise<ConsoleSession[]>;
  /** The session's person has shown who they are. */
  confirm(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void>;
  /** Without an event. */
  noteSeen(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void>;
  /**
   * Removes those of every organization that began or were last seen at or before these times. Does not notify
   * subscribers: they had already ended. Resolves with their UUIDs.
   */
  removeExpired(createdBeforeMs: number, seenBeforeMs: number): Promise<Ruuid[]>;
}

export interface PasskeyRepository extends OrgRepository<Passkey> {
  /** Any organization's. */
  findByCredentialId(credentialId: string): Promise<Passkey | null>;
  /** In creation order. */
  listByPerson(orgUuid: Ruuid, personUuid: Ruuid): Promise<Passkey[]>;
  /**
   * Without an event. False, and nothing is stored, unless the counter has grown, or neither was ever counted: another copy of
   * the passkey was used. Two simultaneous uses with the same counter cannot both succeed.
   */
  noteUse(orgUuid: Ruuid, uuid: Ruuid, use: PasskeyUse): Promise<boolean>;
  /**
   * Removes a person's passkey; null: they have none with this UUID. Fails with `lastWay` instead of leaving a person
   * who has no password without a passkey for `rpId`, no matter what else is removed at the same time.
   */
  removeKeepingWay(
    passkey: Pick<Passkey, 'orgUuid' | 'personUuid' | 'uuid'>,
    rpId: string | null,
    lastWay: () => Error,
  ): Promise<Passkey | null>;
}

export interface StreamLedgerRepository {
  find(cameraUuid: Ruuid, rendition: RenditionName): Promise<StreamLedgerEntry | null>;
  save(entry: StreamLedgerEntry): Promise<void>;
}

export interface Store {
  readonly organizations: OrganizationRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly locations: OrgRepository<Location>;
  readonly nvrs: OrgRepository<Nvr>;
  readonly cameras: CameraRepository;
  readonly shares: ShareRepository;
  readonly schedules: ScheduleRepository;
  /** Removing a wall removes its shares, without an event for each. */
  readonly videoWalls: OrgRepository<VideoWall>;
  readonly wallShares: WallShareRepository;
  /** Removing a person removes their sessions, passkeys, settings, and identities of providers, without an event for each. */
  readonly people: PersonRepository;
  readonly consoleSessions: ConsoleSessionRepository;
  readonly endedViews: EndedViewRepository;
  readonly passkeys: PasskeyRepository;
  readonly passkeyChallenges: PasskeyChallengeRepository;
  readonly streamLedger: StreamLedgerRepository;
  readonly clusterLeases: ClusterLeaseRepository;
  readonly recordings: RecordingRepository;
  readonly recordingBlocks: RecordingBlockRepository;
  readonly recordingHolds: RecordingHoldRepository;
  readonly signingCertificates: SigningCertificateRepository;
  readonly uploads: UploadRepository;
  readonly resources: ResourceStore;
  readonly events: EventRepository;
  readonly gatewayRuns: GatewayRunRepository;
  readonly leases: LeaseRepository;
  readonly crossings: CrossingRepository;
  readonly occupancy: OccupancyRepository;
  readonly audit: AuditRepository;
  readonly use: StoredUseRepository;
  readonly oauthApplications: OAuthApplicationRepository;
  readonly oauthGrants: OAuthGrantRepository;
  /** Returns the function that ends the subscription. Listeners must not throw. */
  onChange(listener: (event: ChangeEvent) => void): () => void;
  /** Resolves if the store responds to queries: for readiness. */
  ping(): Promise<void>;
  /** Resolves when the store has accepted a dummy write. */
  checkWriting(): Promise<void>;
  /** Bytes of the database on its disk, without its log of changes. */
  sizeBytes(): Promise<number>;
  close(): Promise<void>;
}
