/** POST /api/integrations/org/revokeApiToken: revokes an API key. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_TOKEN_UUID } from '../types/examples.ts';

export const revokeApiToken = defineEndpoint({
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
