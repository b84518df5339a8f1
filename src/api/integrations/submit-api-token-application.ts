/** POST /api/integrations/org/submitApiTokenApplication: a new API key. */

import { Type } from 'typebox';
import { flag } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import {
  checkAuthType,
  EXAMPLE_API_KEY,
  SUBMITTED_TOKEN_PROPERTIES,
  TOKEN_APPLICATION_PROPERTIES,
} from './api-token-type.ts';

export const submitApiTokenApplication = defineEndpoint({
  path: '/api/integrations/org/submitApiTokenApplication',
  summary: 'Makes an API key for the organisation.',
  description:
    'The key works with `x-auth-scheme: api-token` and is shown this once. An application may ask for one with its ' +
    'OAuth access token (`x-auth-scheme: api-oauth-token`, `x-auth-access-token`); the key outlives the token and is ' +
    'revoked by `/api/integrations/org/revokeApiToken`.',
  request: Type.Object({
    ...TOKEN_APPLICATION_PROPERTIES,
    reportsOnly: Type.Optional(
      flag(
        'True: a key for devices, which may report (`/api/ingest/`) and nothing else. An addition of Sluice.',
      ),
    ),
  }),
  response: SUBMITTED_TOKEN_PROPERTIES,
  example: {
    request: { displayName: 'Video wall', authType: 'API_TOKEN' },
    response: { apiKey: EXAMPLE_API_KEY, cert: null, validCSR: null },
  },
  async handler({ orgUuid, services }, { displayName, authType, reportsOnly = false }) {
    checkAuthType(authType);
    const key = await services.apiTokens.create(orgUuid, displayName, reportsOnly ? 'device' : 'api');
    return { apiKey: key.reveal(), cert: null, validCSR: null };
  },
});
