/** POST /api/oauth/getApplicationByClientId: one OAuth application. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIENT_ID } from '../types/examples.ts';
import {
  applicationAnswer,
  EXAMPLE_APPLICATION,
  OAUTH_APPLICATION_SCHEMA,
} from './oauth-application-type.ts';

export const getApplicationByClientId = defineEndpoint({
  path: '/api/oauth/getApplicationByClientId',
  summary: 'Reads an OAuth application of the organization.',
  description: 'The secret is not stored or shown.',
  request: Type.Object({ clientId: ruuid('The application.') }),
  response: { application: OAUTH_APPLICATION_SCHEMA },
  example: { request: { clientId: EXAMPLE_CLIENT_ID }, response: { application: EXAMPLE_APPLICATION } },
  async handler({ orgUuid, services }, { clientId }) {
    return { application: applicationAnswer(await services.oauthApplications.find(orgUuid, clientId)) };
  },
});
