/** Error codes of the OAuth protocol: those of authorization requests, and those with a name in RFC 6749 §5.2. */

import { defineErrors } from '../../core/errors.ts';

export const OAUTH_ERRORS = defineErrors({
  OAUTH_REDIRECT_URI_MISMATCH: {
    kind: 'invalid-input',
    message:
      'redirect_uri is not, character by character, the redirectUri of the application. Only the port of a loopback address ' +
      'may differ.',
  },
});

/** Refusals of the token and revocation endpoints before they check a grant. */
export const OAUTH_PROTOCOL_ERRORS = defineErrors({
  OAUTH_INVALID_REQUEST: {
    kind: 'invalid-input',
    message: 'A parameter of the OAuth request is missing, repeated or malformed.',
  },
  OAUTH_UNSUPPORTED_GRANT_TYPE: {
    kind: 'invalid-input',
    message: 'grant_type must be authorization_code or refresh_token.',
  },
  OAUTH_INVALID_TARGET: { kind: 'invalid-input', message: 'resource must be the address of this API.' },
});

/** The `error` of a response (RFC 6749 §5.2, RFC 8707 §2), by our code. */
export const OAUTH_PROTOCOL_NAMES: Readonly<
  Record<keyof typeof OAUTH_PROTOCOL_ERRORS | 'OAUTH_INVALID_CLIENT' | 'OAUTH_INVALID_GRANT', string>
> = {
  OAUTH_INVALID_REQUEST: 'invalid_request',
  OAUTH_INVALID_CLIENT: 'invalid_client',
  OAUTH_INVALID_GRANT: 'invalid_grant',
  OAUTH_UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  OAUTH_INVALID_TARGET: 'invalid_target',
};

/** Refusals of client registration with valid metadata. */
export const REGISTRATION_ERRORS = defineErrors({
  OAUTH_REGISTRATION_FULL: {
    kind: 'limit',
    message: 'The organization has reached its limit of OAuth applications. Delete unused ones.',
  },
});

/** Status and `error` of a response, by our code (RFC 7591 §3.2.2; the name for a full registry is from RFC 6749). */
export const REGISTRATION_NAMES: Readonly<
  Record<
    keyof typeof REGISTRATION_ERRORS | 'OAUTH_INVALID_REDIRECT_URI' | 'OAUTH_INVALID_CLIENT_METADATA',
    { readonly status: 400 | 403; readonly name: string }
  >
> = {
  OAUTH_INVALID_REDIRECT_URI: { status: 400, name: 'invalid_redirect_uri' },
  OAUTH_INVALID_CLIENT_METADATA: { status: 400, name: 'invalid_client_metadata' },
  OAUTH_REGISTRATION_FULL: { status: 403, name: 'access_denied' },
};
