/**
 * Users of an organization: its people. A directory can read and change everyone, and changes to people who were there before make them
 * the directory's too. The directory's record is changed first, and only as it was read; then the person, through the same service as in
 * the console, so sessions and views end there.
 */

import { isDeepStrictEqual } from 'node:util';
import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { type People, withEmailTaken } from '../accounts/people.ts';
import { MAX_PEOPLE } from '../accounts/person-rules.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { isRuuid, newRuuid, type Ruuid } from '../core/ruuid.ts';
import { emailKey, type Person } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import { SCIM_ERRORS } from './errors.ts';
import type { GroupRights } from './group-rights.ts';
import type { LeaverAccess } from './leaver-access.ts';
import { scimError } from './scim-failure.ts';
import { SCIM_GROUPS } from './scim-group.ts';
import { type PatchOperation, patched } from './scim-patch.ts';
import { type ScimValues, USER_TYPE } from './scim-schema.ts';
import {
  comparedValues,
  factsOf,
  type GroupOfUser,
  SCIM_USERS,
  type ScimUserRecord,
  storedValues,
  userResource,
} from './scim-user.ts';
import { readResource } from './scim-values.ts';
import { expectVersion } from './scim-version.ts';

export interface ScimUsersOptions {
  readonly store: Pick<Store, 'people' | 'resources'>;
  readonly people: Pick<People, 'update' | 'remove'>;
  readonly rights: Pick<GroupRights, 'sync' | 'decides'>;
  readonly leavers: Pick<LeaverAccess, 'of'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** Of `/scim/v2`, as directories reach it. */
  readonly baseUrl: string;
}

/** A change of a user's values, decided from the current ones. */
type ChangeValues = (current: ScimValues) => ScimValues;

/** Sees nothing until a group or an admin gives rights. */
const NO_SITES = { locationUuids: [], cameraUuids: [] };

export class ScimUsers {
  readonly #options: ScimUsersOptions;
  readonly #turns = new KeyedLock();

  constructor(options: ScimUsersOptions) {
    this.#options = options;
  }

  /** In the order in which they were added. */
  async list(orgUuid: Ruuid): Promise<ScimValues[]> {
    const { store, baseUrl } = this.#options;
    const [people, records, groups] = await Promise.all([
      store.people.list(orgUuid),
      store.resources.of(SCIM_USERS).list(orgUuid),
      this.#groupsByMember(orgUuid),
    ]);
    const byPerson = new Map(records.map((record) => [record.uuid, record]));
    return people.map((person) =>
      userResource(person, byPerson.get(person.uuid) ?? null, groups.get(person.uuid) ?? [], baseUrl),
    );
  }

  /** Fails SCIM_RESOURCE_NOT_FOUND. */
  async get(orgUuid: Ruuid, id: string): Promise<ScimValues> {
    const uuid = checkedId(id);
    const { store, baseUrl } = this.#options;
    const person = await store.people.find(orgUuid, uuid);
    if (person === null) throw notFound();
    const record = await store.resources.of(SCIM_USERS).find(orgUuid, uuid);
    const groups = await this.#groupsByMember(orgUuid);
    return userResource(person, record, groups.get(uuid) ?? [], baseUrl);
  }

