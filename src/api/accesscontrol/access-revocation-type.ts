/** Location access revocations, as reported and as returned. */

import type { Static, TSchema } from 'typebox';
import type { AccessRevocation, RevocationBody } from '../../access-control/credential.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { answeredFields, nullableFields } from '../../http/fields/field-groups.ts';
import {
  flag,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_ENTRIES = 1_000;

const uuids = (one: string, all: string) => listOf(ruuid(one), all, MAX_ENTRIES);

/** What a report contains besides name and location. */
export const REVOCATION_FIELDS = {
  scheduleUuid: ruuid('The schedule during which access is revoked.'),
  sortKey: text('The value that lists are sorted by.'),
  storedInS3: flag('Whether its lists are stored elsewhere.'),
  accessControlledDoorUuids: uuids('A door.', 'The doors that it covers.'),
  accessControlledElevatorLandingUuids: uuids('A landing.', 'The elevator landings that it covers.'),
  doorLabelIds: listOf(text('A label.'), 'Labels of the doors that it covers.', MAX_ENTRIES),
  groupUuids: uuids('A group.', 'Groups whose access is revoked.'),
  userUuids: uuids('A user.', 'Users whose access is revoked.'),
} satisfies Record<keyof RevocationBody, TSchema>;

export const REVOCATION_SCHEMA = namedType('LocationAccessRevocation', {
  uuid: ruuid('The revocation.'),
  orgUuid: ruuid('Its organization.'),
  locationUuid: nullable(ruuid('The location.')),
  name: text('Its name.', MAX_NAME_LENGTH),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(REVOCATION_FIELDS),
});

export function revocationAnswer(revocation: AccessRevocation): Static<typeof REVOCATION_SCHEMA> {
  return {
    uuid: revocation.uuid,
    orgUuid: revocation.orgUuid,
    locationUuid: revocation.parentUuid,
    name: revocation.name,
    createdAtMillis: revocation.createdAtMs,
    updatedAtMillis: revocation.updatedAtMs,
    ...answeredFields(REVOCATION_FIELDS, revocation.body),
  };
}

export const EXAMPLE_REVOCATION: Static<typeof REVOCATION_SCHEMA> = revocationAnswer({
  uuid: deriveRuuid('example', 'access revocation') as Ruuid,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Contractors at night',
  parentUuid: EXAMPLE_LOCATION_UUID,
  body: { groupUuids: [deriveRuuid('example', 'group')] },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
});
