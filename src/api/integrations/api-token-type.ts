/** The ApiToken type of the API, and what its submission and its list have in common. */

import { type Static, Type } from 'typebox';
import { API_CLIENT_TYPES, clientTypeOf } from '../../accounts/api-client-type.ts';
import { GatewayError } from '../../core/errors.ts';
import { API_ERRORS } from '../../http/errors.ts';
import {
  flag,
  int32,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import type { ApiKey } from '../../store/entities.ts';
import { ROLES } from '../../store/person.ts';

const AUTH_TYPES = ['API_TOKEN', 'CERT'] as const;

/** The longest certificate request that is read; none is accepted. */
const MAX_CSR_LENGTH = 16_384;

export const API_TOKEN_SCHEMA = namedType('ApiToken', {
  tokenUuid: ruuid('The token; the key itself is not stored.'),
  orgUuid: ruuid('Its organization.'),
  displayName: plainText('What it is for.'),
  clientType: oneOf(
    API_CLIENT_TYPES,
    'DEVELOPER: acts for its organization. PARTNER_DEVELOPER: acts for client organizations. EXECUTABLE: only ' +
      'reports.',
  ),
  role: nullable(
    oneOf(
      ROLES,
      'What it can do: `viewer` reads and watches, `operator` also changes shares, clips, schedules, walls and alerts, ' +
        '`admin` everything. Absent: it only reports. Specific to Sluice.',
    ),
  ),
  authType: oneOf(AUTH_TYPES, 'Always API_TOKEN.'),
  authenticationTokenHash: plainText('SHA-256 of the key, as hex.'),
  hashed: flag('Always true: the key is stored as its hash.'),
  allowedRequetsPerSecond: int32(
    'Requests per second that the organization can make with all its keys together.',
  ),
  permissionGroupUuid: nullable(ruuid('Always absent: `role` says what a key can do.')),
  clientDetails: mapOf(plainText('Value.'), 'Always empty.'),
  cert: nullable(plainText('Always absent: client certificates are not supported.')),
  certFingerprint: nullable(plainText('Always absent.')),
  csr: nullable(plainText('Always absent.')),
});

export function apiTokenAnswer(key: ApiKey, requestsPerSec: number): Static<typeof API_TOKEN_SCHEMA> {
  return {
    tokenUuid: key.uuid,
    orgUuid: key.orgUuid,
    displayName: key.name,
    clientType: clientTypeOf(key),
    role: key.scheme === 'device' ? null : key.role,
    authType: 'API_TOKEN',
    authenticationTokenHash: key.keyHash,
    hashed: true,
    allowedRequetsPerSecond: Math.max(1, Math.floor(requestsPerSec)),
    permissionGroupUuid: null,
    clientDetails: {},
    cert: null,
    certFingerprint: null,
    csr: null,
  };
}

/** The fields of both submissions. */
export const TOKEN_APPLICATION_PROPERTIES = {
  displayName: text('What the token is for.', MAX_NAME_LENGTH),
  authType: Type.Optional(oneOf(AUTH_TYPES, 'API_TOKEN, which is the default; CERT is refused.')),
  csr: Type.Optional(
    ignored(text('A certificate request.', MAX_CSR_LENGTH), 'client certificates are not supported'),
  ),
};

/** The response to both submissions. */
export const SUBMITTED_TOKEN_PROPERTIES = {
  apiKey: plainText('The key, shown only once.'),
  cert: nullable(plainText('Always absent: client certificates are not supported.')),
  validCSR: nullable(flag('Always absent.')),
};

export const EXAMPLE_API_KEY = 'slc_THE-KEY-SHOWN-THIS-ONCE';

/** Fails CLIENT_CERTIFICATES_NOT_OFFERED. */
export function checkAuthType(authType: (typeof AUTH_TYPES)[number] | undefined): void {
  if (authType === 'CERT') throw new GatewayError(API_ERRORS.CLIENT_CERTIFICATES_NOT_OFFERED);
}
