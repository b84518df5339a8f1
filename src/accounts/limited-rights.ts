/** Rights that are limited to sites and cameras: which roles can have them, and what they can name. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from '../store/access-scope.ts';
import type { Role } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

/** The most sites, and the most cameras, that rights can name. */
export const MAX_SCOPE_ENTRIES = 500;

/** An admin can give themselves every right, so a limited role is never `admin`, whatever the provider says. */
export function limitedRole(role: Role, scope: AccessScope | null): Role {
  return scope !== null && role === 'admin' ? 'operator' : role;
}

/** Each entry once. Fails ACCESS_SCOPE_UNKNOWN for what the organization does not have. */
export async function checkedScope(
  store: Pick<Store, 'locations' | 'cameras'>,
  orgUuid: Ruuid,
  scope: AccessScope | null,
): Promise<AccessScope | null> {
  if (scope === null) return null;
  const locationUuids = [...new Set(scope.locationUuids)];
  const cameraUuids = [...new Set(scope.cameraUuids)];
  const locations = new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
  const cameras = new Set((await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
  const unknown =
    locationUuids.find((uuid) => !locations.has(uuid)) ?? cameraUuids.find((uuid) => !cameras.has(uuid));
  if (unknown !== undefined) throw new GatewayError(ACCOUNT_ERRORS.ACCESS_SCOPE_UNKNOWN, { uuid: unknown });
  return { locationUuids, cameraUuids };
}

/** Fails ACCESS_SCOPE_OF_ADMIN. */
export function expectLimitable(role: Role, scope: AccessScope | null): void {
  if (scope !== null && role === 'admin') throw new GatewayError(ACCOUNT_ERRORS.ACCESS_SCOPE_OF_ADMIN);
}
