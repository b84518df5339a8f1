/** Credentials that open doors (docs/spec/rules.md#credentials-and-revocations): as reported and as returned. */

import type { Static, TSchema } from 'typebox';
import {
  CREDENTIAL_TYPES,
  type Credential,
  type CredentialFields,
  lowercaseHex,
} from '../../access-control/credential.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { answeredFields, nullableFields } from '../../http/fields/field-groups.ts';
import { int64, namedType, oneOf, plainText, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

export const WORKFLOW_STATUSES = ['ACTIVE', 'UNASSIGNED', 'SUSPENDED', 'REVOKED'] as const;
const MAX_NOTE_LENGTH = 4_096;

/** What a report contains besides the credential's type and value. */
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

export const CREDENTIAL_SCHEMA = namedType('AccessControlCredential', {
  uuid: ruuid('The credential.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(CREDENTIAL_TYPES, 'Its type.'),
  value: plainText('The card serial number as reported.'),
  lowercaseHexValue: plainText('The same in hexadecimal digits, without separators.'),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(CREDENTIAL_FIELDS),
});

export function credentialAnswer(credential: Credential): Static<typeof CREDENTIAL_SCHEMA> {
  const value = credential.secret?.reveal() ?? '';
  return {
    uuid: credential.uuid,
    orgUuid: credential.orgUuid,
    type: credential.body.type,
    value,
    lowercaseHexValue: lowercaseHex(value),
    createdAtMillis: credential.createdAtMs,
    updatedAtMillis: credential.updatedAtMs,
    ...answeredFields(CREDENTIAL_FIELDS, credential.body),
  };
}

export const EXAMPLE_CREDENTIAL_UUID = deriveRuuid('example', 'credential');

export const EXAMPLE_CREDENTIAL: Static<typeof CREDENTIAL_SCHEMA> = {
  uuid: EXAMPLE_CREDENTIAL_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  type: 'STANDARD_CSN',
  value: '04:A2:3B:C1',
  lowercaseHexValue: '04a23bc1',
  createdAtMillis: EXAMPLE_TIME_MS,
  updatedAtMillis: EXAMPLE_TIME_MS,
  ...answeredFields(CREDENTIAL_FIELDS, { workflowStatus: 'ACTIVE' }),
};
