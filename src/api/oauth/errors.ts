/** Error codes of OAuth: refusals of the management endpoints, and those that RFC 6749 §5.2 has names for. */

import { defineErrors } from '../../core/errors.ts';

export const OAUTH_ERRORS = defineErrors({
  OAUTH_APPLICATION_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no OAuth application with this clientId.',
  },
  OAUTH_GRANT_NOT_FOUND: { kind: 'not-found', message: 'There is no grant with this grantUuid.' },
  TOO_MANY_OAUTH_APPLICATIONS: {
    kind: 'limit',
    message: 'The organisation has as many OAuth applications as it may have.',
  },
  TOO_MANY_OAUTH_GRANTS: {
    kind: 'limit',
    message:
      'The organisation has granted access as often as it may: revoke grants that are not used any more.',
  },
  OAUTH_REDIRECT_URI_MISMATCH: {
    kind: 'invalid-input',
    message: 'redirect_uri is not, character by character, the redirectUri of the application.',
  },
  OAUTH_APPLICATION_CANNOT_CONSENT: {
    kind: 'not-allowed',
    message: 'Access is granted with an API key; an application cannot pass its own access on.',
  },
});

/** What the token and revocation endpoints refuse; each has its name in `OAUTH_PROTOCOL_NAMES`. */
export const OAUTH_PROTOCOL_ERRORS = defineErrors({
  OAUTH_INVALID_REQUEST: {
    kind: 'invalid-input',
    message: 'A parameter of the OAuth request is missing, repeated or malformed.',
  },
  OAUTH_INVALID_CLIENT: { kind: 'unauthenticated', message: 'The client or its secret was not accepted.' },
  OAUTH_INVALID_GRANT: {
    kind: 'invalid-input',
    message: 'The code or refresh token is unknown, used, expired, revoked or not of this client.',
  },
  OAUTH_UNSUPPORTED_GRANT_TYPE: {
    kind: 'invalid-input',
    message: 'grant_type must be authorization_code or refresh_token.',
  },
  OAUTH_INVALID_TARGET: { kind: 'invalid-input', message: 'resource must be the address of this API.' },
});

/** The `error` of an answer (RFC 6749 §5.2, RFC 8707 §2) by our code. */
export const OAUTH_PROTOCOL_NAMES: Readonly<Record<keyof typeof OAUTH_PROTOCOL_ERRORS, string>> = {
  OAUTH_INVALID_REQUEST: 'invalid_request',
  OAUTH_INVALID_CLIENT: 'invalid_client',
  OAUTH_INVALID_GRANT: 'invalid_grant',
  OAUTH_UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  OAUTH_INVALID_TARGET: 'invalid_target',
};
