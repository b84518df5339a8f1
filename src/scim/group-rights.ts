/**
 * The rights that groups give: administrators map groups to roles and sites, and people whom the directory manages get what their groups
 * have together: the highest role, and all sites. Without a mapping for any of their groups, they see nothing. As long as there are no
 * mappings, administrators give rights in the console.
 */

import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { checkedScope, expectLimitable } from '../accounts/limited-rights.ts';
import type { People } from '../accounts/people.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type AccessScope, isSameScope } from '../store/access-scope.ts';
import { ROLES, type Role } from '../store/person.ts';
import { type Resource, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { SCIM_ERRORS } from './errors.ts';
import { SCIM_GROUPS, type ScimGroup } from './scim-group.ts';
import { SCIM_USERS } from './scim-user.ts';

/** The name is the group's name, or its `externalId`. */
export interface GroupMappingBody extends Rights {}

/** A role; `scope` null: the whole organization. */
export interface Rights {
  readonly role: Role;
  readonly scope: AccessScope | null;
}

export type GroupMapping = Resource<GroupMappingBody>;
export const SCIM_MAPPINGS = resourceKind<GroupMappingBody>('scimMapping');

const ROOM = {
  atMost: LIMITS.scimMappings.perOrganization,
  within: 'organization' as const,
  full: () => new GatewayError(SCIM_ERRORS.TOO_MANY_SCIM_MAPPINGS),
};
/** Others change groups while the rights are computed; beyond this, they do so all the time. */
const MAX_ROUNDS = 20;

export interface GroupRightsOptions {
  readonly store: Pick<Store, 'people' | 'resources' | 'locations' | 'cameras'>;
  readonly people: Pick<People, 'update'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly log: Pick<Log, 'warn'>;
}

export class GroupRights {
  readonly #options: GroupRightsOptions;

  constructor(options: GroupRightsOptions) {
    this.#options = options;
  }

  /** In the order in which they were added. */
  list(orgUuid: Ruuid): Promise<GroupMapping[]> {
    return this.#mappings.list(orgUuid);
  }

  /** People whom the directory manages, and whether groups decide what they may do. */
  async managed(orgUuid: Ruuid): Promise<{ readonly uuids: readonly Ruuid[]; readonly byGroups: boolean }> {
    const records = await this.#options.store.resources.of(SCIM_USERS).list(orgUuid);
    return {
      uuids: records.map(({ uuid }) => uuid),
      byGroups: (await this.#mappings.count(orgUuid)) > 0,
    };
  }

  /** Whether groups decide what the person may do. */
  async decides(orgUuid: Ruuid, personUuid: Ruuid): Promise<boolean> {
    const record = await this.#options.store.resources.of(SCIM_USERS).find(orgUuid, personUuid);
    return record !== null && (await this.#mappings.count(orgUuid)) > 0;
  }

  /** Before someone else changes a person's rights. Fails SCIM_RIGHTS_OF_GROUPS. */
  async expectFree(orgUuid: Ruuid, personUuid: Ruuid): Promise<void> {
    if (!(await this.decides(orgUuid, personUuid))) return;
    throw new GatewayError(SCIM_ERRORS.SCIM_RIGHTS_OF_GROUPS);
  }

  /**
   * Adds or replaces the mapping of a group, by its name or external ID in any case; the group need not exist yet. Its members have the
   * rights when this resolves. Fails SCIM_MAPPING_UNNAMED, TOO_MANY_SCIM_MAPPINGS, and like `checkedScope` and `expectLimitable`.
   */
  async set(orgUuid: Ruuid, group: string, { role, scope: wanted }: Rights): Promise<GroupMapping> {
    const name = group.trim();
    if (name === '') throw new GatewayError(SCIM_ERRORS.SCIM_MAPPING_UNNAMED);
    const scope = await checkedScope(this.#options.store, orgUuid, wanted);
    expectLimitable(role, scope);
    const uuid = deriveRuuid('scim mapping', `${orgUuid} ${keyOf(name)}`);
    const nowMs = this.#options.clock.epochMs();
    const { after } = await this.#mappings.change(
      orgUuid,
      uuid,
      (known) => ({
        uuid,
        orgUuid,
        name,
        parentUuid: null,
        secret: null,
        body: { role, scope },
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      }),
      ROOM,
    );
    await this.sync(orgUuid, 'everyone');
    return after!;
  }

  /** Its members lose the rights. Fails SCIM_MAPPING_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if (!(await this.#mappings.remove(orgUuid, uuid))) {
      throw new GatewayError(SCIM_ERRORS.SCIM_MAPPING_NOT_FOUND);
    }
    await this.#sync(orgUuid, 'everyone', true);
  }

  /**
   * Gives these people the rights of their groups, as far as the directory manages them. Reads everything again after each change, so the
   * last one of several that run at the same time leaves what all groups say. The last administrator keeps their rights.
   */
  sync(orgUuid: Ruuid, personUuids: readonly Ruuid[] | 'everyone'): Promise<void> {
    return this.#sync(orgUuid, personUuids, false);
  }

  async #sync(
    orgUuid: Ruuid,
    personUuids: readonly Ruuid[] | 'everyone',
    isWithoutMappings: boolean,
  ): Promise<void> {
    if (personUuids.length === 0) return;
    const kept = new Set<Ruuid>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const wrong = await this.#withOtherRights(orgUuid, personUuids, isWithoutMappings);
      const left = wrong.filter(({ uuid }) => !kept.has(uuid));
      if (left.length === 0) return;
      for (const { uuid, rights } of left) {
        if (!(await this.#give(orgUuid, uuid, rights))) kept.add(uuid);
      }
    }
  }

  async #give(orgUuid: Ruuid, uuid: Ruuid, rights: Rights): Promise<boolean> {
    try {
      await this.#options.people.update(orgUuid, uuid, rights, 'local');
      return true;
    } catch (thrown) {
      const { code } = thrown instanceof GatewayError ? thrown : { code: null };
      if (code === ACCOUNT_ERRORS.PERSON_NOT_FOUND.code) return false;
      if (code !== ACCOUNT_ERRORS.LAST_ADMIN.code) throw thrown;
      this.#options.log.warn({ orgUuid, personUuid: uuid }, 'last administrator kept despite groups');
      return false;
    }
  }

  async #withOtherRights(
    orgUuid: Ruuid,
    personUuids: readonly Ruuid[] | 'everyone',
    isWithoutMappings: boolean,
  ): Promise<readonly { readonly uuid: Ruuid; readonly rights: Rights }[]> {
    const { store } = this.#options;
    const mappings = await this.#mappings.list(orgUuid);
    if (mappings.length === 0 && !isWithoutMappings) return [];
    const known = new Set([
      ...(await store.locations.list(orgUuid)).map(({ uuid }) => uuid),
      ...(await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid),
    ]);
    const groups = await store.resources.of(SCIM_GROUPS).list(orgUuid);
    const managed = new Set((await store.resources.of(SCIM_USERS).list(orgUuid)).map(({ uuid }) => uuid));
    const concerned = personUuids === 'everyone' ? null : new Set(personUuids);
    const people = (await store.people.list(orgUuid)).filter(
      ({ uuid }) => managed.has(uuid) && (concerned === null || concerned.has(uuid)),
    );
    return people.flatMap(({ uuid, role, scope }) => {
      const given = groups.filter(({ body }) => body.members.includes(uuid)).flatMap(rightsIn(mappings));
      const rights = withKnown(unionOf(given), known);
      return rights.role === role && isSameScope(rights.scope, scope) ? [] : [{ uuid, rights }];
    });
  }

  get #mappings() {
    return this.#options.store.resources.of(SCIM_MAPPINGS);
  }
}

