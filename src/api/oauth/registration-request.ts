/**
 * The request and the response of dynamic client registration (RFC 7591; accounts/client-registration.ts has its rules).
 */

import {
  type ClientMetadata,
  GRANT_TYPES,
  RESPONSE_TYPES,
  type RegisteredClient,
  registerClient,
} from '../../accounts/client-registration.ts';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import type { OAuthApplications } from '../../accounts/oauth-applications.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import { REGISTRATION_ERRORS } from './errors.ts';

/** RFC 7591 §3.2.1. */
export interface RegistrationResponse {
  readonly client_id: Ruuid;
  /** Shown only once; absent for a public client. */
  readonly client_secret?: string;
  readonly client_id_issued_at: number;
  /** 0: never. There with a secret alone. */
  readonly client_secret_expires_at?: 0;
  readonly client_name: string;
  readonly contacts: readonly string[];
  readonly redirect_uris: readonly [string];
  readonly token_endpoint_auth_method: RegisteredClient['authMethod'];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
}

/**
 * `body`: the request as text. Fails OAUTH_INVALID_CLIENT_METADATA, OAUTH_INVALID_REDIRECT_URI and
 * OAUTH_REGISTRATION_FULL.
 */
export async function respondRegistration(
  orgUuid: Ruuid,
  body: string,
  applications: OAuthApplications,
): Promise<RegistrationResponse> {
  const { application, secret, authMethod } = await registerClient(
    orgUuid,
    metadataIn(body),
    applications,
  ).catch((failure: unknown) => {
    throw inTermsOfRegistration(failure);
  });
  return {
    client_id: application.uuid,
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_id_issued_at: Math.floor(application.createdAtMs / 1_000),
    client_name: application.name,
    contacts: application.contactEmail === null ? [] : [application.contactEmail],
    redirect_uris: [application.redirectUri],
    token_endpoint_auth_method: authMethod,
    grant_types: GRANT_TYPES,
    response_types: RESPONSE_TYPES,
  };
}

function metadataIn(body: string): ClientMetadata {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON; the error below says so.
    parsed = null;
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return parsed as ClientMetadata;
  const sentence = 'The request must be a JSON object of client metadata.';
  throw new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT_METADATA, { sentence });
}

/** Refusals that apply to every application, under their names in RFC 7591 §3.2.2. */
function inTermsOfRegistration(failure: unknown): unknown {
  if (!(failure instanceof GatewayError)) return failure;
  switch (failure.code) {
    case 'OAUTH_REDIRECT_URI_INVALID': {
      const sentence = requestSentence(failure).replace(/^redirectUri/, 'redirect_uris[0]');
      return new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_REDIRECT_URI, { sentence });
    }
    case 'TOO_MANY_OAUTH_APPLICATIONS':
      return new GatewayError(REGISTRATION_ERRORS.OAUTH_REGISTRATION_FULL);
    default:
      return failure;
  }
}
