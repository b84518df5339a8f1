/** POST /api/integrations/org/revokeApiToken: the end of an API key. */

import { Type } from 'typebox';
import { ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_TOKEN_UUID } from '../types/examples.ts';

export const revokeApiToken = defineEndpoint({
  path: '/api/integrations/org/revokeApiToken',
  summary: 'Revokes an API key.',
  description:
    'At once and for good, together with the OAuth access that it granted. A key may revoke itself; when it was the ' +
    'last, `sluice keys make` makes a new one.',
  request: Type.Object({ tokenUuid: ruuid('The key, as `getApiTokens` names it.') }),
  response: {},
  example: { request: { tokenUuid: EXAMPLE_TOKEN_UUID }, response: {} },
  async handler({ orgUuid, services }, { tokenUuid }) {
    await services.apiTokens.revoke(orgUuid, tokenUuid);
    return {};
  },
});
