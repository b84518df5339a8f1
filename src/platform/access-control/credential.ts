/**
 * Credentials that open doors (docs/spec/rules.md#credentials-and-revocations), and revocations of access to locations,
 * as stored.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';

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
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** Fields of a report besides the credential's type and value. */
export interface CredentialFields {
  readonly userUuid?: Ruuid;
  readonly managedCredUuid?: Ruuid;
  readonly note?: string;
  readonly workflowStatus?: 'ACTIVE' | 'UNASSIGNED' | 'SUSPENDED' | 'REVOKED';
  readonly startDateEpochSecInclusive?: number;
  readonly endDateEpochSecExclusive?: number;
  readonly lastUsedAtMillis?: number;
  readonly lastUsedAccessControlledDoorUuid?: Ruuid;
  readonly lastUsedLocationUuid?: Ruuid;
}

/** The card serial number opens doors: it is the resource's secret. */
export interface CredentialBody extends CredentialFields {
  readonly type: CredentialType;
}

export const CREDENTIALS: ResourceKind<CredentialBody> = resourceKind('credential');
export type Credential = Resource<CredentialBody>;

/** Readers write serial numbers as `04:A2:3B`, `04-A2-3B` or `0x04A23B`. */
export function isSerialNumber(value: string): boolean {
  return /^(?:0x)?[0-9A-Fa-f]{2}(?:[:\- ]?[0-9A-Fa-f]{2}){0,31}$/.test(value);
}

/** A serial number in hexadecimal digits only. */
export function lowercaseHex(value: string): string {
  return value
    .replace(/^0x/i, '')
    .replace(/[:\- ]/g, '')
    .toLowerCase();
}

/** A revocation of access to a location. The name is the resource's, the location its parent. */
export interface RevocationBody {
  readonly scheduleUuid?: Ruuid;
  readonly sortKey?: string;
  readonly storedInS3?: boolean;
  readonly accessControlledDoorUuids?: readonly Ruuid[];
  readonly accessControlledElevatorLandingUuids?: readonly Ruuid[];
  readonly doorLabelIds?: readonly string[];
  readonly groupUuids?: readonly Ruuid[];
  readonly userUuids?: readonly Ruuid[];
}

export const ACCESS_REVOCATIONS: ResourceKind<RevocationBody> = resourceKind('accessRevocation');
export type AccessRevocation = Resource<RevocationBody>;
