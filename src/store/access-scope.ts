/** Rights that are limited to chosen sites and cameras (docs/design/limited-rights.md). Pure. */

import type { Ruuid } from '../core/ruuid.ts';

/** The sites and cameras that a limited person or API key sees. A site includes cameras that are added to it later. */
export interface AccessScope {
  readonly locationUuids: readonly Ruuid[];
  readonly cameraUuids: readonly Ruuid[];
}

/** A device, with its location and the locations that contain it. */
export interface PlacedDevice {
  readonly uuid: Ruuid;
  readonly siteUuids: readonly Ruuid[];
}

/** Deeper nesting of locations is not followed, so a cycle ends. */
const MAX_SITE_DEPTH = 32;

/** null: the caller is not limited. */
export function scopeIncludes(scope: AccessScope | null, { uuid, siteUuids }: PlacedDevice): boolean {
  if (scope === null) return true;
  return scope.cameraUuids.includes(uuid) || siteUuids.some((site) => scope.locationUuids.includes(site));
}

/** A location and those that contain it, the innermost first. */
export function sitesAround(
  locationUuid: Ruuid | null,
  parentOf: (uuid: Ruuid) => Ruuid | null | undefined,
): Ruuid[] {
  const sites: Ruuid[] = [];
  let uuid = locationUuid;
  while (uuid !== null && sites.length < MAX_SITE_DEPTH) {
    sites.push(uuid);
    uuid = parentOf(uuid) ?? null;
  }
  return sites;
}

/** Whether two scopes name the same sites and cameras, in any order. */
export function isSameScope(one: AccessScope | null, other: AccessScope | null): boolean {
  return scopeKey(one) === scopeKey(other);
}

/** Equal for equal scopes. */
export function scopeKey(scope: AccessScope | null): string {
  if (scope === null) return '';
  return `${scope.locationUuids.toSorted().join()} ${scope.cameraUuids.toSorted().join()}`;
}