  /** Fails SCIM_TAKEN, TOO_MANY_PEOPLE, and like `readResource`. */
  async create(orgUuid: Ruuid, given: unknown): Promise<ScimValues> {
    const values = readResource(USER_TYPE, given);
    expectUserName(values);
    const { store, clock } = this.#options;
    const { name, email, isActive } = factsOf(values);
    const nowMs = clock.epochMs();
    const uuid = newRuuid();
    const person: Person = {
      uuid,
      orgUuid,
      name,
      email,
      role: 'viewer',
      scope: NO_SITES,
      passwordHash: null,
      disabled: isActive === false,
      createdAtMs: nowMs,
      lastSignInAtMs: null,
    };
    const room = { atMost: MAX_PEOPLE, full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_PEOPLE) };
    await this.#turns.run(orgUuid, async () => {
      await this.#expectFree(orgUuid, uuid, values);
      await guarded(() =>
        withEmailTaken(() => store.people.changeWithRoom(orgUuid, uuid, (known) => known ?? person, room)),
      );
      await store.resources.of(SCIM_USERS).change(orgUuid, uuid, () => ({
        uuid,
        orgUuid,
        name,
        parentUuid: uuid,
        secret: null,
        body: { values: storedValues(values), revision: 1 },
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      }));
    });
    return this.get(orgUuid, uuid);
  }

  /** All values. `active` stays if it is absent. Fails like `patch`. */
  replace(orgUuid: Ruuid, id: string, given: unknown, ifMatch: string | null): Promise<ScimValues> {
    const values = readResource(USER_TYPE, given);
    return this.#change(orgUuid, id, ifMatch, (current) => ({
      ...(current.active === undefined ? {} : { active: current.active }),
      ...values,
    }));
  }

  /**
   * Fails SCIM_RESOURCE_NOT_FOUND, SCIM_VERSION_CONFLICT, SCIM_TAKEN, SCIM_LAST_LOCAL_ADMIN, SCIM_ADDRESS_OF_ADMIN, and like `patched`.
   */
  patch(
    orgUuid: Ruuid,
    id: string,
    operations: readonly PatchOperation[],
    ifMatch: string | null,
  ): Promise<ScimValues> {
    return this.#change(orgUuid, id, ifMatch, (current) => patched(USER_TYPE, current, operations));
  }

  /** Fails SCIM_RESOURCE_NOT_FOUND, SCIM_VERSION_CONFLICT, SCIM_LAST_LOCAL_ADMIN. */
  async remove(orgUuid: Ruuid, id: string, ifMatch: string | null): Promise<void> {
    const { people, leavers, store } = this.#options;
    const current = await this.get(orgUuid, id);
    expectVersion(ifMatch, current);
    const uuid = id as Ruuid;
    const leaver = await leavers.of(orgUuid, uuid);
    await guarded(() => people.remove(orgUuid, uuid, 'local'));
    await leaver.end();
    const groups = store.resources.of(SCIM_GROUPS);
    for (const group of await groups.list(orgUuid)) {
      if (!group.body.members.includes(uuid)) continue;
      await groups.change(orgUuid, group.uuid, (known) => {
        if (known === null || !known.body.members.includes(uuid)) return 'unchanged';
        const members = known.body.members.filter((member) => member !== uuid);
        return { ...known, body: { ...known.body, members } };
      });
    }
  }

  async #change(
    orgUuid: Ruuid,
    id: string,
    ifMatch: string | null,
    change: ChangeValues,
  ): Promise<ScimValues> {
    const uuid = checkedId(id);
    const { store, clock, baseUrl } = this.#options;
    const records = store.resources.of(SCIM_USERS);
    let next: ScimValues = {};
    let person: Person | null = null;
    const decide = async (known: ScimUserRecord | null) => {
      person = await store.people.find(orgUuid, uuid);
      if (person === null) throw notFound();
      const current = userResource(person, known, [], baseUrl);
      expectVersion(ifMatch, current);
      next = comparedValues(change(comparedValues(current)));
      expectUserName(next);
      await this.#expectFree(orgUuid, uuid, next);
      await this.#expectOwnAddress(person, next);
      if (isDeepStrictEqual(next, comparedValues(current))) return 'unchanged';
      return recordOf(person, known, next, clock.epochMs());
    };
    // Two users of one organization must not take the same name at the same time.
    const { before, after } = await this.#turns.run(orgUuid, () => records.change(orgUuid, uuid, decide));
    if (before !== after) {
      await this.#applyTo(person!, next).catch(async (thrown: unknown) => {
        // The person stays as they were, and so does what the directory reads.
        await records.change(orgUuid, uuid, (known) =>
          known?.body.revision === after?.body.revision ? (before ?? 'removed') : 'unchanged',
        );
        throw thrown;
      });
      // Someone who was there before has the rights of their groups from now on.
      if (before === null) await this.#options.rights.sync(orgUuid, [uuid]);
    }
    return this.get(orgUuid, uuid);
  }

  /** Makes the person what the directory says. */
  async #applyTo(person: Person, values: ScimValues): Promise<void> {
    const { orgUuid, uuid } = person;
    const { people, leavers } = this.#options;
    const { name, email, isActive } = factsOf(values);
    const leaves = isActive === false && !person.disabled;
    const leaver = leaves ? await leavers.of(orgUuid, uuid) : null;
    const facts = {
      ...(name === person.name ? {} : { name }),
      ...(email === null || email === person.email ? {} : { email }),
    };
    // Alone, it also works while the store is unavailable.
    if (leaves) await guarded(() => people.update(orgUuid, uuid, { disabled: true }, 'local'));
    await leaver?.end();
    const others = { ...facts, ...(isActive === true && person.disabled ? { disabled: false } : {}) };
    if (Object.keys(others).length > 0) {
      await guarded(() => people.update(orgUuid, uuid, others, 'local'));
    }
  }

  /**
   * Someone who has the address signs in at the provider as this person: a token must not hand over what an administrator gave. Fails
   * SCIM_ADDRESS_OF_ADMIN.
   */
  async #expectOwnAddress({ orgUuid, uuid, role, email: known }: Person, values: ScimValues): Promise<void> {
    const { email } = factsOf(values);
    const isSame = email === null || (known !== null && emailKey(known) === emailKey(email));
    if (role !== 'admin' || isSame || (await this.#options.rights.decides(orgUuid, uuid))) return;
    throw scimError(SCIM_ERRORS.SCIM_ADDRESS_OF_ADMIN);
  }

  /** Fails SCIM_TAKEN: no one else may have the user name, or the address. */
  async #expectFree(orgUuid: Ruuid, uuid: Ruuid, values: ScimValues): Promise<void> {
    const { store } = this.#options;
    const userName = emailKey(String(values.userName));
    const { email } = factsOf(values);
    const taken = new Set<string>();
    for (const person of await store.people.list(orgUuid)) {
      if (person.uuid !== uuid && person.email !== null) taken.add(emailKey(person.email));
    }
    for (const record of await store.resources.of(SCIM_USERS).list(orgUuid)) {
      if (record.uuid !== uuid) taken.add(emailKey(String(record.body.values.userName)));
    }
    if (taken.has(userName) || (email !== null && taken.has(emailKey(email)))) {
      throw scimError(SCIM_ERRORS.SCIM_TAKEN);
    }
  }

  async #groupsByMember(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, readonly GroupOfUser[]>> {
    const byMember = new Map<Ruuid, GroupOfUser[]>();
    for (const { uuid, name, body } of await this.#options.store.resources.of(SCIM_GROUPS).list(orgUuid)) {
      for (const member of body.members) {
        const groups = byMember.get(member) ?? [];
        groups.push({ uuid, name });
        byMember.set(member, groups);
      }
    }
    return byMember;
  }
}

