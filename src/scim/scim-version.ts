/** Versions of resources (RFC 7644 §3.14), as requests name them. */

import { SCIM_ERRORS } from './errors.ts';
import { scimError } from './scim-failure.ts';
import type { ScimValues } from './scim-schema.ts';

/** The version in a resource's `meta`. */
export function versionIn({ meta }: ScimValues): string {
  return (meta as { readonly version: string }).version;
}

/** Whether the header of a request names the version. All versions are weak, so weak tags are compared as they are. */
export function namesVersion(header: string, version: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(version));
}

/** Some clients drop the prefix of a weak tag. */
function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

/** `ifMatch`: null: any. Fails SCIM_VERSION_CONFLICT. */
export function expectVersion(ifMatch: string | null, current: ScimValues): void {
  if (ifMatch !== null && !namesVersion(ifMatch, versionIn(current))) {
    throw scimError(SCIM_ERRORS.SCIM_VERSION_CONFLICT);
  }
}
