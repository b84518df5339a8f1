/** POST /api/org/updateDetails: changes the details of an organization. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_NAME_LENGTH, text } from '../../http/fields/field-types.ts';

export const updateOrgDetails = defineEndpoint({
  path: '/api/org/updateDetails',
  isExtension: true,
  summary: 'Changes the details of the organization that the API key acts for.',
  description:
    'With a partner key and `x-auth-org` this is the client organization. Absent fields stay as they are.',
  repetition: 'same-outcome',
  request: Type.Object({ name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)) }),
  response: {},
  example: { request: { name: 'Main street stores' }, response: {} },
  async handler({ orgUuid, services }, { name }) {
    await services.organizations.rename(orgUuid, name);
    return {};
  },
});
