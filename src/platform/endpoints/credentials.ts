/** Credentials that open doors, and access revocations (docs/spec/rules.md#credentials-and-revocations). */

import { type Static, type TSchema, Type } from 'typebox';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  flag,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import {
  type AccessRevocation,
  CREDENTIAL_TYPES,
  type Credential,
  type CredentialFields,
  lowercaseHex,
  type RevocationBody,
} from '../access-control/credential.ts';

const WORKFLOW_STATUSES = ['ACTIVE', 'UNASSIGNED', 'SUSPENDED', 'REVOKED'] as const;
const MAX_NOTE_LENGTH = 4_096;

/** Fields of a report besides the credential's type and value. */
export const CREDENTIAL_FIELDS = {
  userUuid: ruuid('Its owner.'),
  managedCredUuid: ruuid('The managed credential it belongs to.'),
  note: text('A note.', MAX_NOTE_LENGTH),
  workflowStatus: oneOf(WORKFLOW_STATUSES, 'Its status.'),
  startDateEpochSecInclusive: int64('First epoch second at which it is valid.', 0),
  endDateEpochSecExclusive: int64('First epoch second at which it is no longer valid.', 0),
  lastUsedAtMillis: int64('When it was last used, epoch milliseconds.', 0),
  lastUsedAccessControlledDoorUuid: ruuid('The door it was last used at.'),
  lastUsedLocationUuid: ruuid('The location it was last used at.'),
} satisfies Record<keyof CredentialFields, TSchema>;

