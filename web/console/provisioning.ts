/** Provisioning by a directory (SCIM): its tokens, its groups, and what they may do. */

import { type Answer, call } from './api.ts';
import { type RightsPlaces, readRightsPlaces, type Scope, sentScope } from './rights.ts';
import type { Role } from './session.ts';

export type Provisioning = Answer<'console/getScimProvisioning'> & { readonly places: RightsPlaces };

export type TokenItem = Provisioning['tokens'][number];

export type MappingItem = Provisioning['mappings'][number];

/** A group that the directory has sent, that has a mapping, or both. */
export interface GroupItem {
  /** Its name; of a mapping by ID, the name that the directory has sent, if any. */
  readonly name: string;
  /** Undefined: it gives no rights. */
  readonly mapping: MappingItem | undefined;
  /** Undefined: the directory has not sent it. */
  readonly memberCount: number | undefined;
}

/** With the names of what groups see. Fails with a CallError. */
export async function readProvisioning(signal: AbortSignal): Promise<Provisioning> {
  const [provisioning, places] = await Promise.all([
    call('console/getScimProvisioning', {}, signal),
    readRightsPlaces(signal),
  ]);
  return { ...provisioning, places };
}

/** Groups with their mappings, in the directory's order, and mappings of groups that it has not sent. */
export function groupItems({ groups, mappings }: Pick<Provisioning, 'groups' | 'mappings'>): GroupItem[] {
  const used = new Set<MappingItem>();
  const known = groups.map(({ name, externalId, memberCount }): GroupItem => {
    const keys = [name, externalId].map((key) => key?.toLowerCase());
    const mapping = mappings.find(({ group }) => keys.includes(group.toLowerCase()));
    if (mapping !== undefined) used.add(mapping);
    return { name, mapping, memberCount };
  });
  const others = mappings.filter((mapping) => !used.has(mapping));
  return [...known, ...others.map((mapping) => ({ name: mapping.group, mapping, memberCount: undefined }))];
}

/** Resolves with the token, which is never shown again. Fails with a CallError. */
export async function createToken(name: string): Promise<string> {
  const { token } = await call('console/createScimToken', { name });
  return token;
}

/** Fails with a CallError. */
export async function revokeToken({ tokenUuid }: TokenItem): Promise<void> {
  await call('console/revokeScimToken', { tokenUuid });
}

/** Members have the rights when it resolves. Fails with a CallError. */
export async function mapGroup(group: string, role: Role, scope: Scope): Promise<void> {
  await call('console/setScimMapping', { group, role, ...sentScope(scope) });
}

/** Fails with a CallError. */
export async function unmapGroup({ mappingUuid }: MappingItem): Promise<void> {
  await call('console/deleteScimMapping', { mappingUuid });
}
