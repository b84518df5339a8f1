/**
 * Devices, and who may watch them without a share, in memory: cameras, API keys, federated sessions, OAuth access tokens, people with their
 * console sessions, and which partner manages which organization. The front door looks up every viewer with a device grant here. The
 * store's change events keep it current.
 *
 * Longer than 500 lines: one index, which all decisions read.
 */

import type { Actor } from '../accounts/caller.ts';
import { CONSOLE_SESSION_MAX_MS } from '../accounts/console-session.ts';
import type { CredentialChange } from '../accounts/credential-rules.ts';
import { endedName } from '../accounts/ended-credentials.ts';
import { FEDERATED_SESSIONS, type FederatedSessionBody } from '../accounts/federated-session.ts';
import { isKeyWorking, keyEndMs } from '../accounts/key-end.ts';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialEnd, CredentialEndRequest, EndOutcome, NoEnd } from '../store/access-end.ts';
import { isSameScope, sitesAround } from '../store/access-scope.ts';
import { locationOfCamera } from '../store/camera-time-zone.ts';
import type { ApiKey, Camera, Location, Nvr, Organization } from '../store/entities.ts';
import { type ConsoleSession, knownPerson, type Person, type Role } from '../store/person.ts';
import { cameraShownTo, shownCameraUuid } from '../store/privacy-mask.ts';
import type { Resource, ResourceRepository } from '../store/resource.ts';
import type { EntityKind, Store } from '../store/store.ts';
import {
  type AccessDecision,
  type DeviceCredential,
  decideAccess,
  type PrincipalRights,
  type SharedMedia,
} from './access-decision.ts';
import type { DeviceGrant, Principal } from './device-grant.ts';
import type {
  CameraRow,
  ConsoleSessionRow,
  KeyRow,
  KnownDevice,
  PersonRow,
  PrincipalActor,
  SessionRow,
} from './device-rows.ts';
import { FollowedTable } from './followed-table.ts';
import { GrantExtensions } from './grant-extensions.ts';
import { refusalToEnd } from './may-end.ts';
import { TokenTable } from './token-table.ts';

/**
 * The keys of running views are read again after this time, which is at every look at them (RECHECK_MS). `sluice keys revoke` runs in a
 * process of its own, so no event announces its changes.
 */
export const KEY_REREAD_MS = 500;

/** A committed change of a credential, or the removal of a camera. */
export type DeviceChange =
  | CredentialChange
  | { readonly kind: 'camera'; readonly uuid: Ruuid; readonly record: null }
  | {
      readonly kind: 'masks';
      readonly uuid: Ruuid;
      readonly record: Pick<Camera, 'masks' | 'masksForViewers'>;
    };

/** Whether a change can concern the views of a grant. */
export type ConcernsGrant = (grant: DeviceGrant) => boolean;

export interface DeviceDirectoryOptions {
  readonly store: Pick<
    Store,
    | 'cameras'
    | 'apiKeys'
    | 'oauthGrants'
    | 'resources'
    | 'people'
    | 'consoleSessions'
    | 'organizations'
    | 'locations'
    | 'nvrs'
    | 'onChange'
  >;
  readonly clock: Clock;
  readonly log: Log;
}

type Followed = Pick<TokenTable, 'load' | 'follow'>;

export class DeviceDirectory {
  readonly #store: DeviceDirectoryOptions['store'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #storedSessions: ResourceRepository<FederatedSessionBody>;
  readonly #cameras: FollowedTable<Camera, CameraRow>;
  readonly #keys: FollowedTable<ApiKey, KeyRow>;
  readonly #sessions: FollowedTable<Resource<FederatedSessionBody>, SessionRow>;
  readonly #tokens: TokenTable;
  readonly #people: FollowedTable<Person, PersonRow>;
  readonly #consoles: FollowedTable<ConsoleSession, ConsoleSessionRow>;
  readonly #extensions: GrantExtensions;
  readonly #organizations: FollowedTable<Organization, Ruuid | null>;
  /** The location of each NVR, and the location that contains each location. */
  readonly #nvrs: FollowedTable<Nvr, Ruuid | null>;
  readonly #locations: FollowedTable<Location, Ruuid | null>;
  readonly #followed: ReadonlyMap<EntityKind, Followed>;
  readonly #listeners = new Set<(concerns: ConcernsGrant) => void>();
  /** When the keys of running views were last read. */
  readonly #readAtMonoMs = new Map<Ruuid, number>();
  /** Keys that are being read again, each once at a time. */
  readonly #reading = new Set<Ruuid>();
  /** Credentials that have ended although the store still has them as active (ended-credentials.ts). */
  readonly #ended = new Set<string>();
  readonly #unsubscribe: () => void;

