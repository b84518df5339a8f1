/** Groups of an organization's directory. Their members' rights follow from the mappings of groups (group-rights.ts). */

import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import { SCIM_ERRORS } from './errors.ts';
import type { GroupRights } from './group-rights.ts';
import { scimError } from './scim-failure.ts';
import { groupResource, SCIM_GROUPS, type ScimGroup } from './scim-group.ts';
import { type PatchOperation, patched } from './scim-patch.ts';
import { GROUP_TYPE, type ScimValues } from './scim-schema.ts';
import { checkedId } from './scim-users.ts';
import { isObject, readResource } from './scim-values.ts';
import { expectVersion } from './scim-version.ts';

export interface ScimGroupsOptions {
  readonly store: Pick<Store, 'people' | 'resources'>;
  readonly rights: Pick<GroupRights, 'sync'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** Of `/scim/v2`, as directories reach it. */
  readonly baseUrl: string;
}

const ROOM = {
  atMost: LIMITS.scimGroups.perOrganization,
  within: 'organization' as const,
  full: () => scimError(SCIM_ERRORS.SCIM_GROUPS_FULL),
};

export class ScimGroups {
  readonly #options: ScimGroupsOptions;

  constructor(options: ScimGroupsOptions) {
    this.#options = options;
  }

  /** In the order in which they were added. */
  async list(orgUuid: Ruuid): Promise<ScimValues[]> {
    const groups = await this.#groups.list(orgUuid);
    return groups.map((group) => groupResource(group, this.#options.baseUrl));
  }

  /** Fails SCIM_RESOURCE_NOT_FOUND. */
  async get(orgUuid: Ruuid, id: string): Promise<ScimValues> {
    const group = await this.#groups.find(orgUuid, checkedId(id));
    if (group === null) throw scimError(SCIM_ERRORS.SCIM_RESOURCE_NOT_FOUND);
    return groupResource(group, this.#options.baseUrl);
  }

  /** Fails SCIM_TAKEN, SCIM_GROUPS_FULL, SCIM_VALUE_INVALID, and like `readResource`. */
  async create(orgUuid: Ruuid, given: unknown): Promise<ScimValues> {
    const values = readResource(GROUP_TYPE, given);
    const nowMs = this.#options.clock.epochMs();
    const uuid = newRuuid();
    const empty: ScimGroup = {
      uuid,
      orgUuid,
      name: '',
      parentUuid: null,
      secret: null,
      body: { members: [] },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const group = await this.#checked(empty, values);
    await this.#groups.change(orgUuid, uuid, () => group, ROOM);
    await this.#options.rights.sync(orgUuid, group.body.members);
    return this.get(orgUuid, uuid);
  }

  /** Fails like `patch`. */
  replace(orgUuid: Ruuid, id: string, given: unknown, ifMatch: string | null): Promise<ScimValues> {
    const values = readResource(GROUP_TYPE, given);
    return this.#change(orgUuid, id, ifMatch, () => values);
  }

  /** Fails SCIM_RESOURCE_NOT_FOUND, SCIM_VERSION_CONFLICT, SCIM_TAKEN, SCIM_VALUE_INVALID, and like `patched`. */
  patch(
    orgUuid: Ruuid,
    id: string,
    operations: readonly PatchOperation[],
    ifMatch: string | null,
  ): Promise<ScimValues> {
    return this.#change(orgUuid, id, ifMatch, (current) => patched(GROUP_TYPE, current, operations));
  }

  /** Its members lose the rights that it gave. Fails SCIM_RESOURCE_NOT_FOUND, SCIM_VERSION_CONFLICT. */
  async remove(orgUuid: Ruuid, id: string, ifMatch: string | null): Promise<void> {
    const { baseUrl, rights } = this.#options;
    const { before } = await this.#groups.change(orgUuid, checkedId(id), (known) => {
      if (known === null) throw scimError(SCIM_ERRORS.SCIM_RESOURCE_NOT_FOUND);
      expectVersion(ifMatch, groupResource(known, baseUrl));
      return 'removed';
    });
    await rights.sync(orgUuid, before!.body.members);
  }

  async #change(
    orgUuid: Ruuid,
    id: string,
    ifMatch: string | null,
    change: (current: ScimValues) => ScimValues,
  ): Promise<ScimValues> {
    const { baseUrl, rights, clock } = this.#options;
    const { before, after } = await this.#groups.change(orgUuid, checkedId(id), async (known) => {
      if (known === null) throw scimError(SCIM_ERRORS.SCIM_RESOURCE_NOT_FOUND);
      const current = groupResource(known, baseUrl);
      expectVersion(ifMatch, current);
      const next = await this.#checked(known, change(current));
      const isSame = JSON.stringify([next.name, next.body]) === JSON.stringify([known.name, known.body]);
      return isSame ? 'unchanged' : { ...next, updatedAtMs: clock.epochMs() };
    });
    // Also those of a repeated request: the first one may have been interrupted.
    await rights.sync(orgUuid, [...before!.body.members, ...after!.body.members]);
    return this.get(orgUuid, id);
  }

  /** The group with these values. Fails SCIM_VALUE_INVALID, SCIM_TAKEN. */
  async #checked(known: ScimGroup, { displayName, externalId, members }: ScimValues): Promise<ScimGroup> {
    const { orgUuid, uuid } = known;
    if (typeof displayName !== 'string' || displayName.trim() === '') {
      throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'displayName is required.');
    }
    const name = displayName;
    if (name !== known.name) {
      const isTaken = (await this.#groups.list(orgUuid)).some(
        (other) => other.uuid !== uuid && other.name.toLowerCase() === name.toLowerCase(),
      );
      if (isTaken) {
        throw scimError(SCIM_ERRORS.SCIM_TAKEN, 'The organization already has a group with this name.');
      }
    }
    return {
      ...known,
      name,
      body: {
        ...(typeof externalId === 'string' ? { externalId } : {}),
        members: await this.#checkedMembers(orgUuid, new Set(known.body.members), members),
      },
    };
  }

  /** People of the organization. Members that were there before can have been removed since. */
  async #checkedMembers(
    orgUuid: Ruuid,
    before: ReadonlySet<string>,
    members: unknown,
  ): Promise<readonly Ruuid[]> {
    const ids = new Set<string>();
    for (const member of Array.isArray(members) ? members.filter(isObject) : []) {
      if (typeof member.type === 'string' && member.type.toLowerCase() === 'group') throw groupAsMember();
      if (typeof member.value !== 'string') {
        throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'Members must be users, each with its ID as value.');
      }
      ids.add(member.value);
    }
    if ([...ids].every((id) => before.has(id))) return [...ids] as Ruuid[];
    const people = new Set<string>((await this.#options.store.people.list(orgUuid)).map(({ uuid }) => uuid));
    const unknown = [...ids].filter((id) => !before.has(id) && !people.has(id));
    if (unknown.length > 0) {
      // Entra ID sends members without their type.
      const groups = new Set<string>((await this.#groups.list(orgUuid)).map(({ uuid }) => uuid));
      if (unknown.some((id) => groups.has(id))) throw groupAsMember();
      throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'A member is not a user of the organization.');
    }
    return [...ids].filter((id) => people.has(id)) as Ruuid[];
  }

  get #groups() {
    return this.#options.store.resources.of(SCIM_GROUPS);
  }
}

/** RFC 7643 §4.2 leaves groups within groups to the service provider. */
function groupAsMember() {
  return scimError(
    SCIM_ERRORS.SCIM_VALUE_INVALID,
    'Groups within groups are not supported. Assign the inner group to the application as well, or its users to this group.',
  );
}
