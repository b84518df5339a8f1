/** POST /api/integrations/org/getApiTokens: the API keys of the organization. */

import { Type } from 'typebox';
import { API_CLIENT_TYPES } from '../../accounts/api-client-type.ts';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, oneOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS, EXAMPLE_TOKEN_UUID } from '../types/examples.ts';
import { API_TOKEN_SCHEMA, apiTokenAnswer } from './api-token-type.ts';

export const getApiTokens = defineEndpoint({
  path: '/api/integrations/org/getApiTokens',
  summary: 'Lists the active API keys of the organization.',
  description: 'In the order of their creation. Revoked keys are left out.',
  request: Type.Object({
    optionalFilter: Type.Optional(
      listOf(oneOf(API_CLIENT_TYPES, 'A kind of client.'), 'Only keys of these kinds; all if absent.', 100),
    ),
  }),
  response: { apiTokens: listOf(API_TOKEN_SCHEMA, 'The keys, without the keys’ text.') },
  example: {
    request: { optionalFilter: ['DEVELOPER'] },
    response: {
      apiTokens: [
        apiTokenAnswer(
          {
            uuid: EXAMPLE_TOKEN_UUID,
            orgUuid: EXAMPLE_ORG_UUID,
            name: 'Video wall',
            scheme: 'api',
            role: 'admin',
            keyHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
            createdAtMs: EXAMPLE_TIME_MS,
            revokedAtMs: null,
          },
          50,
        ),
      ],
    },
  },
  async handler({ orgUuid, services }, { optionalFilter }) {
    const { apiTokens } = services;
    const keys = await apiTokens.list(orgUuid, optionalFilter);
    return { apiTokens: LongList.of(keys).map((key) => apiTokenAnswer(key, apiTokens.requestsPerSec)) };
  },
});
