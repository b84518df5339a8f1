/** POST /api/partner/submitApiTokenApplication: a new partner API key. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  checkAuthType,
  EXAMPLE_API_KEY,
  SUBMITTED_TOKEN_PROPERTIES,
  TOKEN_APPLICATION_PROPERTIES,
} from '../integrations/api-token-type.ts';

export const submitPartnerApiTokenApplication = defineEndpoint({
  path: '/api/partner/submitApiTokenApplication',
  scheme: 'partner-api',
  summary: 'Creates a partner API key.',
  description:
    "The key works with `x-auth-scheme: partner-api-token`, acts for the partner's client organizations and is shown " +
    'only once. `x-auth-org` must name the partner itself or be absent: a client organization has no partner keys.',
  repetition: 'once',
  request: Type.Object(TOKEN_APPLICATION_PROPERTIES),
  response: SUBMITTED_TOKEN_PROPERTIES,
  example: {
    request: { displayName: 'License audit', authType: 'API_TOKEN' },
    response: { apiKey: EXAMPLE_API_KEY, cert: null, validCSR: null },
  },
  async handler({ caller, orgUuid, services }, { displayName, authType }) {
    if (orgUuid !== caller.actor.orgUuid) {
      throw invalidField('x-auth-org must be absent: a client organization has no partner keys.');
    }
    checkAuthType(authType);
    const key = await services.apiTokens.create(orgUuid, displayName, 'partner-api');
    return { apiKey: key.reveal(), cert: null, validCSR: null };
  },
});
