/**
 * Resources: what integrators create, change and read back through the API, and what the gateway itself rarely uses
 * (doors, rules, licenses, tags…). They are all in one table, each with a typed body as JSON; a field that is looked up often has
 * a column. Records that are queried by more than organization, parent, and creation order deserve their own table.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import type { DecideRecord, NextRecord, RecordChange, Room } from './record-change.ts';
import type { StoredImportance } from './stored-importance.ts';

/** A closed set, so that the change feed and the audit trail know every word. */
export type ResourceKindName =
  | 'accessRevocation'
  | 'alarmReceiver'
  | 'alarmVendorIntegration'
  | 'alertPolicyPause'
  | 'apiUser'
  | 'auditEvent'
  | 'badgeVendorAIntegration'
  | 'badgeVendorBIntegration'
  | 'cameraConfig'
  | 'cameraPause'
  | 'case'
  | 'caseSeal'
  | 'climatePolicy'
  | 'clipFile'
  | 'clipJob'
  | 'consoleCode'
  | 'consoleSettings'
  | 'credential'
  | 'deviceDetails'
  | 'deviceReport'
  | 'door'
  | 'elevatorLanding'
  | 'emergency'
  | 'emergencyPartner'
  | 'emergencyRule'
  | 'emergencyView'
  | 'federatedSession'
  | 'floorPlan'
  | 'hold'
  | 'idempotentRequest'
  | 'invitation'
  | 'license'
  | 'lockdownRule'
  | 'mail'
  | 'mailDigest'
  | 'mailRefusal'
  | 'mailSettings'
  | 'manualRecording'
  | 'notificationSettings'
  | 'oauthApplication'
  | 'oauthGrant'
  | 'oidcIdentity'
  | 'oidcLogout'
  | 'oidcProvider'
  | 'pastEmergency'
  | 'pendingRegistration'
  | 'planPlace'
  | 'proximityTag'
  | 'removedMasks'
  | 'pushKey'
  | 'pushSubscription'
  | 'rtspCredential'
  | 'rtspEndpoint'
  | 'samlKey'
  | 'samlProvider'
  | 'samlTest'
  | 'samlUsedId'
  | 'savedClip'
  | 'scimGroup'
  | 'scimMapping'
  | 'scimToken'
  | 'scimTokenUse'
  | 'scimUser'
  | 'serviceProbe'
  | 'sharedClipGroup'
  | 'sharedTimelapseGroup'
  | 'signInDomain'
  | 'timelapse'
  | 'seekPoint'
  | 'waitingMail'
  | 'webhook'
  | 'webhookDelivery'
  | 'webhookIntegration';

/** A kind of resource with the type of its bodies. `Body` must survive JSON. */
export interface ResourceKind<Body extends object> {
  readonly name: ResourceKindName;
  /** Only a type: no kind has a body. */
  readonly bodyType?: Body;
}

/** Declares a kind: `const DOORS = resourceKind<DoorBody>('door')`. */
export function resourceKind<Body extends object>(name: ResourceKindName): ResourceKind<Body> {
  return { name };
}

export interface Resource<Body extends object> {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** '' for kinds without names. */
  readonly name: string;
  /** The parent: a device, a location, an owner. The database does not check it. */
  readonly parentUuid: Ruuid | null;
  readonly body: Body;
  /** Encrypted at rest; null: there is none. */
  readonly secret: Secret | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Where a page begins: after this resource, in creation order. */
export interface ResourceMark {
  readonly createdAtMs: number;
  readonly uuid: Ruuid;
}

export interface ResourcePageQuery {
  /** Only those of this parent. */
  readonly parentUuid?: Ruuid;
  /** Default: the oldest first. */
  readonly order?: 'oldest-first' | 'newest-first';
  /** null: from the start. */
  readonly after: ResourceMark | null;
  readonly limit: number;
}

/** How many resources of a kind there can be. */
export interface RoomForMore extends Room {
  /** In the organization, or in it with the same parent. In that case, a resource must have one. */
  readonly within: 'organization' | 'parent';
}

/** The resources of one kind. "Not found" and "another organization's" are the same result. */
export interface ResourceRepository<Body extends object> {
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Resource<Body> | null>;
  /** In creation order. */
  list(orgUuid: Ruuid): Promise<Resource<Body>[]>;
  listByParent(orgUuid: Ruuid, parentUuid: Ruuid): Promise<Resource<Body>[]>;
  /**
   * In creation order; rows added in the meantime come after the last page and are read once. When starting from the
   * newest, they come before the first page and are not read.
   */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<Resource<Body>[]>;
  count(orgUuid: Ruuid): Promise<number>;
  /** Inserts or replaces by organization and uuid, regardless of the stored record: like OrgRepository's. */
  save(resource: Resource<Body>): Promise<void>;
  /** In one transaction, at most 1,000. */
  saveAll(resources: readonly Resource<Body>[]): Promise<void>;
  /**
   * Like OrgRepository's. Adding a record beyond one of the rooms fails with its error, and nothing is added.
   * `importance`: ordinary by default.
   */
  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Resource<Body>>,
    rooms?: RoomForMore | readonly RoomForMore[],
    importance?: StoredImportance,
  ): Promise<RecordChange<Resource<Body>>>;
  /**
   * Many records, at most 1,000, each changed as by `change`: in one transaction, except those that someone else changes
   * in the meantime, which are changed in another. Resolves in the order of `uuids`, each once.
   */
  changeAll(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    decide: (known: Resource<Body> | null, uuid: Ruuid) => NextRecord<Resource<Body>>,
  ): Promise<RecordChange<Resource<Body>>[]>;
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
  /** Any organization's: for resources whose uuid is derived from a secret, so that the uuid itself proves access. */
  findEverywhere(uuid: Ruuid): Promise<Resource<Body> | null>;
  /** Every organization's, to load caches at startup. */
  listEverywhere(): Promise<Resource<Body>[]>;
}

export interface ResourceStore {
  of<Body extends object>(kind: ResourceKind<Body>): ResourceRepository<Body>;
}
