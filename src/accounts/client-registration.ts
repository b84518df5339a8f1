/**
 * Dynamic client registration (RFC 7591): client metadata in, an OAuth application out. Unknown metadata is ignored (§2). Known metadata
 * that Sluice does not support is refused, so that no client runs with terms that it did not request.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { OAuthApplication } from '../store/oauth.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import {
  MAX_APPLICATION_NAME_LENGTH,
  MAX_CONTACT_EMAIL_LENGTH,
  type OAuthApplications,
} from './oauth-applications.ts';
import { MAX_REDIRECT_URI_LENGTH } from './redirect-uri.ts';

/** How applications authenticate (§2); `none`: a public client names itself and has no secret. */
export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;
export const RESPONSE_TYPES = ['code'] as const;

/** Client metadata by the names of RFC 7591 §2, as sent by a client: values of any type. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

export interface RegisteredClient {
  readonly application: OAuthApplication;
  /** Shown only once; null for a public client. */
  readonly secret: string | null;
  readonly authMethod: (typeof CLIENT_AUTH_METHODS)[number];
}

interface CheckedMetadata {
  readonly redirectUri: string;
  readonly name: string;
  readonly contactEmail: string | undefined;
  readonly authMethod: RegisteredClient['authMethod'];
}

/**
 * Registers a client for an organization. Fails OAUTH_INVALID_CLIENT_METADATA and OAUTH_INVALID_REDIRECT_URI with a
 * sentence that names the metadata, or like `submit`.
 */
export async function registerClient(
  orgUuid: Ruuid,
  metadata: ClientMetadata,
  applications: OAuthApplications,
): Promise<RegisteredClient> {
  const { redirectUri, name, contactEmail, authMethod } = checkMetadata(metadata);
  const contact = contactEmail === undefined ? {} : { contactEmail };
  const details = { name, redirectUri, ...contact };
  if (authMethod !== 'none')
    return { ...(await applications.submit(orgUuid, undefined, details)), authMethod };
  return { application: await applications.submitPublic(orgUuid, details), secret: null, authMethod };
}

function checkMetadata(given: ClientMetadata): CheckedMetadata {
  // Null means absent, as everywhere in the API.
  const metadata = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const redirectUri = onlyRedirectUri(metadata.redirect_uris);
  const { token_endpoint_auth_method: wantedMethod = CLIENT_AUTH_METHODS[0] } = metadata;
  const authMethod = CLIENT_AUTH_METHODS.find((known) => known === wantedMethod);
  if (authMethod === undefined) {
    throw invalidMetadata(`token_endpoint_auth_method must be ${CLIENT_AUTH_METHODS.join(' or ')}.`);
  }
  checkWords(metadata, 'grant_types', GRANT_TYPES, 'authorization_code');
  checkWords(metadata, 'response_types', RESPONSE_TYPES, 'code');
  const name = shortText('client_name', metadata.client_name, MAX_APPLICATION_NAME_LENGTH)?.trim();
  const contacts: unknown = metadata.contacts ?? [];
  if (!Array.isArray(contacts)) throw invalidMetadata('contacts must be a list of strings.');
  const [contactEmail] = contacts.map((contact: unknown, index) =>
    shortText(`contacts[${index}]`, contact, MAX_CONTACT_EMAIL_LENGTH),
  );
  return {
    redirectUri,
    // RFC 7591 §2: without a name, the consent page shows the user something else.
    name: name === undefined || name === '' ? defaultName(redirectUri) : name,
    contactEmail,
    authMethod,
  };
}

function onlyRedirectUri(redirectUris: unknown): string {
  const isOne = Array.isArray(redirectUris) && redirectUris.length === 1;
  const redirectUri: unknown = isOne ? redirectUris[0] : undefined;
  if (typeof redirectUri === 'string' && redirectUri.length <= MAX_REDIRECT_URI_LENGTH) return redirectUri;
  const sentence = `redirect_uris must be a list of exactly one URI of at most ${MAX_REDIRECT_URI_LENGTH} characters.`;
  throw new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_REDIRECT_URI, { sentence });
}

/** The member can be absent. Otherwise it lists `known` words, including `needed`. */
function checkWords(
  metadata: ClientMetadata,
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
  if (!URL.canParse(redirectUri)) return redirectUri.slice(0, MAX_APPLICATION_NAME_LENGTH);
  const { hostname, protocol } = new URL(redirectUri);
  return (hostname === '' ? protocol.slice(0, -1) : hostname).slice(0, MAX_APPLICATION_NAME_LENGTH);
}

function invalidMetadata(sentence: string): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT_METADATA, { sentence });
}
