/**
 * The token and revocation requests (RFC 6749 §3.2, RFC 7009 §2.1): the parameters are in a form, and the client
 * authenticates with Basic or in the form.
 */

import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import type { OAuthApplications } from '../../accounts/oauth-applications.ts';
import type { IssuedTokens, OAuthGrants } from '../../accounts/oauth-grants.ts';
import { GatewayError } from '../../core/errors.ts';
import type { OAuthApplication } from '../../store/oauth.ts';
import { isSameResource } from './authorization-request.ts';
import { OAUTH_PROTOCOL_ERRORS } from './errors.ts';

/** RFC 7636 §4.1. */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const BASIC_PREFIX = /^basic +/i;

/** All others are ignored (RFC 6749 §3.2), repeated or not. */
const PARAMETER_NAMES: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'resource',
  'token',
  'token_type_hint',
]);

/** Longer values were not issued by us and are not hashed. */
const MAX_VALUE_LENGTH = 4_096;

export type TokenParameters = ReadonlyMap<string, string>;

export interface TokenParts {
  readonly grants: OAuthGrants;
  readonly issuer: string;
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
}

/**
 * The parameters of a form, or of a JSON object of strings, which clients send everywhere else in this API. Empty ones
 * count as absent (RFC 6749 §3.2). Fails OAUTH_INVALID_REQUEST.
 */
export function parseTokenParameters(body: string, contentType: string | undefined): TokenParameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of entriesOf(body, contentType)) {
    if (!PARAMETER_NAMES.has(name)) continue;
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH) {
      throw invalidRequest('A parameter is not a string of reasonable length.');
    }
    if (value === '') continue;
    if (parameters.has(name)) throw invalidRequest('A parameter is given more than once.');
    parameters.set(name, value);
  }
  return parameters;
}

/** The client that sent the request. Fails OAUTH_INVALID_CLIENT or OAUTH_INVALID_REQUEST. */
export async function authenticateClient(
  authorization: string | undefined,
  parameters: TokenParameters,
  applications: OAuthApplications,
): Promise<OAuthApplication> {
  const { clientId, secret } = clientCredentials(authorization, parameters);
  return applications.authenticate(clientId, secret);
}

/** Fails with a code of OAUTH_PROTOCOL_ERRORS. */
export async function issueTokens(
  application: OAuthApplication,
  parameters: TokenParameters,
  parts: TokenParts,
): Promise<TokenResponse> {
  const resource = parameters.get('resource');
  if (resource !== undefined && !isSameResource(resource, parts.issuer)) {
    throw new GatewayError(OAUTH_PROTOCOL_ERRORS.OAUTH_INVALID_TARGET);
  }
  const tokens = await tokensFor(application, parameters, parts.grants);
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSec,
    refresh_token: tokens.refreshToken,
  };
}

/** A required parameter. Fails OAUTH_INVALID_REQUEST. */
export function requiredParameter(parameters: TokenParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalidRequest(`${name} is required.`);
  return value;
}

function tokensFor(
  application: OAuthApplication,
  parameters: TokenParameters,
  grants: OAuthGrants,
): Promise<IssuedTokens> {
  switch (requiredParameter(parameters, 'grant_type')) {
    case 'authorization_code': {
      const codeVerifier = requiredParameter(parameters, 'code_verifier');
      if (!CODE_VERIFIER.test(codeVerifier)) {
        throw invalidRequest('code_verifier must be 43 to 128 unreserved characters.');
      }
      const code = requiredParameter(parameters, 'code');
      const redirectUri = parameters.get('redirect_uri') ?? null;
      return grants.exchangeCode(application, { code, codeVerifier, redirectUri });
    }
    case 'refresh_token':
      return grants.refresh(application, requiredParameter(parameters, 'refresh_token'));
    default:
      throw new GatewayError(OAUTH_PROTOCOL_ERRORS.OAUTH_UNSUPPORTED_GRANT_TYPE);
  }
}

function entriesOf(body: string, contentType: string | undefined): Iterable<readonly [string, unknown]> {
  if (contentType === undefined || !/^application\/json\b/i.test(contentType))
    return new URLSearchParams(body);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // The response has no field for the fault.
    throw invalidRequest('The request body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The request body must be an object.');
  }
  return Object.entries(value).filter(([, given]) => given !== null);
}

function clientCredentials(
  authorization: string | undefined,
  parameters: TokenParameters,
): { readonly clientId: string; readonly secret: string } {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization === undefined || !BASIC_PREFIX.test(authorization)) {
    return { clientId: clientId ?? '', secret: secret ?? '' };
  }
  if (secret !== undefined) throw invalidRequest('The client authenticates in more than one way.');
  const basic = basicCredentials(authorization);
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw invalidRequest('client_id differs from the client that authenticates.');
  }
  return basic;
}

/** RFC 6749 §2.3.1: both parts of Basic are form-encoded. */
function basicCredentials(authorization: string): { readonly clientId: string; readonly secret: string } {
  const pair = Buffer.from(authorization.replace(BASIC_PREFIX, ''), 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT);
  return { clientId: formDecoded(pair.slice(0, colon)), secret: formDecoded(pair.slice(colon + 1)) };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT, {}, cause);
  }
}

function invalidRequest(sentence: string): GatewayError {
  return new GatewayError(OAUTH_PROTOCOL_ERRORS.OAUTH_INVALID_REQUEST, { sentence });
}
