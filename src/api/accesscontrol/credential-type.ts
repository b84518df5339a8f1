/** Credentials that open doors (spec, "Standard CSN credential"): as they are reported, kept and answered. */

import type { Static } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { answeredFields, type GivenFields, nullableFields } from '../base/field-groups.ts';
import { int64, namedType, oneOf, plainText, ruuid, text } from '../base/field-types.ts';

const MAX_NOTE_LENGTH = 4_096;

export const CREDENTIAL_TYPES = [
  'STANDARD_CSN',
  'PIN_CODE',
  'WIEGAND_H10301',
  'WIEGAND_H10304',
  'WIEGAND_D10202',
  'WIEGAND_64BIT_RAW',
  'HID_CORP1000_STD_35',
  'HID_CORP1000_STD_48',
  'CUSTOM',
] as const;

/** What a report says besides the credential's type and value. */
export const CREDENTIAL_FIELDS = {
  userUuid: ruuid('Whose it is.'),
  managedCredUuid: ruuid('The managed credential it belongs to.'),
  note: text('A note.', MAX_NOTE_LENGTH),
  workflowStatus: oneOf(['ACTIVE', 'UNASSIGNED', 'SUSPENDED', 'REVOKED'], 'Where it stands.'),
  startDateEpochSecInclusive: int64('First epoch second at which it counts.', 0),
  endDateEpochSecExclusive: int64('First epoch second at which it no longer counts.', 0),
  lastUsedAtMillis: int64('When it was last used, epoch milliseconds.', 0),
  lastUsedAccessControlledDoorUuid: ruuid('The door it was last used at.'),
  lastUsedLocationUuid: ruuid('The location it was last used at.'),
};

/** The card serial number opens doors: it is the resource's secret. */
export interface CredentialBody extends GivenFields<typeof CREDENTIAL_FIELDS> {
  readonly type: (typeof CREDENTIAL_TYPES)[number];
}

export const CREDENTIALS: ResourceKind<CredentialBody> = resourceKind('credential');
export type Credential = Resource<CredentialBody>;

export const CREDENTIAL_SCHEMA = namedType('AccessControlCredential', {
  uuid: ruuid('The credential.'),
  orgUuid: ruuid('Its organisation.'),
  type: oneOf(CREDENTIAL_TYPES, 'What it is.'),
  value: plainText('The card serial number as it was reported.'),
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

/** Readers write serial numbers as `04:A2:3B`, `04-A2-3B` or `0x04A23B`. */
export function isSerialNumber(value: string): boolean {
  return /^(?:0x)?[0-9A-Fa-f]{2}(?:[:\- ]?[0-9A-Fa-f]{2}){0,31}$/.test(value);
}

function lowercaseHex(value: string): string {
  return value
    .replace(/^0x/i, '')
    .replace(/[:\- ]/g, '')
    .toLowerCase();
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