  /** Reads everything and then follows the store until `close`. */
  static async open(options: DeviceDirectoryOptions): Promise<DeviceDirectory> {
    const directory = new DeviceDirectory(options);
    try {
      await directory.#load();
    } catch (error) {
      directory.close();
      throw error;
    }
    return directory;
  }

  private constructor({ store, clock, log }: DeviceDirectoryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#storedSessions = store.resources.of(FEDERATED_SESSIONS);
    this.#extensions = new GrantExtensions(clock);
    const common = { clock, log };
    this.#cameras = new FollowedTable({
      ...common,
      repository: store.cameras,
      rowOf: ({ orgUuid, name, mummified, locationUuid, nvrUuid, masks, masksForViewers }) => ({
        orgUuid,
        name,
        mummified,
        locationUuid,
        nvrUuid,
        masks,
        masksForViewers,
      }),
      onRow: (uuid) => this.#announce(({ deviceUuid }) => deviceUuid === uuid),
    });
    this.#keys = new FollowedTable({
      ...common,
      repository: store.apiKeys,
      rowOf: ({ orgUuid, name, scheme, role, scope, revokedAtMs, expiresAtMs }) => ({
        orgUuid,
        name,
        scheme,
        role,
        scope,
        revokedAtMs,
        expiresAtMs,
      }),
      onRow: (uuid) => this.#announce(({ principal }) => this.#keyOf(principal) === uuid),
    });
    this.#sessions = new FollowedTable({
      ...common,
      repository: this.#storedSessions,
      rowOf: ({ orgUuid, body }) => ({ orgUuid, ...body }),
      onRow: (uuid) => this.#announce(({ principal }) => principal.uuid === uuid),
    });
    this.#tokens = new TokenTable({
      clock,
      log,
      repository: store.oauthGrants,
      onEnd: (uuid) => this.#announce(({ principal }) => principal.uuid === uuid),
    });
    this.#people = new FollowedTable({
      ...common,
      repository: store.people,
      rowOf: knownPerson,
      onRow: (uuid) => this.#announce(({ principal }) => this.#personOf(principal) === uuid),
    });
    this.#consoles = new FollowedTable({
      ...common,
      repository: store.consoleSessions,
      rowOf: ({ orgUuid, personUuid, createdAtMs }) => ({ orgUuid, personUuid, createdAtMs }),
      onRow: (uuid) => this.#announce(({ principal }) => principal.uuid === uuid),
    });
    this.#organizations = new FollowedTable({
      ...common,
      repository: {
        find: (_orgUuid, uuid) => store.organizations.find(uuid),
        listEverywhere: () => store.organizations.list(),
      },
      rowOf: ({ partnerUuid }) => partnerUuid,
      onRow: () => this.#announce(() => true),
    });
    // A device can move into or out of limited rights with them.
    this.#nvrs = new FollowedTable({
      ...common,
      repository: store.nvrs,
      rowOf: ({ locationUuid }) => locationUuid,
      onRow: () => this.#announce(() => true),
    });
    this.#locations = new FollowedTable({
      ...common,
      repository: store.locations,
      rowOf: ({ parentUuid }) => parentUuid,
      onRow: () => this.#announce(() => true),
    });
    this.#followed = new Map<EntityKind, Followed>([
      ['camera', this.#cameras],
      ['apiKey', this.#keys],
      ['federatedSession', this.#sessions],
      ['oauthGrant', this.#tokens],
      ['oauthApplication', this.#tokens],
      ['person', this.#people],
      ['consoleSession', this.#consoles],
      ['organization', this.#organizations],
      ['nvr', this.#nvrs],
      ['location', this.#locations],
    ]);
    this.#unsubscribe = store.onChange((event) => this.#followed.get(event.entity)?.follow(event));
  }

  /** null: the device does not exist, or no longer does. */
  find(deviceUuid: Ruuid): KnownDevice | null {
    const camera = this.#cameras.get(deviceUuid);
    if (camera === undefined || camera.mummified) return null;
    const { orgUuid, name } = camera;
    const locationUuid = locationOfCamera(camera, (nvr) => this.#nvrs.get(nvr));
    return {
      uuid: deviceUuid,
      orgUuid,
      name,
      partnerUuid: this.#organizations.get(orgUuid) ?? null,
      siteUuids: sitesAround(locationUuid, (location) => this.#locations.get(location)),
    };
  }

  /** The rights that decide whether a key may upload clips of a camera (src/uploads); null: the key is revoked or does not exist. */
  uploadRights(
    keyUuid: Ruuid,
    cameraUuid: Ruuid,
  ): {
    readonly key: Pick<KeyRow, 'orgUuid' | 'scheme' | 'role'> | null;
    readonly camera: KnownDevice | null;
  } {
    const key = this.#keys.get(keyUuid);
    const isWorking =
      key !== undefined && isKeyWorking(key, this.#clock.epochMs()) && !this.#hasEnded(key.orgUuid, keyUuid);
    return { key: isWorking ? key : null, camera: this.find(cameraUuid) };
  }

  /** null: it has ended, or never existed. */
  actorOf(principal: Principal): PrincipalActor | null {
    if (principal.kind === 'person') {
      const personUuid = this.#personOf(principal);
      const person = personUuid === null ? undefined : this.#people.get(personUuid);
      return personUuid === null || person === undefined
        ? null
        : { uuid: personUuid, name: person.name, scheme: 'person' };
    }
    const uuid = this.#keyOf(principal);
    const key = uuid === null ? undefined : this.#keys.get(uuid);
    return uuid === null || key === undefined ? null : { uuid, name: key.name, scheme: key.scheme };
  }

  /** The camera that the viewer of a grant sees: the device, or the device with its masks. */
  shownCamera({ deviceUuid, principal }: Pick<DeviceGrant, 'deviceUuid' | 'principal'>): Ruuid {
    const camera = this.#cameras.get(deviceUuid);
    const role = this.#roleOf(principal);
    if (camera === undefined || role === null) return shownCameraUuid(deviceUuid, null);
    return cameraShownTo(role, { uuid: deviceUuid, ...camera });
  }

  /** Whether its role is more than that of a viewer. */
  mayOperate(principal: Principal): boolean {
    const role = this.#roleOf(principal);
    return role !== null && role !== 'viewer';
  }

  #roleOf(principal: Principal): Role | null {
    if (principal.kind === 'person') {
      const personUuid = this.#personOf(principal);
      return personUuid === null ? null : (this.#people.get(personUuid)?.role ?? null);
    }
    const keyUuid = this.#keyOf(principal);
    return keyUuid === null ? null : (this.#keys.get(keyUuid)?.role ?? null);
  }

  /**
   * Whether a view may begin or continue; null: this gateway did not sign the grant. `admittedTo`: the camera that it shows; null: none
   * yet.
   */
  decide(
    grant: DeviceGrant | null,
    nowEpochMs: number,
    admittedTo: Pick<SharedMedia, 'cameraUuid'> | null = null,
  ): AccessDecision {
    const credential =
      grant === null
        ? null
        : ({ kind: 'device-grant', expiresAtSec: this.#extensions.endOf(grant) } as const);
    const decision = this.#decide(
      credential,
      grant?.principal ?? null,
      grant?.deviceUuid ?? null,
      nowEpochMs,
    );
    if (!decision.allowed || grant === null || admittedTo === null) return decision;
    // The next request is a new view, of what this viewer sees now.
    const isSame = this.shownCamera(grant) === admittedTo.cameraUuid;
    return isSame ? decision : { allowed: false, reason: 'grant-expired', untilEpochMs: null };
  }

  /** Extends a grant, so that its views continue. Its principal and its device still decide. */
  extend(grant: DeviceGrant, endsAtSec: number): void {
    const orgUuid = this.find(grant.deviceUuid)?.orgUuid ?? grant.deviceUuid;
    this.#extensions.extend(grant, endsAtSec, orgUuid);
  }

  /** Reads a camera whose event is still on its way. Rejects like the store. */
  async learnCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    if (this.#cameras.get(cameraUuid) !== undefined) return;
    const stored = await this.#store.cameras.find(orgUuid, cameraUuid);
    if (stored !== null && this.#cameras.get(cameraUuid) === undefined) this.#cameras.put(stored);
  }

  /** Whether a principal whose credential was just checked may be given a grant. */
  decideFor(principal: Principal, deviceUuid: Ruuid, nowEpochMs: number): AccessDecision {
    return this.#decide({ kind: 'principal' }, principal, deviceUuid, nowEpochMs);
  }

  /**
   * Reads an unknown principal: one that another process created, or whose event is still on its way. Known principals stay as they are, so
   * this cannot revive an ended one. Rejects like the store.
   */
  async learn(
    { kind, uuid }: Principal,
    actor: Pick<Actor, 'uuid' | 'orgUuid'>,
    tokenHash: string | null = null,
  ): Promise<void> {
    if (kind === 'person') {
      await this.#learnPerson(uuid, actor);
      return;
    }
    const key = actor;
    if (this.#keys.get(key.uuid) === undefined) {
      const stored = await this.#store.apiKeys.find(key.orgUuid, key.uuid);
      if (stored !== null && this.#keys.get(key.uuid) === undefined) this.#keys.put(stored);
    }
    if (tokenHash !== null) await this.#tokens.learn(tokenHash);
    if (kind !== 'session' || this.#sessions.get(uuid) !== undefined) return;
    const stored = await this.#storedSessions.findEverywhere(uuid);
    if (stored !== null && this.#sessions.get(uuid) === undefined) this.#sessions.put(stored);
  }

  /** Called about every second for each running view. Reads its key or session again if the last read is old enough. */
  confirm({ principal }: Pick<DeviceGrant, 'principal'>): void {
    if (principal.kind === 'person') {
      const session = this.#consoles.get(principal.uuid);
      if (session !== undefined && this.#isRereadDue(principal.uuid)) {
        void this.#rereadConsole(principal.uuid, session);
      }
      return;
    }
    const uuid = this.#keyOf(principal);
    const known = uuid === null ? undefined : this.#keys.get(uuid);
    if (uuid === null || known === undefined) return;
    if (this.#isRereadDue(uuid)) void this.#reread(known.orgUuid, uuid);
  }

  /** Notes that it is read now, if so. */
  #isRereadDue(uuid: Ruuid): boolean {
    const nowMonoMs = this.#clock.monoMs();
    const isRecent = nowMonoMs - (this.#readAtMonoMs.get(uuid) ?? Number.NEGATIVE_INFINITY) < KEY_REREAD_MS;
    if (isRecent || this.#reading.has(uuid)) return false;
    this.#readAtMonoMs.set(uuid, nowMonoMs);
    return true;
  }

  /**
   * Called after something that decides about running views changed, with the views that it can concern. Returns a
   * function that ends the subscription.
   */
  onChange(listener: (concerns: ConcernsGrant) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A committed change takes effect immediately; the event that follows repeats it. */
  applied(change: DeviceChange): void {
    switch (change.kind) {
      case 'key':
        this.#keys.put(change.record);
        break;
      case 'person':
        if (change.record === null) this.#people.remove(change.uuid);
        else this.#people.put(change.record);
        break;
      case 'consoleSession':
        this.#readAtMonoMs.delete(change.uuid);
        this.#consoles.remove(change.uuid);
        break;
      case 'tokens':
        this.#tokens.end(change.ended);
        break;
      case 'masks': {
        const { masks, masksForViewers } = change.record;
        this.#cameras.patch(change.uuid, { masks, masksForViewers });
        break;
      }
      case 'camera':
        this.#cameras.remove(change.uuid);
    }
  }

  /** null: it can be ended without the store. */
  mayEnd(orgUuid: Ruuid, request: CredentialEndRequest): Exclude<NoEnd, 'full'> | null {
    const known = { keys: this.#keys, consoles: this.#consoles, people: this.#people };
    const hasEnded = (ofOrg: Ruuid, uuid: Ruuid): boolean => this.#hasEnded(ofOrg, uuid);
    return refusalToEnd({ ...known, hasEnded }, orgUuid, request);
  }

  /** Ends a credential that the store has as active: its views have ended when this returns. A restart forgets it. */
  endAccess(orgUuid: Ruuid, request: CredentialEndRequest): EndOutcome {
    const refusal = this.mayEnd(orgUuid, request);
    if (refusal !== null) return refusal;
    this.endCredential({ orgUuid, uuid: request.uuid });
    return { isKept: false, silentNodes: [], record: null };
  }

  /** The same, whatever is known of it. */
  endCredential(end: { readonly orgUuid: Ruuid; readonly uuid: Ruuid }): void {
    this.#ended.add(endedName(end));
    const { uuid } = end;
    this.#announce(
      ({ principal }) =>
        principal.uuid === uuid ||
        this.#keyOf(principal) === uuid ||
        this.#personOf(principal) === uuid ||
        this.#tokens.get(principal.uuid)?.grantUuid === uuid,
    );
  }

  /** The record as it is in force; null: it no longer exists, or has no fields that callers see. */
  recordOfCredential(end: CredentialEnd): object | null {
    const person = end.kind === 'person' && !end.isRemoved ? this.#people.get(end.uuid) : undefined;
    return person === undefined ? null : { ...person, disabled: true };
  }

  /** The store has its end by now; its row was put before. */
  credentialEndStored(end: { readonly orgUuid: Ruuid; readonly uuid: Ruuid }): void {
    this.#ended.delete(endedName(end));
  }

  /**
   * Reads everything again, for commits whose event was not sent. Running views are judged again. Rejects if the store cannot be read, and
   * keeps the known rows.
   */
  async refresh(): Promise<void> {
    await this.#load();
    this.#announce(() => true);
  }

  close(): void {
    this.#unsubscribe();
    for (const table of [this.#cameras, this.#keys, this.#sessions, this.#organizations]) table.close();
    for (const table of [this.#people, this.#consoles]) table.close();
    for (const table of [this.#nvrs, this.#locations]) table.close();
    this.#listeners.clear();
    this.#readAtMonoMs.clear();
  }

  async #load(): Promise<void> {
    await Promise.all([...new Set(this.#followed.values())].map((table) => table.load()));
  }

  #decide(
    credential: DeviceCredential | null,
    principal: Principal | null,
    deviceUuid: Ruuid | null,
    nowEpochMs: number,
  ): AccessDecision {
    return decideAccess({
      deviceCredential: credential,
      device: deviceUuid === null ? null : this.find(deviceUuid),
      principal: principal === null ? null : this.#rightsOf(principal),
      nowEpochMs,
    });
  }

  #rightsOf({ kind, uuid }: Principal): PrincipalRights | null {
    if (kind === 'key') {
      const key = this.#workingKey(uuid);
      if (key === null) return null;
      const isPartner = key.scheme === 'partner-api';
      const { orgUuid, scope } = key;
      return { orgUuid, isPartner, onlyDevice: null, scope, expiresAtMs: keyEndMs(key) };
    }
    if (kind === 'token') return this.#rightsOfToken(uuid);
    if (kind === 'person') return this.#rightsOfConsole(uuid);
    const session = this.#sessions.get(uuid);
    const key = session === undefined ? null : this.#workingKey(session.keyUuid);
    if (session === undefined || key === null) return null;
    const { orgUuid, deviceUuid = null } = session;
    const expiresAtMs = Math.min(session.expiresAtMs, keyEndMs(key));
    // A partner that loses a client also loses the sessions that it created there.
    if (key.orgUuid !== orgUuid && this.#organizations.get(orgUuid) !== key.orgUuid) return null;
    return { orgUuid, isPartner: false, onlyDevice: deviceUuid, scope: key.scope, expiresAtMs };
  }

  /** As for the management API (accounts/callers.ts): a partner's token may be for one client alone. */
  #rightsOfToken(uuid: Ruuid): PrincipalRights | null {
    const token = this.#tokens.get(uuid);
    const key = token === undefined ? null : this.#workingKey(token.keyUuid);
    if (token === undefined || key === null) return null;
    const { orgUuid } = token;
    const expiresAtMs = Math.min(token.expiresAtMs, keyEndMs(key));
    if (this.#hasEnded(orgUuid, token.grantUuid)) return null;
    const isForClient = key.orgUuid !== orgUuid;
    if (isForClient && this.#organizations.get(orgUuid) !== key.orgUuid) return null;
    const isPartner = key.scheme === 'partner-api' && !isForClient;
    return { orgUuid, isPartner, onlyDevice: null, scope: key.scope, expiresAtMs };
  }

  /** Every role may watch. */
  #rightsOfConsole(uuid: Ruuid): PrincipalRights | null {
    const session = this.#consoles.get(uuid);
    const person = session === undefined ? undefined : this.#people.get(session.personUuid);
    if (session === undefined || person === undefined || person.disabled) return null;
    const { orgUuid, personUuid } = session;
    if (this.#hasEnded(orgUuid, uuid) || this.#hasEnded(orgUuid, personUuid)) return null;
    const expiresAtMs = session.createdAtMs + CONSOLE_SESSION_MAX_MS;
    return { orgUuid, isPartner: false, onlyDevice: null, scope: person.scope, expiresAtMs };
  }

  #personOf({ kind, uuid }: Principal): Ruuid | null {
    return kind === 'person' ? (this.#consoles.get(uuid)?.personUuid ?? null) : null;
  }

  async #learnPerson(
    sessionUuid: Ruuid,
    { orgUuid, uuid: personUuid }: Pick<Actor, 'uuid' | 'orgUuid'>,
  ): Promise<void> {
    if (this.#people.get(personUuid) === undefined) {
      const person = await this.#store.people.find(orgUuid, personUuid);
      if (person !== null && this.#people.get(personUuid) === undefined) this.#people.put(person);
    }
    if (this.#consoles.get(sessionUuid) !== undefined) return;
    const session = await this.#store.consoleSessions.find(orgUuid, sessionUuid);
    if (session !== null && this.#consoles.get(sessionUuid) === undefined) this.#consoles.put(session);
  }

  /** null: the key was revoked, has expired, or can only report. */
  #workingKey(uuid: Ruuid): KeyRow | null {
    const key = this.#keys.get(uuid);
    if (key === undefined || !isKeyWorking(key, this.#clock.epochMs()) || this.#hasEnded(key.orgUuid, uuid)) {
      return null;
    }
    return key.scheme === 'device' ? null : key;
  }

  #keyOf({ kind, uuid }: Principal): Ruuid | null {
    if (kind === 'key') return uuid;
    if (kind === 'person') return null;
    const made = kind === 'session' ? this.#sessions.get(uuid) : this.#tokens.get(uuid);
    return made?.keyUuid ?? null;
  }

  async #reread(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    this.#reading.add(uuid);
    try {
      const stored = await this.#store.apiKeys.find(orgUuid, uuid);
      const known = this.#keys.get(uuid);
      if (known === undefined || known.revokedAtMs !== null) return;
      if (stored === null) this.#keys.remove(uuid);
      else if (hasOtherRights(stored, known)) this.#keys.put(stored);
    } catch (thrown) {
      this.#log.debug({ err: toGatewayError(thrown), key: uuid }, 'key of a running view not readable');
    } finally {
      this.#reading.delete(uuid);
    }
  }

  /** Another process may have ended the session, or disabled or removed the person. */
  async #rereadConsole(uuid: Ruuid, { orgUuid, personUuid }: ConsoleSessionRow): Promise<void> {
    this.#reading.add(uuid);
    try {
      const session = await this.#store.consoleSessions.find(orgUuid, uuid);
      const person = await this.#store.people.find(orgUuid, personUuid);
      if (session === null || person === null) this.#consoles.remove(uuid);
      const known = this.#people.get(personUuid);
      const isLimited = person !== null && !isSameScope(person.scope, known?.scope ?? null);
      const hasOtherRole = person !== null && person.role !== known?.role;
      if (person !== null && (person.disabled || isLimited || hasOtherRole)) this.#people.put(person);
    } catch (thrown) {
      this.#log.debug(
        { err: toGatewayError(thrown), session: uuid },
        'session of a running view not readable',
      );
    } finally {
      this.#reading.delete(uuid);
    }
  }

  #hasEnded(orgUuid: Ruuid, uuid: Ruuid): boolean {
    return this.#ended.size > 0 && this.#ended.has(endedName({ orgUuid, uuid }));
  }

  #announce(concerns: ConcernsGrant): void {
    for (const listener of this.#listeners) listener(concerns);
  }
}

/** Whether a key that was read again lets others watch than the known one. */
function hasOtherRights(stored: ApiKey, known: KeyRow): boolean {
  const { revokedAtMs, expiresAtMs, scope, role } = stored;
  const hasOtherEnd = revokedAtMs !== null || expiresAtMs !== known.expiresAtMs;
  return hasOtherEnd || role !== known.role || !isSameScope(scope, known.scope);
}
