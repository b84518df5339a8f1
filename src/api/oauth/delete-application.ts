/** POST /api/oauth/deleteApplication: removes an OAuth application. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIENT_ID } from '../types/examples.ts';
import { APPLICATION_DETAIL_PROPERTIES } from './oauth-application-type.ts';

export const deleteApplication = defineEndpoint({
  path: '/api/oauth/deleteApplication',
  summary: 'Removes an OAuth application.',
  description:
    'Its access ends right away in every organization that granted it. Only `clientId` matters; the other fields are ' +
    'accepted because existing clients send them.',
  repetition: 'same-outcome',
  request: Type.Object({ clientId: ruuid('The application.'), ...APPLICATION_DETAIL_PROPERTIES }),
  response: {},
  example: { request: { clientId: EXAMPLE_CLIENT_ID }, response: {} },
  async handler({ orgUuid, services }, { clientId }) {
    await services.oauthApplications.remove(orgUuid, clientId);
    return {};
  },
});
