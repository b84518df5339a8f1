/** How documents show authorization, token, revocation and registration (oauth-routes.ts, registration-route.ts). */

import { Type } from 'typebox';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import { ACCESS_TOKEN_LIFETIME_MS } from '../../accounts/oauth-grants.ts';
import { flag, int32, oneOf, plainText } from '../../http/fields/field-types.ts';
import type { PlainOperation, StandardFailure } from '../../http/openapi/plain-operation.ts';
import { EXAMPLE_CLIENT_ID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { AUTHORIZATION_RESPONSE_SCHEMA, authorizationResponse } from './authorization-response.ts';
import { AUTHORIZE_PATH, REVOKE_PATH, TOKEN_PATH } from './discovery.ts';
import { OAUTH_PROTOCOL_NAMES } from './errors.ts';
import { registerOperation } from './registration-operation.ts';

/** RFC 7636 Appendix B. */
const EXAMPLE_CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const EXAMPLE_CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const EXAMPLE_REDIRECT_URI = 'https://desk.example.com/callback';

const optionalText = (description: string) => Type.Optional(plainText(description));

const CLIENT_PROPERTIES = {
  client_id: optionalText('The application; with Basic authentication it may be left out.'),
  client_secret: optionalText(
    'Its secret, unless Basic authentication carries it; nothing for an application without one.',
  ),
};

const OAUTH_FAILURE_SCHEMA = Type.Object(
  {
    error: oneOf(Object.values(OAUTH_PROTOCOL_NAMES), 'What is wrong (RFC 6749 §5.2).'),
    error_description: plainText('The same, as a sentence.'),
    errorMsg: plainText('The same sentence.'),
  },
  { title: 'OAuthFailure' },
);

const OAUTH_FAILURE: StandardFailure = {
  schema: OAUTH_FAILURE_SCHEMA,
  example: {
    error: OAUTH_PROTOCOL_NAMES.OAUTH_INVALID_GRANT,
    error_description: ACCOUNT_ERRORS.OAUTH_INVALID_GRANT.message,
    errorMsg: ACCOUNT_ERRORS.OAUTH_INVALID_GRANT.message,
  },
  statuses: { '400': 'Why the request is refused.', '401': 'The client is not accepted.' },
};

const authorizeOperation: PlainOperation = {
  path: AUTHORIZE_PATH,
  method: 'get',
  summary: 'Lets an OAuth application act for the organization.',
  description:
    'Call it with the API key of the organization that consents. The response contains a response for the browser: if ' +
    '`status` is 302, send the browser to `location`. Without `consent_given`, `status` is 200 and `entity` names the ' +
    'application that asks. Each parameter has two spellings; both work. PKCE with S256 is required. A code works once, ' +
    'within a minute. `/oauth/authorize` does the same.',
  isExtension: false,
  request: {
    kind: 'query',
    schema: Type.Object({
      response_type: optionalText('`code`.'),
      responseType: optionalText('The same.'),
      client_id: optionalText('The application.'),
      clientId: optionalText('The same.'),
      redirect_uri: optionalText(
        'The `redirectUri` of the application, character by character, or nothing. The port of a loopback address may differ.',
      ),
      redirectUri: optionalText('The same.'),
      state: optionalText('Returned with the code.'),
      code_challenge: optionalText('BASE64URL(SHA256(code_verifier)) (RFC 7636).'),
      codeChallenge: optionalText('The same.'),
      code_challenge_method: optionalText('`S256`.'),
      consent_given: Type.Optional(flag('Whether the user consented.')),
      consentGiven: Type.Optional(flag('The same.')),
      resource: optionalText('The address of this API (RFC 8707), or absent.'),
    }),
  },
  response: AUTHORIZATION_RESPONSE_SCHEMA,
  caller: 'key',
  example: {
    request: {
      response_type: 'code',
      client_id: EXAMPLE_CLIENT_ID,
      redirect_uri: EXAMPLE_REDIRECT_URI,
      state: 'af0ifjsldkj',
      code_challenge: EXAMPLE_CODE_CHALLENGE,
      code_challenge_method: 'S256',
      consent_given: 'true',
    },
    response: authorizationResponse(
      {
        kind: 'redirect',
        location: `${EXAMPLE_REDIRECT_URI}?code=slo_ac_CODE&state=af0ifjsldkj&iss=https%3A%2F%2Fapi.example.com`,
      },
      EXAMPLE_TIME_MS,
    ),
  },
};

const tokenOperation: PlainOperation = {
  path: TOKEN_PATH,
  method: 'post',
  summary: 'Exchanges a code or a refresh token for tokens.',
  description:
    'RFC 6749 §4.1.3 and §6. A refresh token works once and is replaced; a code or refresh token that comes a second time ' +
    'ends the whole grant. Refresh tokens last thirty days. Requests carry the access token in `x-auth-access-token` with ' +
    '`x-auth-scheme: api-oauth-token`, or as `Authorization: Bearer`. `/oauth/token` is the same.',
  isExtension: true,
  request: {
    kind: 'form',
    schema: Type.Object({
      grant_type: oneOf(['authorization_code', 'refresh_token'], 'What you exchange.'),
      code: optionalText('The code.'),
      code_verifier: optionalText('The verifier behind `code_challenge`.'),
      redirect_uri: optionalText('As in the authorization request.'),
      refresh_token: optionalText('The refresh token.'),
      resource: optionalText('The address of this API, or absent.'),
      ...CLIENT_PROPERTIES,
    }),
  },
  response: Type.Object(
    {
      access_token: plainText('Has the rights of the key that granted it.'),
      token_type: plainText('`Bearer`.'),
      expires_in: int32('How many seconds it works.'),
      refresh_token: plainText('For the next tokens.'),
    },
    { title: 'OAuthTokens' },
  ),
  failure: OAUTH_FAILURE,
  caller: 'client',
  example: {
    request: {
      grant_type: 'authorization_code',
      code: 'slo_ac_CODE',
      redirect_uri: EXAMPLE_REDIRECT_URI,
      code_verifier: EXAMPLE_CODE_VERIFIER,
    },
    response: {
      access_token: 'slo_at_TOKEN',
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_LIFETIME_MS / 1_000,
      refresh_token: 'slo_rt_TOKEN',
    },
  },
};

const revokeOperation: PlainOperation = {
  path: REVOKE_PATH,
  method: 'post',
  summary: 'Revokes a token.',
  description:
    'RFC 7009. A refresh token takes the whole grant with it, an access token only itself. Tokens that are unknown, or of ' +
    'another application, answer 200 as well. `/oauth/revoke` is the same.',
  isExtension: true,
  request: {
    kind: 'form',
    schema: Type.Object({
      token: plainText('An access or refresh token.'),
      token_type_hint: optionalText('Ignored: the token itself shows its type.'),
      ...CLIENT_PROPERTIES,
    }),
  },
  response: Type.Object({}),
  failure: OAUTH_FAILURE,
  caller: 'client',
  example: { request: { token: 'slo_rt_TOKEN' }, response: {} },
};

export const OAUTH_OPERATIONS: readonly PlainOperation[] = [
  authorizeOperation,
  tokenOperation,
  revokeOperation,
  registerOperation,
];
