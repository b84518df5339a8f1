/** How documents show client registration (registration-route.ts). */

import { Type } from 'typebox';
import { CLIENT_AUTH_METHODS, GRANT_TYPES, RESPONSE_TYPES } from '../../accounts/client-registration.ts';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import { MAX_REDIRECT_URI_LENGTH } from '../../accounts/redirect-uri.ts';
import { int64, MAX_NAME_LENGTH, oneOf, plainText, ruuid, text } from '../../http/fields/field-types.ts';
import type { PlainOperation } from '../../http/openapi/plain-operation.ts';
import { EXAMPLE_CLIENT_ID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_APPLICATION_DETAILS } from './applications.ts';
import { REGISTER_PATH } from './discovery.ts';
import { REGISTRATION_ERRORS, REGISTRATION_NAMES } from './errors.ts';

const { name: EXAMPLE_NAME, contactEmail: EXAMPLE_CONTACT, redirectUri } = EXAMPLE_APPLICATION_DETAILS;

const authMethod = oneOf(
  CLIENT_AUTH_METHODS,
  'How it authenticates at the token endpoint; `none`: a public client, which gets no secret.',
);
const grantTypes = Type.Array(oneOf(GRANT_TYPES, 'A grant type.'), {
  description: '`authorization_code`, with or without `refresh_token`.',
});
const responseTypes = Type.Array(oneOf(RESPONSE_TYPES, 'A response type.'), { description: '`code`.' });

const REGISTRATION_FAILURE_SCHEMA = Type.Object(
  {
    error: oneOf(
      Object.values(REGISTRATION_NAMES).map(({ name }) => name),
      'What is wrong (RFC 7591 §3.2.2).',
    ),
    error_description: plainText('The same, as a sentence.'),
  },
  { title: 'OAuthRegistrationFailure' },
);

export const registerOperation: PlainOperation = {
  path: REGISTER_PATH,
  method: 'post',
  summary: 'Registers an OAuth application the way standard clients do.',
  description:
    'RFC 7591. The API key of the organization that the application will belong to is the initial access token: send it ' +
    'as `Authorization: Bearer` or in `x-auth-apikey`. Unknown metadata is ignored. The secret is shown this once; a public client (`none`) gets none, and PKCE stands for it.',
  isExtension: true,
  request: {
    kind: 'json',
    schema: Type.Object({
      redirect_uris: Type.Array(text('An absolute URI.', MAX_REDIRECT_URI_LENGTH), {
        minItems: 1,
        maxItems: 1,
        description: 'Where authorization codes are sent.',
      }),
      client_name: Type.Optional(
        text(
          'Its name, as people who consent see it. Default: the host of the redirect URI.',
          MAX_NAME_LENGTH,
        ),
      ),
      contacts: Type.Optional(
        Type.Array(text('An email address.'), {
          description: 'Whom to ask about it; the first one is kept.',
        }),
      ),
      token_endpoint_auth_method: Type.Optional(authMethod),
      grant_types: Type.Optional(grantTypes),
      response_types: Type.Optional(responseTypes),
    }),
  },
  response: Type.Object(
    {
      client_id: ruuid('Its client_id.'),
      client_secret: Type.Optional(plainText('Its secret; absent for a public client.')),
      client_id_issued_at: int64('Epoch seconds.'),
      client_secret_expires_at: Type.Optional(int64('0: never. There with a secret alone.')),
      client_name: plainText('Its name.'),
      contacts: Type.Array(plainText('An email address.'), { description: 'Whom to contact about it.' }),
      redirect_uris: Type.Array(plainText('An absolute URI.'), {
        description: 'Where authorization codes are sent.',
      }),
      token_endpoint_auth_method: authMethod,
      grant_types: grantTypes,
      response_types: responseTypes,
    },
    { title: 'RegisteredOAuthClient' },
  ),
  status: 201,
  failure: {
    schema: REGISTRATION_FAILURE_SCHEMA,
    example: {
      error: REGISTRATION_NAMES.OAUTH_INVALID_CLIENT_METADATA.name,
      error_description: ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT_METADATA.message,
    },
    statuses: {
      '400': 'Why the request is refused.',
      '403': REGISTRATION_ERRORS.OAUTH_REGISTRATION_FULL.message,
    },
  },
  caller: 'key',
  example: {
    request: { client_name: EXAMPLE_NAME, redirect_uris: [redirectUri], contacts: [EXAMPLE_CONTACT] },
    response: {
      client_id: EXAMPLE_CLIENT_ID,
      client_secret: 'slo_cs_SECRET',
      client_id_issued_at: EXAMPLE_TIME_MS / 1_000,
      client_secret_expires_at: 0,
      client_name: EXAMPLE_NAME,
      contacts: [EXAMPLE_CONTACT],
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: CLIENT_AUTH_METHODS[0],
      grant_types: GRANT_TYPES,
      response_types: RESPONSE_TYPES,
    },
  },
};
