/** POST /api/integrations/org/submitApiTokenApplication: a new API key. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, oneOf } from '../../http/fields/field-types.ts';
import { ROLES } from '../../store/person.ts';
import {
  checkAuthType,
  EXAMPLE_API_KEY,
  SUBMITTED_TOKEN_PROPERTIES,
  TOKEN_APPLICATION_PROPERTIES,
} from './api-token-type.ts';

export const submitApiTokenApplication = defineEndpoint({
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
  }),
  response: SUBMITTED_TOKEN_PROPERTIES,
  example: {
    request: { displayName: 'Video wall', authType: 'API_TOKEN' },
    response: { apiKey: EXAMPLE_API_KEY, cert: null, validCSR: null },
  },
  async handler({ orgUuid, services }, { displayName, authType, reportsOnly = false, role }) {
    checkAuthType(authType);
    const key = await services.apiTokens.create(orgUuid, displayName, reportsOnly ? 'device' : 'api', role);
    return { apiKey: key.reveal(), cert: null, validCSR: null };
  },
});
