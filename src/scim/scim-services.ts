/** Wires up provisioning by SCIM. */

import type { ApiTokens } from '../accounts/api-tokens.ts';
import type { People } from '../accounts/people.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import type { Store } from '../store/store.ts';
import { GroupRights } from './group-rights.ts';
import { LeaverAccess, type LeaverAccessOptions } from './leaver-access.ts';
import { SCIM_GROUPS, type ScimGroup } from './scim-group.ts';
import { ScimGroups } from './scim-groups.ts';
import { ScimTokens } from './scim-tokens.ts';
import { ScimUsers } from './scim-users.ts';

export const SCIM_PATH = '/scim/v2';

export interface ScimServices {
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly tokens: ScimTokens;
  readonly rights: GroupRights;
  /** The directory's groups, in the order in which they were added. */
  listGroups(orgUuid: Ruuid): Promise<ScimGroup[]>;
  /** Where directories send their requests. */
  readonly baseUrl: string;
}

export interface ScimServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly people: People;
  readonly apiTokens: ApiTokens;
  readonly publicApiUrl: string;
  readonly endSubjects: LeaverAccessOptions['endSubjects'];
}

export function createScimServices(parts: ScimServiceParts): ScimServices {
  const { store, clock, log, people, apiTokens, endSubjects } = parts;
  const baseUrl = `${withoutTrailingSlashes(parts.publicApiUrl)}${SCIM_PATH}`;
  const rights = new GroupRights({ store, people, clock, log });
  const leavers = new LeaverAccess({ store, apiTokens, endSubjects });
  return {
    users: new ScimUsers({ store, people, rights, leavers, clock, baseUrl }),
    groups: new ScimGroups({ store, rights, clock, baseUrl }),
    tokens: new ScimTokens({ store, clock }),
    rights,
    listGroups: (orgUuid) => store.resources.of(SCIM_GROUPS).list(orgUuid),
    baseUrl,
  };
}
