/** POST /api/oauth/submitApplication: a new OAuth application, or a new secret for one. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIENT_ID } from '../types/examples.ts';
import { APPLICATION_DETAIL_PROPERTIES, EXAMPLE_APPLICATION_DETAILS } from './oauth-application-type.ts';

export const submitApplication = defineEndpoint({
  path: '/api/oauth/submitApplication',
  summary: 'Registers an OAuth application.',
  description:
    '`name` and `redirectUri` are required. With the `clientId` of a registered application, that application gets ' +
    'these details and a new secret. The old secret stops working right away; its grants stay.',
  repetition: 'once',
  request: Type.Object({
    clientId: Type.Optional(ruuid('An application of the organization that should get a new secret.')),
    ...APPLICATION_DETAIL_PROPERTIES,
  }),
  response: {
    clientId: ruuid('Its client_id.'),
    clientSecret: plainText('Its client_secret, shown only once.'),
  },
  example: {
    request: EXAMPLE_APPLICATION_DETAILS,
    response: { clientId: EXAMPLE_CLIENT_ID, clientSecret: 'slo_cs_THE-SECRET-SHOWN-THIS-ONCE' },
  },
  async handler({ orgUuid, services }, { clientId, ...details }) {
    const { application, secret } = await services.oauthApplications.submit(orgUuid, clientId, details);
    return { clientId: application.uuid, clientSecret: secret };
  },
});
