/** POST /api/oauth/updateApplication: changes an OAuth application. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIENT_ID } from '../types/examples.ts';
import { APPLICATION_DETAIL_PROPERTIES } from './oauth-application-type.ts';

export const updateApplication = defineEndpoint({
  path: '/api/oauth/updateApplication',
  summary: 'Changes the details of an OAuth application.',
  description: 'Absent fields stay as they are. The secret stays; `submitApplication` creates a new one.',
  repetition: 'same-outcome',
  request: Type.Object({ clientId: ruuid('The application.'), ...APPLICATION_DETAIL_PROPERTIES }),
  response: {},
  example: {
    request: { clientId: EXAMPLE_CLIENT_ID, redirectUri: 'https://desk.example.com/oauth/callback' },
    response: {},
  },
  async handler({ orgUuid, services }, { clientId, ...details }) {
    await services.oauthApplications.update(orgUuid, clientId, details);
    return {};
  },
});
