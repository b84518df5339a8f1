/** POST /api/oauth/revokeGrant: ends an application's access to the organization. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_GRANT_UUID } from '../types/examples.ts';

export const revokeGrant = defineEndpoint({
  path: '/api/oauth/revokeGrant',
  isExtension: true,
  summary: 'Ends the access that an application was granted.',
  description: 'It ends right away, with all of its tokens.',
  repetition: 'same-outcome',
  request: Type.Object({ grantUuid: ruuid('The grant’s `grantUuid` from `getAllGrantsForOrg`.') }),
  response: {},
  example: { request: { grantUuid: EXAMPLE_GRANT_UUID }, response: {} },
  async handler({ orgUuid, services }, { grantUuid }) {
    await services.oauthGrants.remove(orgUuid, grantUuid);
    return {};
  },
});
