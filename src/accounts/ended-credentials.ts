/**
 * Credentials that have ended although the store has them as working (docs/design/failure.md#ending-access-without-the-store): keys, console
 * sessions, and grants; and people, whose sessions have all ended.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** Names from `endedName`. */
export type EndedCredentials = ReadonlySet<string>;

/** With its organization: no other one can end it. */
export function endedName({ orgUuid, uuid }: { readonly orgUuid: Ruuid; readonly uuid: Ruuid }): string {
  return `${orgUuid} ${uuid}`;
}

/** The UUID in a name. */
export function endedUuid(name: string): Ruuid {
  return name.slice(name.indexOf(' ') + 1) as Ruuid;
}
