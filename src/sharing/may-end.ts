/** Whether a credential, or a person, can be ended without the store, from what this node knows of them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialEndRequest, NoEnd } from '../store/access-end.ts';
import type { ApiKey } from '../store/entities.ts';
import type { ConsoleSession, Person } from '../store/person.ts';

/** Rows as they are stored, and which of them have ended nevertheless. */
export interface KnownCredentials {
  readonly keys: { get(uuid: Ruuid): Pick<ApiKey, 'orgUuid' | 'revokedAtMs'> | undefined };
  readonly consoles: { get(uuid: Ruuid): Pick<ConsoleSession, 'orgUuid' | 'personUuid'> | undefined };
  readonly people: {
    get(uuid: Ruuid): Pick<Person, 'orgUuid' | 'role' | 'disabled'> | undefined;
    uuids(): Iterable<Ruuid>;
  };
  hasEnded(orgUuid: Ruuid, uuid: Ruuid): boolean;
}

/** null: it can be ended. Grants are not followed, so a nonexistent one can be ended, too: that changes nothing. */
export function refusalToEnd(
  known: KnownCredentials,
  orgUuid: Ruuid,
  request: CredentialEndRequest,
): Exclude<NoEnd, 'full'> | null {
  const { uuid } = request;
  switch (request.kind) {
    case 'grant':
      return null;
    case 'key': {
      const key = known.keys.get(uuid);
      return key?.orgUuid === orgUuid && key.revokedAtMs === null ? null : 'unknown';
    }
    case 'console': {
      const session = known.consoles.get(uuid);
      const isTheirs = request.ofPerson === null || request.ofPerson === session?.personUuid;
      return session?.orgUuid === orgUuid && isTheirs ? null : 'unknown';
    }
    case 'person':
      if (known.people.get(uuid)?.orgUuid !== orgUuid) return 'unknown';
      return keepsAdmin(known, orgUuid, uuid) ? null : 'no-end';
  }
}

/** Whether an organization has an admin who can sign in if this person cannot. */
function keepsAdmin({ people, hasEnded }: KnownCredentials, orgUuid: Ruuid, personUuid: Ruuid): boolean {
  if (people.get(personUuid)?.role !== 'admin') return true;
  for (const uuid of people.uuids()) {
    const other = people.get(uuid);
    if (uuid === personUuid || other?.orgUuid !== orgUuid || hasEnded(orgUuid, uuid)) continue;
    if (other.role === 'admin' && !other.disabled) return true;
  }
  return false;
}
