/** API tokens of the organization and of partners. */

import { type Static, Type } from 'typebox';
import { API_CLIENT_TYPES, clientTypeOf } from '../../accounts/api-client-type.ts';
import { creatorOf } from '../../accounts/caller.ts';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { API_ERRORS } from '../../http/errors.ts';
import {
  flag,
  int32,
  int64,
  listOf,
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
import { invalidField } from '../../http/request-body.ts';
import type { ApiKey } from '../../store/entities.ts';
import { ROLES } from '../../store/person.ts';
import {
  SCOPE_CHANGE,
  SHOWN_SCOPE,
  scopeChange,
  scopeResponse,
  WANTED_SCOPE,
  wantedScope,
} from '../types/access-scope-fields.ts';
import { changes } from '../types/changes.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS, EXAMPLE_TOKEN_UUID } from '../types/examples.ts';

const AUTH_TYPES = ['API_TOKEN', 'CERT'] as const;

const MS_PER_SEC = 1_000;

/** The longest certificate request that is read; none is accepted. */
const MAX_CSR_LENGTH = 16_384;

const API_TOKEN_SCHEMA = namedType('ApiToken', {
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
  scope: SHOWN_SCOPE,
  timestampMs: int64('When it was created, epoch milliseconds. Specific to Sluice.'),
  expirationTime: nullable(
    int64('The first epoch second at which it does not work; absent: it does not end. Specific to Sluice.'),
  ),
  lastUsedMs: nullable(
    int64(
      'When it, or what rests on it, was last used, epoch milliseconds, to a minute; absent: not since `usesNotedSinceMs`. Specific to Sluice.',
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

function apiTokenResponse(
  key: ApiKey,
  requestsPerSec: number,
  lastUsedMs: number | null,
): Static<typeof API_TOKEN_SCHEMA> {
  return {
    tokenUuid: key.uuid,
    orgUuid: key.orgUuid,
    displayName: key.name,
    clientType: clientTypeOf(key),
    role: key.scheme === 'device' ? null : key.role,
    scope: scopeResponse(key.scope),
    timestampMs: key.createdAtMs,
    expirationTime: key.expiresAtMs === null ? null : Math.floor(key.expiresAtMs / MS_PER_SEC),
    lastUsedMs,
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

const EXPIRATION = int32(
  'When the key ends: values below 1,000,000,000 are seconds from now, others epoch seconds. If absent, it does not ' +
    'end. Specific to Sluice.',
);
const END_CHANGE = changes({ expirationTimeSecs: Type.Optional(EXPIRATION) });

/** The fields of both submissions. */
const TOKEN_APPLICATION_PROPERTIES = {
  displayName: text('What the token is for.', MAX_NAME_LENGTH),
  authType: Type.Optional(oneOf(AUTH_TYPES, 'API_TOKEN, which is the default; CERT is refused.')),
  csr: Type.Optional(
    ignored(text('A certificate request.', MAX_CSR_LENGTH), 'client certificates are not supported'),
  ),
};

/** The response to both submissions. */
const SUBMITTED_TOKEN_PROPERTIES = {
  apiKey: plainText('The key, shown only once.'),
  cert: nullable(plainText('Always absent: client certificates are not supported.')),
  validCSR: nullable(flag('Always absent.')),
};

const EXAMPLE_API_KEY = 'slc_THE-KEY-SHOWN-THIS-ONCE';

/** Fails CLIENT_CERTIFICATES_NOT_OFFERED. */
function checkAuthType(authType: (typeof AUTH_TYPES)[number] | undefined): void {
  if (authType === 'CERT') throw new GatewayError(API_ERRORS.CLIENT_CERTIFICATES_NOT_OFFERED);
}

const EXAMPLE_KEY: ApiKey = {
  uuid: EXAMPLE_TOKEN_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Video wall',
  scheme: 'api',
  role: 'admin',
  scope: null,
  keyHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  createdAtMs: EXAMPLE_TIME_MS,
  createdByUuid: null,
  revokedAtMs: null,
  expiresAtMs: null,
};

const validateToken = defineEndpoint({
  path: '/api/integrations/validateToken',
  summary: 'Checks whether the API key works.',
  description: 'Returns an empty envelope if the key works, and 401 otherwise.',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  handler: async () => ({}),
});

const getApiTokens = defineEndpoint({
  path: '/api/integrations/org/getApiTokens',
  summary: 'Lists the active API keys of the organization.',
  description: 'In the order of their creation. Expired keys are included, revoked keys are left out.',
  request: Type.Object({
    optionalFilter: Type.Optional(
      listOf(oneOf(API_CLIENT_TYPES, 'A kind of client.'), 'Only keys of these kinds; all if absent.', 100),
    ),
  }),
  response: {
    apiTokens: listOf(API_TOKEN_SCHEMA, 'The keys, without the keys’ text.'),
    usesNotedSinceMs: int64('Uses before that are not known, epoch milliseconds. Specific to Sluice.'),
  },
  example: {
    request: { optionalFilter: ['DEVELOPER'] },
    response: {
      apiTokens: [apiTokenResponse(EXAMPLE_KEY, 50, EXAMPLE_TIME_MS)],
      usesNotedSinceMs: EXAMPLE_TIME_MS,
    },
  },
  async handler({ orgUuid, services }, { optionalFilter }) {
    const { apiTokens } = services;
    const keys = await apiTokens.list(orgUuid, optionalFilter);
    const uses = await apiTokens.lastUses(orgUuid);
    return {
      usesNotedSinceMs: uses.sinceMs,
      apiTokens: LongList.of(keys).map((key) =>
        apiTokenResponse(key, apiTokens.requestsPerSec, uses.lastMs.get(key.uuid) ?? null),
      ),
    };
  },
});

const submitApiTokenApplication = defineEndpoint({
  path: '/api/integrations/org/submitApiTokenApplication',
  summary: 'Creates an API key for the organization.',
  description:
    'The key works with `x-auth-scheme: api-token` and is shown only once. An application can request one with its ' +
    'OAuth access token (`x-auth-scheme: api-oauth-token`, `x-auth-access-token`). The key outlives the token; ' +
    '`/api/integrations/org/revokeApiToken` revokes it.',
  repetition: 'once',
  request: Type.Object({
    ...TOKEN_APPLICATION_PROPERTIES,
    reportsOnly: Type.Optional(
      flag(
        'True: a key for devices, which can only report (`/api/ingest/`) and hand over clips (`/upload/clips`). Specific to Sluice.',
      ),
    ),
    role: Type.Optional(
      oneOf(
        ROLES,
        'What the key can do: `viewer` reads and watches, `operator` also changes shares, clips, schedules, walls and ' +
          'alerts, `admin`, the default, everything. Specific to Sluice.',
      ),
    ),
    scope: WANTED_SCOPE,
    expirationTimeSecs: Type.Optional(EXPIRATION),
  }),
  response: SUBMITTED_TOKEN_PROPERTIES,
  example: {
    request: { displayName: 'Video wall', authType: 'API_TOKEN' },
    response: { apiKey: EXAMPLE_API_KEY, cert: null, validCSR: null },
  },
  async handler({ orgUuid, caller, services }, body) {
    const { displayName, authType, reportsOnly = false, role, scope, expirationTimeSecs = null } = body;
    checkAuthType(authType);
    const key = await services.apiTokens.create(orgUuid, displayName, reportsOnly ? 'device' : 'api', {
      role,
      scope: wantedScope(scope),
      expirationTimeSecs,
      createdByUuid: creatorOf(caller),
    });
    return { apiKey: key.reveal(), cert: null, validCSR: null };
  },
});

const submitPartnerApiTokenApplication = defineEndpoint({
  path: '/api/partner/submitApiTokenApplication',
  scheme: 'partner-api',
  summary: 'Creates a partner API key.',
  description:
    "The key works with `x-auth-scheme: partner-api-token`, acts for the partner's client organizations and is shown " +
    'only once. `x-auth-org` must name the partner itself or be absent: a client organization has no partner keys.',
  repetition: 'once',
  request: Type.Object(TOKEN_APPLICATION_PROPERTIES),
  response: SUBMITTED_TOKEN_PROPERTIES,
  example: {
    request: { displayName: 'License audit', authType: 'API_TOKEN' },
    response: { apiKey: EXAMPLE_API_KEY, cert: null, validCSR: null },
  },
  async handler({ caller, orgUuid, services }, { displayName, authType }) {
    if (orgUuid !== caller.actor.orgUuid) {
      throw invalidField('x-auth-org must be absent: a client organization has no partner keys.');
    }
    checkAuthType(authType);
    const key = await services.apiTokens.create(orgUuid, displayName, 'partner-api');
    return { apiKey: key.reveal(), cert: null, validCSR: null };
  },
});

const updateApiToken = defineEndpoint({
  path: '/api/integrations/org/updateApiToken',
  summary: 'Changes what an API key can do.',
  description:
    'Fields that are absent stay as they are. The change applies to the next request with the key, and to the views and ' +
    'applications that rest on it. Keys of partners and keys that only report have no role, but they can end. An expired key ' +
    'works again if its end moves into the future.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    tokenUuid: ruuid('The key’s `tokenUuid` from `getApiTokens`.'),
    role: Type.Optional(oneOf(ROLES, 'What the key can do.')),
    ...SCOPE_CHANGE,
    ...END_CHANGE.properties,
  }),
  response: { apiToken: API_TOKEN_SCHEMA },
  // Clients try examples with their own key.
  example: {
    request: { tokenUuid: EXAMPLE_TOKEN_UUID, role: 'admin', scopeUpdated: true },
    response: { apiToken: apiTokenResponse(EXAMPLE_KEY, 50, EXAMPLE_TIME_MS) },
  },
  async handler({ orgUuid, services: { apiTokens } }, body) {
    const { tokenUuid, role, scope, scopeUpdated } = body;
    const limited = scopeChange({ scope, scopeUpdated });
    const { expirationTimeSecs } = END_CHANGE.applied(body);
    const key = await apiTokens.update(orgUuid, tokenUuid, { role, scope: limited, expirationTimeSecs });
    const uses = await apiTokens.lastUses(orgUuid);
    return { apiToken: apiTokenResponse(key, apiTokens.requestsPerSec, uses.lastMs.get(key.uuid) ?? null) };
  },
});

const revokeApiToken = defineEndpoint({
  path: '/api/integrations/org/revokeApiToken',
  summary: 'Revokes an API key.',
  description:
    'It stops working right away and permanently, and so does the OAuth access that it granted. A key can revoke ' +
    'itself; if it was the last one, `sluice keys make` makes a new one.',
  repetition: 'same-outcome',
  request: Type.Object({ tokenUuid: ruuid('The key’s `tokenUuid` from `getApiTokens`.') }),
  response: {},
  example: { request: { tokenUuid: EXAMPLE_TOKEN_UUID }, response: {} },
  async handler({ orgUuid, services }, { tokenUuid }) {
    await services.apiTokens.revoke(orgUuid, tokenUuid);
    return {};
  },
});

export const API_TOKEN_ENDPOINTS: readonly Endpoint[] = [
  validateToken,
  getApiTokens,
  submitApiTokenApplication,
  submitPartnerApiTokenApplication,
  updateApiToken,
  revokeApiToken,
];
