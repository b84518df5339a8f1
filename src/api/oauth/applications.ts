/** OAuth applications of the organization, and their grants (docs/spec/rules.md#oauth-applications). */

import { type Static, Type } from 'typebox';
import { MAX_APPLICATION_NAME_LENGTH, MAX_CONTACT_EMAIL_LENGTH } from '../../accounts/oauth-applications.ts';
import { MAX_REDIRECT_URI_LENGTH } from '../../accounts/redirect-uri.ts';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { int64, listOf, namedType, nullable, plainText, ruuid, text } from '../../http/fields/field-types.ts';
import type { OAuthApplication } from '../../store/oauth.ts';
import {
  EXAMPLE_CLIENT_ID,
  EXAMPLE_GRANT_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TOKEN_UUID,
} from '../types/examples.ts';

const MAX_DESCRIPTION_LENGTH = 2_000;

/** The OAuthApplication type of the API (docs/spec/rules.md#oauth-applications), and what its endpoints have in common. */
const OAUTH_APPLICATION_SCHEMA = namedType('OAuthApplication', {
  clientId: ruuid('Its client_id.'),
  clientSecretHash: nullable(
    plainText(
      'SHA-256 of its secret, as hex. The secret itself is not stored. Absent: a public client, without one.',
    ),
  ),
  contactEmail: nullable(plainText('Whom to contact about it.')),
  description: nullable(plainText('What it does.')),
  name: plainText('Its name, as shown to people who consent.'),
  orgUuid: ruuid('The organization that registered it.'),
  redirectUri: plainText(
    'Where authorization codes are sent; compared character by character, but for the port of a loopback address.',
  ),
});

/** Fields that callers can set. */
const APPLICATION_DETAIL_PROPERTIES = {
  name: Type.Optional(text('Its name, as shown to people who consent.', MAX_APPLICATION_NAME_LENGTH)),
  description: Type.Optional(text('What it does.', MAX_DESCRIPTION_LENGTH)),
  contactEmail: Type.Optional(text('Whom to contact about it.', MAX_CONTACT_EMAIL_LENGTH)),
  redirectUri: Type.Optional(
    text(
      'Where authorization codes are sent: https, http on a loopback address, or a private scheme such as ' +
        'com.example.app; no fragment.',
      MAX_REDIRECT_URI_LENGTH,
    ),
  ),
};

export const EXAMPLE_APPLICATION_DETAILS = {
  name: 'Visitor desk',
  description: 'Shows the entrance camera to the front desk.',
  contactEmail: 'desk@example.com',
  redirectUri: 'https://desk.example.com/callback',
};

const EXAMPLE_APPLICATION: Static<typeof OAUTH_APPLICATION_SCHEMA> = applicationResponse({
  uuid: EXAMPLE_CLIENT_ID,
  orgUuid: EXAMPLE_ORG_UUID,
  ...EXAMPLE_APPLICATION_DETAILS,
  secretHash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
});

function applicationResponse(application: OAuthApplication): Static<typeof OAUTH_APPLICATION_SCHEMA> {
  return {
    clientId: application.uuid,
    clientSecretHash: application.secretHash,
    contactEmail: application.contactEmail,
    description: application.description,
    name: application.name,
    orgUuid: application.orgUuid,
    redirectUri: application.redirectUri,
  };
}

const getApplicationByClientId = defineEndpoint({
  path: '/api/oauth/getApplicationByClientId',
  summary: 'Reads an OAuth application of the organization.',
  description: 'The secret is not stored or shown.',
  request: Type.Object({ clientId: ruuid('The application.') }),
  response: { application: OAUTH_APPLICATION_SCHEMA },
  example: { request: { clientId: EXAMPLE_CLIENT_ID }, response: { application: EXAMPLE_APPLICATION } },
  async handler({ orgUuid, services }, { clientId }) {
    return { application: applicationResponse(await services.oauthApplications.find(orgUuid, clientId)) };
  },
});

const getAllApplicationsForOrg = defineEndpoint({
  path: '/api/oauth/getAllApplicationsForOrg',
  summary: 'Lists the OAuth applications that the organization registered.',
  description: 'In the order in which they were registered.',
  request: Type.Object({}),
  response: { oauthApplications: listOf(OAUTH_APPLICATION_SCHEMA, 'The applications.') },
  example: { request: {}, response: { oauthApplications: [EXAMPLE_APPLICATION] } },
  async handler({ orgUuid, services }) {
    const applications = await services.oauthApplications.list(orgUuid);
    return { oauthApplications: applications.map(applicationResponse) };
  },
});

const submitApplication = defineEndpoint({
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

const updateApplication = defineEndpoint({
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

const deleteApplication = defineEndpoint({
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

const OAUTH_GRANT_SCHEMA = namedType('OAuthGrant', {
  grantUuid: ruuid('The grant.'),
  clientId: ruuid('The application that received it.'),
  tokenUuid: ruuid('The API key that granted it. It ends with that key.'),
  createdAtMillis: int64('When it was granted, epoch milliseconds.'),
});

const getAllGrantsForOrg = defineEndpoint({
  path: '/api/oauth/getAllGrantsForOrg',
  isExtension: true,
  summary: 'Lists the applications’ grants of access to the organization.',
  description:
    'In the order in which they were granted. Grants whose codes were never exchanged, or whose tokens have all ' +
    'expired, are left out.',
  request: Type.Object({}),
  response: { grants: listOf(OAUTH_GRANT_SCHEMA, 'The grants.') },
  example: {
    request: {},
    response: {
      grants: [
        {
          grantUuid: EXAMPLE_GRANT_UUID,
          clientId: EXAMPLE_CLIENT_ID,
          tokenUuid: EXAMPLE_TOKEN_UUID,
          createdAtMillis: EXAMPLE_TIME_MS,
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const grants = await services.oauthGrants.list(orgUuid);
    return {
      grants: LongList.of(grants).map((grant) => ({
        grantUuid: grant.uuid,
        clientId: grant.clientUuid,
        tokenUuid: grant.keyUuid,
        createdAtMillis: grant.createdAtMs,
      })),
    };
  },
});

const revokeGrant = defineEndpoint({
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

export const OAUTH_APPLICATION_ENDPOINTS: readonly Endpoint[] = [
  getApplicationByClientId,
  getAllApplicationsForOrg,
  submitApplication,
  updateApplication,
  deleteApplication,
  getAllGrantsForOrg,
  revokeGrant,
];
