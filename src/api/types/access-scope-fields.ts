/** Rights that are limited to sites and cameras, as callers send and read them. */

import { type Static, Type } from 'typebox';
import { MAX_SCOPE_ENTRIES } from '../../accounts/limited-rights.ts';
import { deviceUuid, flag, listOf, namedType, nullable, ruuid } from '../../http/fields/field-types.ts';
import type { AccessScope } from '../../store/access-scope.ts';

const SCOPE_SCHEMA = namedType('AccessScope', {
  locationUuids: listOf(
    ruuid('A site.'),
    'Sites. Each includes the locations that it contains, and cameras that are added later.',
    MAX_SCOPE_ENTRIES,
  ),
  cameraUuids: listOf(deviceUuid('A camera.'), 'Single cameras, wherever they are.', MAX_SCOPE_ENTRIES),
});

const MEANING =
  'The sites and cameras to which the rights are limited; only with the roles `viewer` and `operator`. Absent: the whole ' +
  'organization.';

export const WANTED_SCOPE = Type.Optional(
  Type.Object(SCOPE_SCHEMA.properties, { title: 'AccessScope', description: MEANING }),
);

/** The fields that change a scope. */
export const SCOPE_CHANGE = {
  scope: WANTED_SCOPE,
  scopeUpdated: Type.Optional(
    flag('True: `scope` counts. Without `scope`, the rights are for the whole organization again.'),
  ),
};

export const SHOWN_SCOPE = nullable(
  Type.Object(SCOPE_SCHEMA.properties, { title: 'AccessScope', description: MEANING }),
);

/** undefined: unchanged; null: the whole organization. */
export function scopeChange({
  scope,
  scopeUpdated,
}: {
  readonly scope?: Wanted;
  readonly scopeUpdated?: boolean | undefined;
}): AccessScope | null | undefined {
  return scopeUpdated === true ? wantedScope(scope) : undefined;
}

type Wanted = Static<typeof SCOPE_SCHEMA> | undefined;

export function wantedScope(scope: Wanted): AccessScope | null {
  return scope ?? null;
}

export function scopeResponse(scope: AccessScope | null): Static<typeof SHOWN_SCOPE> {
  if (scope === null) return null;
  return { locationUuids: [...scope.locationUuids], cameraUuids: [...scope.cameraUuids] };
}