function recordOf(
  { orgUuid, uuid, name, createdAtMs }: Person,
  known: ScimUserRecord | null,
  values: ScimValues,
  nowMs: number,
): ScimUserRecord {
  return {
    uuid,
    orgUuid,
    name: factsOf(values).name || name,
    parentUuid: uuid,
    secret: null,
    body: {
      values: storedValues(values),
      ...(values.active === undefined ? { hasNoActive: true as const } : {}),
      revision: (known?.body.revision ?? 0) + 1,
    },
    createdAtMs: known?.createdAtMs ?? createdAtMs,
    updatedAtMs: nowMs,
  };
}

function expectUserName({ userName }: ScimValues): void {
  if (typeof userName === 'string' && userName.trim() !== '') return;
  throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'userName is required.');
}

/** Fails SCIM_RESOURCE_NOT_FOUND: what is no ID of ours is no one's. */
export function checkedId(id: string): Ruuid {
  if (!isRuuid(id)) throw notFound();
  return id;
}

function notFound(): GatewayError {
  return scimError(SCIM_ERRORS.SCIM_RESOURCE_NOT_FOUND);
}

/** A person that someone else removed is not found, and the last administrator stays. */
async function guarded<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    if (thrown.code === ACCOUNT_ERRORS.LAST_ADMIN.code) {
      throw new GatewayError(SCIM_ERRORS.SCIM_LAST_LOCAL_ADMIN, {}, thrown);
    }
    if (thrown.code === ACCOUNT_ERRORS.PERSON_EMAIL_TAKEN.code) {
      throw new GatewayError(SCIM_ERRORS.SCIM_TAKEN, {}, thrown);
    }
    throw thrown.code === ACCOUNT_ERRORS.PERSON_NOT_FOUND.code ? notFound() : thrown;
  }
}