const CREDENTIAL_SCHEMA = namedType('AccessControlCredential', {
  uuid: ruuid('The credential.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(CREDENTIAL_TYPES, 'Its type.'),
  value: plainText('The card serial number as reported.'),
  lowercaseHexValue: plainText('The same in hexadecimal digits, without separators.'),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(CREDENTIAL_FIELDS),
});

function credentialResponse(credential: Credential): Static<typeof CREDENTIAL_SCHEMA> {
  const value = credential.secret?.reveal() ?? '';
  return {
    uuid: credential.uuid,
    orgUuid: credential.orgUuid,
    type: credential.body.type,
    value,
    lowercaseHexValue: lowercaseHex(value),
    createdAtMillis: credential.createdAtMs,
    updatedAtMillis: credential.updatedAtMs,
    ...responseFields(CREDENTIAL_FIELDS, credential.body),
  };
}

export const EXAMPLE_CREDENTIAL_UUID = deriveRuuid('example', 'credential');

const EXAMPLE_CREDENTIAL: Static<typeof CREDENTIAL_SCHEMA> = {
  uuid: EXAMPLE_CREDENTIAL_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  type: 'STANDARD_CSN',
  value: '04:A2:3B:C1',
  lowercaseHexValue: '04a23bc1',
  createdAtMillis: EXAMPLE_TIME_MS,
  updatedAtMillis: EXAMPLE_TIME_MS,
  ...responseFields(CREDENTIAL_FIELDS, { workflowStatus: 'ACTIVE' }),
};

const getStandardCsnCredentialDetails = defineEndpoint({
  path: '/api/accesscontrol/getStandardCsnCredentialDetails',
  summary: 'Reads a credential that is a card serial number.',
  description: 'Credentials are created by reports. A credential of another type is not found here.',
  request: Type.Object({ credentialUuid: ruuid('The credential.') }),
  response: { credential: CREDENTIAL_SCHEMA },
  example: {
    request: { credentialUuid: EXAMPLE_CREDENTIAL_UUID },
    response: { credential: EXAMPLE_CREDENTIAL },
  },
  async handler({ orgUuid, services }, { credentialUuid }) {
    const found = await services.accessControl.credentials.findStandardCsn(orgUuid, credentialUuid);
    return { credential: credentialResponse(found) };
  },
});

const MAX_FILTER_ENTRIES = 500;

const uuidFilter = (of: string) =>
  Type.Optional(listOf(ruuid(of), `Only credentials last used there.`, MAX_FILTER_ENTRIES));

const FILTER = Type.Object({
  credTypeFilter: Type.Optional(
    listOf(oneOf(CREDENTIAL_TYPES, 'Type.'), 'Only credentials of these types.', CREDENTIAL_TYPES.length),
  ),
  workflowStatusFilter: Type.Optional(
    listOf(
      oneOf(WORKFLOW_STATUSES, 'Status.'),
      'Only credentials in these states.',
      WORKFLOW_STATUSES.length,
    ),
  ),
  lastUsedAccessControlledDoorUuidFilter: uuidFilter('Door.'),
  lastUsedLocationUuidFilter: uuidFilter('Location.'),
  lastUsedAfterFilter: Type.Optional(
    int64('Only credentials last used at or after this time, epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  lastUsedBeforeFilter: Type.Optional(
    int64('Only credentials last used before this time, epoch milliseconds.', 0, MAX_TIME_MS),
  ),
});

const findAccessControlCredentialByUser = defineEndpoint({
  path: '/api/accesscontrol/findAccessControlCredentialByUser',
  summary: 'Lists the credentials of a user.',
  description:
    'Those that were reported with this `userUuid` (`/api/ingest/credentials`), of every type. Conditions of `filter` combine. ' +
    'Users are those of the system that reports, so an unknown one has no credentials.',
  request: Type.Object({ userUuid: ruuid('The user.'), filter: Type.Optional(FILTER) }),
  response: { credentials: listOf(CREDENTIAL_SCHEMA, 'The credentials.') },
  example: {
    request: { userUuid: deriveRuuid('example', 'user'), filter: { workflowStatusFilter: ['ACTIVE'] } },
    response: { credentials: [EXAMPLE_CREDENTIAL] },
  },
  async handler({ orgUuid, services }, { userUuid, filter = {} }) {
    const types = filter.credTypeFilter;
    const states = filter.workflowStatusFilter;
    const doors = filter.lastUsedAccessControlledDoorUuidFilter;
    const locations = filter.lastUsedLocationUuidFilter;
    const { lastUsedAfterFilter: fromMs, lastUsedBeforeFilter: toMs } = filter;
    const found = await services.accessControl.credentials.listOfUser(orgUuid, userUuid, (body) => {
      const { lastUsedAtMillis: usedAtMs, lastUsedLocationUuid: locationUuid } = body;
      const { workflowStatus: status, lastUsedAccessControlledDoorUuid: doorUuid } = body;
      return (
        (types?.includes(body.type) ?? true) &&
        (states === undefined || (status !== undefined && states.includes(status))) &&
        (doors === undefined || (doorUuid !== undefined && doors.includes(doorUuid))) &&
        (locations === undefined || (locationUuid !== undefined && locations.includes(locationUuid))) &&
        (fromMs === undefined || (usedAtMs !== undefined && usedAtMs >= fromMs)) &&
        (toMs === undefined || (usedAtMs !== undefined && usedAtMs < toMs))
      );
    });
    return { credentials: found.map(credentialResponse) };
  },
});

const MAX_ENTRIES = 1_000;

const uuids = (one: string, all: string) => listOf(ruuid(one), all, MAX_ENTRIES);

/** Fields of a report besides name and location. */
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

/** Location access revocations, as reported and as returned. */
const REVOCATION_SCHEMA = namedType('LocationAccessRevocation', {
  uuid: ruuid('The revocation.'),
  orgUuid: ruuid('Its organization.'),
  locationUuid: nullable(ruuid('The location.')),
  name: text('Its name.', MAX_NAME_LENGTH),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(REVOCATION_FIELDS),
});

function revocationResponse(revocation: AccessRevocation): Static<typeof REVOCATION_SCHEMA> {
  return {
    uuid: revocation.uuid,
    orgUuid: revocation.orgUuid,
    locationUuid: revocation.parentUuid,
    name: revocation.name,
    createdAtMillis: revocation.createdAtMs,
    updatedAtMillis: revocation.updatedAtMs,
    ...responseFields(REVOCATION_FIELDS, revocation.body),
  };
}

const EXAMPLE_REVOCATION: Static<typeof REVOCATION_SCHEMA> = revocationResponse({
  uuid: deriveRuuid('example', 'access revocation') as Ruuid,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Contractors at night',
  parentUuid: EXAMPLE_LOCATION_UUID,
  body: { groupUuids: [deriveRuuid('example', 'group')] },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
});

const findLocationAccessRevocationsByOrg = defineEndpoint({
  path: '/api/accesscontrol/findLocationAccessRevocationsByOrg',
  summary: 'Lists the access revocations of the organization.',
  description: 'Revocations are created by reports. The first one reported comes first.',
  request: Type.Object({}),
  response: { accessRevocations: listOf(REVOCATION_SCHEMA, 'The revocations.') },
  example: { request: {}, response: { accessRevocations: [EXAMPLE_REVOCATION] } },
  async handler({ orgUuid, services }) {
    const revocations = await services.accessControl.credentials.listRevocations(orgUuid);
    return { accessRevocations: LongList.of(revocations).map(revocationResponse) };
  },
});

export const CREDENTIAL_ENDPOINTS: readonly Endpoint[] = [
  getStandardCsnCredentialDetails,
  findAccessControlCredentialByUser,
  findLocationAccessRevocationsByOrg,
];
