/**
 * Resources: what integrators create, change and read back through the API, and what the gateway acts on only here
 * and there (doors, rules, licences, tags…). They all lie in one table, each with a typed body as JSON; what is
 * looked up often has a column. What is queried by more than organisation, parent and order of creation deserves a
 * table of its own.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import type { DecideRecord, NextRecord, RecordChange, Room } from './record-change.ts';

/** Closed, so that the change feed and the audit trail know every word. */
export type ResourceKindName =
  | 'accessRevocation'
  | 'alarmVendorIntegration'
  | 'alertPolicyPause'
  | 'apiUser'
  | 'auditEvent'
  | 'badgeVendorAIntegration'
  | 'badgeVendorBIntegration'
  | 'cameraConfig'
  | 'climatePolicy'
  | 'credential'
  | 'deviceDetails'
  | 'deviceReport'
  | 'door'
  | 'elevatorLanding'
  | 'federatedSession'
  | 'idempotentRequest'
  | 'license'
  | 'lockdownRule'
  | 'notificationSettings'
  | 'oauthApplication'
  | 'oauthGrant'
  | 'pendingRegistration'
  | 'proximityTag'
  | 'rtspCredential'
  | 'rtspEndpoint'
  | 'savedClip'
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
  /** What it belongs to: a device, a location, an owner. Not checked by the database. */
  readonly parentUuid: Ruuid | null;
  readonly body: Body;
  /** Encrypted at rest; null: there is none. */
  readonly secret: Secret | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Where a page begins: behind this resource, in the order of creation. */
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

/** How many resources of a kind there may be. */
export interface RoomForMore extends Room {
  /** In the organisation, or in it with the same parent, which must have one. */
  readonly within: 'organisation' | 'parent';
}

/** The resources of one kind. "Not found" and "another organisation's" are the same answer. */
export interface ResourceRepository<Body extends object> {
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Resource<Body> | null>;
  /** In the order of creation. */
  list(orgUuid: Ruuid): Promise<Resource<Body>[]>;
  listByParent(orgUuid: Ruuid, parentUuid: Ruuid): Promise<Resource<Body>[]>;
  /**
   * In the order of creation; rows added meanwhile come behind the last page and are met once. From the newest on
   * they come before the first page and are not met.
   */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<Resource<Body>[]>;
  count(orgUuid: Ruuid): Promise<number>;
  /** Inserts or replaces by organisation and uuid, whatever is there: as OrgRepository's. */
  save(resource: Resource<Body>): Promise<void>;
  /** In one transaction, at most 1,000. */
  saveAll(resources: readonly Resource<Body>[]): Promise<void>;
  /** As OrgRepository's. A record that it adds beyond `room` fails it with what `room` says, and is not added. */
  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Resource<Body>>,
    room?: RoomForMore,
  ): Promise<RecordChange<Resource<Body>>>;
  /**
   * Many records, at most 1,000, each changed as by `change`: in one transaction as long as nobody else changes some of
   * them meanwhile, and those in another. Resolves in the order of `uuids`, each once.
   */
  changeAll(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    decide: (known: Resource<Body> | null, uuid: Ruuid) => NextRecord<Resource<Body>>,
  ): Promise<RecordChange<Resource<Body>>[]>;
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
  /** Whoever's it is: for resources whose uuid is made of a secret, and so is itself the proof of access. */
  findEverywhere(uuid: Ruuid): Promise<Resource<Body> | null>;
  /** Every organisation's, for loading caches at start. */
  listEverywhere(): Promise<Resource<Body>[]>;
}

export interface ResourceStore {
  of<Body extends object>(kind: ResourceKind<Body>): ResourceRepository<Body>;
}