function rightsIn(mappings: readonly GroupMapping[]): (group: ScimGroup) => readonly Rights[] {
  return ({ name, body }) => {
    const keys = [keyOf(name), ...(body.externalId === undefined ? [] : [keyOf(body.externalId)])];
    return mappings.filter((mapping) => keys.includes(keyOf(mapping.name))).map((mapping) => mapping.body);
  };
}

/** What several rights are together: the highest role, at all sites. Without any, a role that sees nothing. */
export function unionOf(all: readonly Rights[]): Rights {
  const role = ROLES.toReversed().find((each) => all.some((rights) => rights.role === each)) ?? 'viewer';
  if (role === 'admin' || all.some(({ scope }) => scope === null)) return { role, scope: null };
  const unique = (uuids: readonly Ruuid[]) => [...new Set(uuids)];
  return {
    role,
    scope: {
      locationUuids: unique(all.flatMap(({ scope }) => scope?.locationUuids ?? [])),
      cameraUuids: unique(all.flatMap(({ scope }) => scope?.cameraUuids ?? [])),
    },
  };
}

/** Without sites and cameras that were removed since. */
function withKnown({ role, scope }: Rights, known: ReadonlySet<Ruuid>): Rights {
  if (scope === null) return { role, scope };
  const [locationUuids, cameraUuids] = [scope.locationUuids, scope.cameraUuids].map((uuids) =>
    uuids.filter((uuid) => known.has(uuid)),
  ) as [Ruuid[], Ruuid[]];
  return { role, scope: { locationUuids, cameraUuids } };
}

function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
