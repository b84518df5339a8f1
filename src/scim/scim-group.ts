/** A group of a directory. Pure. */

import type { Ruuid } from '../core/ruuid.ts';
import { type Resource, resourceKind } from '../store/resource.ts';
import { GROUP_TYPE, type ScimValues } from './scim-schema.ts';
import { versionOf } from './scim-user.ts';

/** The name is the group's `displayName`. */
export interface ScimGroupBody {
  readonly externalId?: string;
  /** People of the organization, each once. */
  readonly members: readonly Ruuid[];
}

export const SCIM_GROUPS = resourceKind<ScimGroupBody>('scimGroup');
export type ScimGroup = Resource<ScimGroupBody>;

/** `baseUrl`: of `/scim/v2`. */
export function groupResource({ uuid, name, body, ...group }: ScimGroup, baseUrl: string): ScimValues {
  const { externalId, members } = body;
  return {
    schemas: [GROUP_TYPE.schema.id],
    id: uuid,
    ...(externalId === undefined ? {} : { externalId }),
    displayName: name,
    ...(members.length === 0
      ? {}
      : {
          members: members.map((member) => ({
            value: member,
            $ref: `${baseUrl}/Users/${member}`,
            type: 'User',
          })),
        }),
    meta: {
      resourceType: GROUP_TYPE.name,
      created: new Date(group.createdAtMs).toISOString(),
      lastModified: new Date(group.updatedAtMs).toISOString(),
      location: `${baseUrl}/Groups/${uuid}`,
      version: versionOf([uuid, name, externalId, members, group.updatedAtMs]),
    },
  };
}
