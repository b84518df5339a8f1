/** POST /api/accesscontrol/findLocationAccessRevocationsByOrg: who cannot enter which location. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_REVOCATION, REVOCATION_SCHEMA, revocationAnswer } from './access-revocation-type.ts';

export const findLocationAccessRevocationsByOrg = defineEndpoint({
  path: '/api/accesscontrol/findLocationAccessRevocationsByOrg',
  summary: 'Lists the access revocations of the organization.',
  description: 'Revocations are created by reports. The first one reported comes first.',
  request: Type.Object({}),
  response: { accessRevocations: listOf(REVOCATION_SCHEMA, 'The revocations.') },
  example: { request: {}, response: { accessRevocations: [EXAMPLE_REVOCATION] } },
  async handler({ orgUuid, services }) {
    const revocations = await services.accessControl.credentials.listRevocations(orgUuid);
    return { accessRevocations: LongList.of(revocations).map(revocationAnswer) };
  },
});
