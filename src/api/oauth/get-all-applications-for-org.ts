/**
 * POST /api/oauth/getAllApplicationsForOrg (docs/spec/rules.md#oauth-applications): the OAuth applications of the
 * organization.
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  applicationAnswer,
  EXAMPLE_APPLICATION,
  OAUTH_APPLICATION_SCHEMA,
} from './oauth-application-type.ts';

export const getAllApplicationsForOrg = defineEndpoint({
  path: '/api/oauth/getAllApplicationsForOrg',
  summary: 'Lists the OAuth applications that the organization registered.',
  description: 'In the order in which they were registered.',
  request: Type.Object({}),
  response: { oauthApplications: listOf(OAUTH_APPLICATION_SCHEMA, 'The applications.') },
  example: { request: {}, response: { oauthApplications: [EXAMPLE_APPLICATION] } },
  async handler({ orgUuid, services }) {
    const applications = await services.oauthApplications.list(orgUuid);
    return { oauthApplications: applications.map(applicationAnswer) };
  },
});
