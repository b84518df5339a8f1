/** Error codes of accounts: organizations, their API keys, OAuth applications and grants, sessions, users' settings. */

import { defineErrors } from '../core/errors.ts';

export const ACCOUNT_ERRORS = defineErrors({
  ORGANIZATION_NOT_FOUND: { kind: 'not-found', message: 'The organization no longer exists.' },
  ORGANIZATION_UNNAMED: { kind: 'invalid-input', message: 'An organization needs a name.' },
  API_TOKEN_NOT_FOUND: { kind: 'not-found', message: 'There is no API token with this UUID.' },
  API_TOKEN_UNNAMED: { kind: 'invalid-input', message: 'An API token needs a name.' },
  TOO_MANY_API_TOKENS: {
    kind: 'limit',
    message: 'The organization has reached its limit of API tokens. Revoke unused ones.',
  },
  TOO_MANY_FEDERATED_SESSIONS: {
    kind: 'limit',
    message: 'The organization has reached its limit of federated sessions. Wait until some have expired.',
  },
  FEDERATED_SESSION_NEEDS_KEY: {
    kind: 'not-allowed',
    message: 'Federated sessions require an API key. An application cannot pass on its own access.',
  },
  FEDERATED_SESSION_DOMAIN_INVALID: {
    kind: 'invalid-input',
    message: 'The domain of a federated session must be a host name.',
  },
  FEDERATED_SESSION_DEVICE_NOT_FOUND: {
    kind: 'not-found',
    message: 'The federated session is for a device that does not exist.',
  },
  OAUTH_APPLICATION_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no OAuth application with this client ID.',
  },
  OAUTH_APPLICATION_UNNAMED: { kind: 'invalid-input', message: 'An OAuth application needs a name.' },
  OAUTH_REDIRECT_URI_REQUIRED: {
    kind: 'invalid-input',
    message: 'An OAuth application needs a redirect URI.',
  },
  OAUTH_REDIRECT_URI_INVALID: {
    kind: 'invalid-input',
    message: 'Authorization codes cannot be sent to this redirect URI.',
  },
  OAUTH_APPLICATION_CANNOT_CONSENT: {
    kind: 'not-allowed',
    message: 'Granting access requires an API key. An application cannot pass on its own access.',
  },
  OAUTH_INVALID_CLIENT: { kind: 'unauthenticated', message: 'The client ID or its secret was not accepted.' },
  OAUTH_GRANT_NOT_FOUND: { kind: 'not-found', message: 'There is no grant with this UUID.' },
  OAUTH_INVALID_GRANT: {
    kind: 'invalid-input',
    message: 'The code or refresh token is unknown, used, expired, revoked or belongs to another client.',
  },
  OAUTH_INVALID_CLIENT_METADATA: {
    kind: 'invalid-input',
    message: "The client's metadata is malformed, or asks for something that is not supported.",
  },
  OAUTH_INVALID_REDIRECT_URI: {
    kind: 'invalid-input',
    message: "The client's redirect URI is missing or cannot be used.",
  },
  TOO_MANY_OAUTH_APPLICATIONS: {
    kind: 'limit',
    message: 'The organization has reached its limit of OAuth applications.',
  },
  TOO_MANY_OAUTH_GRANTS: {
    kind: 'limit',
    message: 'The organization has reached its limit of grants. Revoke unused ones.',
  },
  PHONE_NUMBER_INVALID: {
    kind: 'invalid-input',
    message: 'This is not a phone number with a country code.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    kind: 'invalid-input',
    message: 'This Idempotency-Key belongs to another request. Each request needs its own key.',
  },
  IDEMPOTENT_REQUEST_RUNNING: {
    kind: 'conflict',
    message:
      'The request with this Idempotency-Key is still being carried out. Send it again later to get its response.',
  },
  IDEMPOTENT_ANSWER_UNKNOWN: {
    kind: 'conflict',
    message:
      'The request with this Idempotency-Key was interrupted, and its outcome is unknown. Check whether it was ' +
      'carried out before you send it with another key.',
  },
  TOO_MANY_IDEMPOTENCY_KEYS: {
    kind: 'limit',
    message:
      'This credential already has 10,000 Idempotency-Keys, each kept for 24 hours. Send the request later, or ' +
      'without one.',
  },
  NOTIFICATION_INTERVAL_EMPTY: {
    kind: 'invalid-input',
    message: 'The interval of a time frame must end after it begins.',
  },
  NOTIFICATION_LOCATION_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'A time frame names a location that the organization does not have.',
  },
});
