/** POST /api/oauth/getAllGrantsForOrg: which applications can act for the organization. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CLIENT_ID,
  EXAMPLE_GRANT_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TOKEN_UUID,
} from '../types/examples.ts';

const OAUTH_GRANT_SCHEMA = namedType('OAuthGrant', {
  grantUuid: ruuid('The grant.'),
  clientId: ruuid('The application that received it.'),
  tokenUuid: ruuid('The API key that granted it. It ends with that key.'),
  createdAtMillis: int64('When it was granted, epoch milliseconds.'),
});

export const getAllGrantsForOrg = defineEndpoint({
  path: '/api/oauth/getAllGrantsForOrg',
  isExtension: true,
  summary: 'Lists the applications’ grants of access to the organization.',
  description:
    'In the order in which they were granted. Grants whose codes were never exchanged, or whose tokens have all ' +
    'expired, are left out.',
  request: Type.Object({}),
  response: { grants: listOf(OAUTH_GRANT_SCHEMA, 'The grants.') },
  example: {
    request: {},
    response: {
      grants: [
        {
          grantUuid: EXAMPLE_GRANT_UUID,
          clientId: EXAMPLE_CLIENT_ID,
          tokenUuid: EXAMPLE_TOKEN_UUID,
          createdAtMillis: EXAMPLE_TIME_MS,
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const grants = await services.oauthGrants.list(orgUuid);
    return {
      grants: LongList.of(grants).map((grant) => ({
        grantUuid: grant.uuid,
        clientId: grant.clientUuid,
        tokenUuid: grant.keyUuid,
        createdAtMillis: grant.createdAtMs,
      })),
    };
  },
});
