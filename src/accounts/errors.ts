/** Error codes of accounts: organisations, their API keys, OAuth applications and grants, sessions, users' settings. */

import { defineErrors } from '../core/errors.ts';

export const ACCOUNT_ERRORS = defineErrors({
  ORGANISATION_NOT_FOUND: { kind: 'not-found', message: 'The organisation does not exist any more.' },
  ORGANISATION_UNNAMED: { kind: 'invalid-input', message: 'An organisation needs a name.' },
  API_TOKEN_NOT_FOUND: { kind: 'not-found', message: 'There is no API token with this UUID.' },
  API_TOKEN_UNNAMED: { kind: 'invalid-input', message: 'An API token needs a name.' },
  TOO_MANY_API_TOKENS: {
    kind: 'limit',
    message:
      'The organisation has as many API tokens as it may have: revoke those that are not used any more.',
  },
  TOO_MANY_FEDERATED_SESSIONS: {
    kind: 'limit',
    message: 'The organisation has as many federated sessions as it may have: wait until some have expired.',
  },
  FEDERATED_SESSION_NEEDS_KEY: {
    kind: 'not-allowed',
    message: 'Federated sessions are made with an API key; an application cannot pass its own access on.',
  },
  FEDERATED_SESSION_DOMAIN_INVALID: {
    kind: 'invalid-input',
    message: 'The domain of a federated session is the name of a host.',
  },
  FEDERATED_SESSION_DEVICE_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no camera or NVR with the UUID that the federated session is to be for.',
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
    message: 'Access is granted with an API key; an application cannot pass its own access on.',
  },
  OAUTH_INVALID_CLIENT: { kind: 'unauthenticated', message: 'The client or its secret was not accepted.' },
  OAUTH_GRANT_NOT_FOUND: { kind: 'not-found', message: 'There is no grant with this UUID.' },
  OAUTH_INVALID_GRANT: {
    kind: 'invalid-input',
    message: 'The code or refresh token is unknown, used, expired, revoked or not of this client.',
  },
  OAUTH_INVALID_CLIENT_METADATA: {
    kind: 'invalid-input',
    message:
      'The metadata of the client to register is malformed, or asks for something that is not offered.',
  },
  OAUTH_INVALID_REDIRECT_URI: {
    kind: 'invalid-input',
    message: 'The redirect URI of the client to register is missing or cannot be used.',
  },
  TOO_MANY_OAUTH_APPLICATIONS: {
    kind: 'limit',
    message: 'The organisation has as many OAuth applications as it may have.',
  },
  TOO_MANY_OAUTH_GRANTS: {
    kind: 'limit',
    message:
      'The organisation has granted access as often as it may: revoke grants that are not used any more.',
  },
  PHONE_NUMBER_INVALID: {
    kind: 'invalid-input',
    message: 'This is not a phone number with its country code.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    kind: 'invalid-input',
    message: 'This Idempotency-Key belongs to another request: each request needs a key of its own.',
  },
  IDEMPOTENT_REQUEST_RUNNING: {
    kind: 'conflict',
    message: 'The request with this Idempotency-Key is still being carried out: ask again for its answer.',
  },
  IDEMPOTENT_ANSWER_UNKNOWN: {
    kind: 'conflict',
    message:
      'The request with this Idempotency-Key was begun, and its answer is not known: see whether it was carried out before you send it under another key.',
  },
  TOO_MANY_IDEMPOTENCY_KEYS: {
    kind: 'limit',
    message:
      '10,000 Idempotency-Keys of this credential are kept, each for 24 hours: send the request without one, or later.',
  },
  NOTIFICATION_INTERVAL_EMPTY: {
    kind: 'invalid-input',
    message: 'The interval of a time frame must end after it begins.',
  },
  NOTIFICATION_LOCATION_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'A time frame names a location that the organisation does not have.',
  },
});
