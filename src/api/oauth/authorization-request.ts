/**
 * The authorization request (docs/spec/rules.md#oauth-applications; RFC 6749 §4.1.1, RFC 7636, RFC 8707). Most parameters
 * have two spellings; clients can use either, or both if they agree.
 */

import type { Caller } from '../../accounts/caller.ts';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import type { OAuthApplications } from '../../accounts/oauth-applications.ts';
import type { OAuthGrants } from '../../accounts/oauth-grants.ts';
import { isSameRedirectUri, withParameters } from '../../accounts/redirect-uri.ts';
import { GatewayError } from '../../core/errors.ts';
import { invalidField } from '../../http/request-body.ts';
import type { OAuthApplication } from '../../store/oauth.ts';
import { OAUTH_ERRORS } from './errors.ts';

/** RFC 7636 §4.2: 32 bytes as base64url. */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Longer ones would only make URLs long. */
const MAX_STATE_LENGTH = 2_048;

/** A query as the server parsed it: a parameter that appears twice is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `consent`: someone must be asked first. `redirect`: where the browser goes next, with a code or an error. */
export type AuthorizationOutcome =
  | { readonly kind: 'consent'; readonly application: OAuthApplication }
  | { readonly kind: 'redirect'; readonly location: string };

export interface AuthorizationParts {
  readonly applications: OAuthApplications;
  readonly grants: OAuthGrants;
  /** The authorization server's name, which is also the only resource. */
  readonly issuer: string;
}

/** An error that the application receives through its redirect address (RFC 6749 §4.1.2.1). */
interface RedirectedError {
  readonly error: string;
  readonly description: string;
}

interface CheckedRequest {
  readonly codeChallenge: string;
  /** null: the person has not been asked yet. */
  readonly isConsentGiven: boolean | null;
}

/**
 * Decides an authorization request of `caller`. Until the redirect address is known to be the application's, it fails
 * instead of redirecting: INVALID_FIELD, OAUTH_APPLICATION_NOT_FOUND, OAUTH_REDIRECT_URI_MISMATCH,
 * OAUTH_APPLICATION_CANNOT_CONSENT; and TOO_MANY_OAUTH_GRANTS.
 */
export async function authorize(
  query: Query,
  caller: Caller,
  parts: AuthorizationParts,
): Promise<AuthorizationOutcome> {
  if (caller.principal.kind !== 'key')
    throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_CANNOT_CONSENT);
  const application = await findApplication(query, parts.applications);
  const namedUri = readTrusted(query, 'redirectUri', 'redirect_uri');
  if (namedUri !== null && !isSameRedirectUri(application.redirectUri, namedUri)) {
    throw new GatewayError(OAUTH_ERRORS.OAUTH_REDIRECT_URI_MISMATCH);
  }
  const state = read(query, 'state');
  const redirect = (parameters: Readonly<Record<string, string>>): AuthorizationOutcome => {
    const returned = typeof state === 'string' ? { state } : {};
    const location = withParameters(namedUri ?? application.redirectUri, {
      ...parameters,
      ...returned,
      iss: parts.issuer,
    });
    return { kind: 'redirect', location };
  };
  const checked = checkRequest(query, parts.issuer, state);
  if ('error' in checked) return redirect({ error: checked.error, error_description: checked.description });
  if (checked.isConsentGiven === null) return { kind: 'consent', application };
  if (!checked.isConsentGiven) {
    return redirect({ error: 'access_denied', error_description: 'Access was not granted.' });
  }
  const { codeChallenge } = checked;
  return redirect({
    code: await parts.grants.begin(caller, application, { codeChallenge, redirectUri: namedUri }),
  });
}

async function findApplication(query: Query, applications: OAuthApplications): Promise<OAuthApplication> {
  const clientId = readTrusted(query, 'clientId', 'client_id');
  if (clientId === null) throw invalidField('client_id is required.');
  return applications.findClient(clientId);
}

function checkRequest(
  query: Query,
  issuer: string,
  state: string | null | RedirectedError,
): CheckedRequest | RedirectedError {
  if (state !== null && typeof state === 'object') return state;
  if (state !== null && state.length > MAX_STATE_LENGTH) return invalidRequest('state is too long.');
  const responseType = read(query, 'responseType', 'response_type');
  if (typeof responseType !== 'string') return responseType ?? invalidRequest('response_type is required.');
  if (responseType !== 'code') {
    return { error: 'unsupported_response_type', description: 'response_type must be code.' };
  }
  const resource = read(query, 'resource');
  if (resource !== null && !isSameResource(resource, issuer)) {
    return { error: 'invalid_target', description: 'resource must be the address of this API.' };
  }
  const codeChallenge = read(query, 'codeChallenge', 'code_challenge');
  if (typeof codeChallenge !== 'string')
    return codeChallenge ?? invalidRequest('code_challenge is required.');
  // Absent means plain (RFC 7636 §4.3), which anyone who sees the request can answer.
  if (read(query, 'codeChallengeMethod', 'code_challenge_method') !== 'S256') {
    return invalidRequest('code_challenge_method must be S256.');
  }
  if (!S256_CHALLENGE.test(codeChallenge))
    return invalidRequest('code_challenge must be 43 characters of base64url.');
  const consent = read(query, 'consentGiven', 'consent_given');
  if (consent !== null && consent !== 'true' && consent !== 'false') {
    return invalidRequest('consent_given must be true or false.');
  }
  return { codeChallenge, isConsentGiven: consent === null ? null : consent === 'true' };
}

/** A trailing slash does not make it another resource. */
export function isSameResource(resource: unknown, issuer: string): boolean {
  return typeof resource === 'string' && resource.replace(/\/$/, '') === issuer;
}

/** A parameter under any of its spellings; null if it is absent or empty (RFC 6749 §3.1). */
function read(query: Query, ...spellings: readonly string[]): string | null | RedirectedError {
  let value: string | null = null;
  for (const spelling of spellings) {
    const given = query[spelling];
    if (given === undefined || given === '') continue;
    if (typeof given !== 'string' || (value !== null && value !== given)) {
      return invalidRequest(`${spelling} is given more than once.`);
    }
    value = given;
  }
  return value;
}

/** The same for parameters that decide where errors are sent. Fails INVALID_FIELD. */
function readTrusted(query: Query, ...spellings: readonly string[]): string | null {
  const value = read(query, ...spellings);
  if (value !== null && typeof value === 'object') throw invalidField(value.description);
  return value;
}

function invalidRequest(description: string): RedirectedError {
  return { error: 'invalid_request', description };
}
