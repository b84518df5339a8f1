/**
 * Dynamic client registration (RFC 7591): client metadata in, an OAuth application out. Metadata that Sluice does not
 * know is ignored (§2); what it knows but cannot do is refused, so that no client runs with terms that it did not ask
 * for.
 */

import type { OAuthApplications } from '../../accounts/oauth-applications.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { MAX_NAME_LENGTH, MAX_SHORT_TEXT_LENGTH } from '../fields/field-types.ts';
import { requestSentence } from '../http/request-sentences.ts';
import { REGISTRATION_ERRORS } from './errors.ts';
import { MAX_REDIRECT_URI_LENGTH } from './oauth-application-type.ts';

export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const;
export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;
export const RESPONSE_TYPES = ['code'] as const;

/** RFC 7591 §3.2.1. */
export interface RegisteredClient {
  readonly client_id: Ruuid;
  /** Shown only once. */
  readonly client_secret: string;
  readonly client_id_issued_at: number;
  /** 0: never. */
  readonly client_secret_expires_at: 0;
  readonly client_name: string;
  readonly contacts: readonly string[];
  readonly redirect_uris: readonly [string];
  readonly token_endpoint_auth_method: (typeof CLIENT_AUTH_METHODS)[number];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
}

interface ClientMetadata {
  readonly redirectUri: string;
  readonly name: string;
  readonly contactEmail: string | undefined;
  readonly authMethod: RegisteredClient['token_endpoint_auth_method'];
}

/**
 * Registers a client for an organization. `body`: the request as text. Fails OAUTH_INVALID_CLIENT_METADATA,
 * OAUTH_INVALID_REDIRECT_URI and OAUTH_REGISTRATION_FULL.
 */
export async function registerClient(
  orgUuid: Ruuid,
  body: string,
  applications: OAuthApplications,
): Promise<RegisteredClient> {
  const { redirectUri, name, contactEmail, authMethod } = readMetadata(body);
  const contact = contactEmail === undefined ? {} : { contactEmail };
  const { application, secret } = await applications
    .submit(orgUuid, undefined, { name, redirectUri, ...contact })
    .catch((failure: unknown) => {
      throw inTermsOfRegistration(failure);
    });
  return {
    client_id: application.uuid,
    client_secret: secret,
    client_id_issued_at: Math.floor(application.createdAtMs / 1_000),
    client_secret_expires_at: 0,
    client_name: application.name,
    contacts: application.contactEmail === null ? [] : [application.contactEmail],
    redirect_uris: [application.redirectUri],
    token_endpoint_auth_method: authMethod,
    grant_types: GRANT_TYPES,
    response_types: RESPONSE_TYPES,
  };
}

function readMetadata(body: string): ClientMetadata {
  const metadata = parsedObject(body);
  const redirectUri = readRedirectUri(metadata.redirect_uris);
  const { token_endpoint_auth_method: authMethod = CLIENT_AUTH_METHODS[0] } = metadata;
  const knownMethod = CLIENT_AUTH_METHODS.find((known) => known === authMethod);
  if (knownMethod === undefined) {
    throw invalidMetadata(`token_endpoint_auth_method must be ${CLIENT_AUTH_METHODS.join(' or ')}.`);
  }
  checkWords(metadata, 'grant_types', GRANT_TYPES, 'authorization_code');
  checkWords(metadata, 'response_types', RESPONSE_TYPES, 'code');
  const name = shortText('client_name', metadata.client_name, MAX_NAME_LENGTH)?.trim();
  const contacts = metadata.contacts ?? [];
  if (!Array.isArray(contacts)) throw invalidMetadata('contacts must be a list of strings.');
  return {
    redirectUri,
    // RFC 7591 §2: without a name, the user who consents is shown something else.
    name: name === undefined || name === '' ? defaultName(redirectUri) : name,
    contactEmail: shortText('contacts[0]', contacts[0], MAX_SHORT_TEXT_LENGTH),
    authMethod: knownMethod,
  };
}

function parsedObject(body: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON; the error below says so.
    parsed = null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalidMetadata('The request must be a JSON object of client metadata.');
  }
  return withoutNulls(parsed);
}

/** Null means absent, as everywhere in the API. */
function withoutNulls(metadata: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function readRedirectUri(redirectUris: unknown): string {
  const isOne = Array.isArray(redirectUris) && redirectUris.length === 1;
  const redirectUri: unknown = isOne ? redirectUris[0] : undefined;
  if (typeof redirectUri !== 'string' || redirectUri.length > MAX_REDIRECT_URI_LENGTH) {
    throw invalidRedirectUri(
      `redirect_uris must be a list of exactly one URI of at most ${MAX_REDIRECT_URI_LENGTH} characters.`,
    );
  }
  return redirectUri;
}

/** The field can be absent. Otherwise it lists `known` words, including `needed`. */
function checkWords(
  metadata: Readonly<Record<string, unknown>>,
  field: 'grant_types' | 'response_types',
  known: readonly string[],
  needed: string,
): void {
  const words = metadata[field] ?? [needed];
  const isKnown = Array.isArray(words) && words.every((word) => known.includes(word));
  if (!isKnown || !words.includes(needed)) {
    throw invalidMetadata(`${field} must list ${needed}, and nothing but ${known.join(', ')}.`);
  }
}

function shortText(field: string, value: unknown, maxLength: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length <= maxLength) return value;
  throw invalidMetadata(`${field} must be a string of at most ${maxLength} characters.`);
}

/** The host that receives codes, or the private scheme of an app. */
function defaultName(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return redirectUri.slice(0, MAX_NAME_LENGTH);
  const { hostname, protocol } = new URL(redirectUri);
  return (hostname === '' ? protocol.slice(0, -1) : hostname).slice(0, MAX_NAME_LENGTH);
}

/** Refusals of the accounts room, under their names in RFC 7591 §3.2.2. */
function inTermsOfRegistration(failure: unknown): unknown {
  if (!(failure instanceof GatewayError)) return failure;
  switch (failure.code) {
    case 'OAUTH_REDIRECT_URI_INVALID':
      return invalidRedirectUri(requestSentence(failure).replace(/^redirectUri/, 'redirect_uris[0]'));
    case 'TOO_MANY_OAUTH_APPLICATIONS':
      return new GatewayError(REGISTRATION_ERRORS.OAUTH_REGISTRATION_FULL);
    default:
      return failure;
  }
}

function invalidMetadata(sentence: string): GatewayError {
  return new GatewayError(REGISTRATION_ERRORS.OAUTH_INVALID_CLIENT_METADATA, { sentence });
}

function invalidRedirectUri(sentence: string): GatewayError {
  return new GatewayError(REGISTRATION_ERRORS.OAUTH_INVALID_REDIRECT_URI, { sentence });
}
