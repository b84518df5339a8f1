/** Error codes of accounts: organizations, their people, API keys, OAuth applications and grants, sessions, settings. */

import { defineErrors } from '../core/errors.ts';

export const ACCOUNT_ERRORS = defineErrors({
  ORGANIZATION_NOT_FOUND: { kind: 'not-found', message: 'The organization no longer exists.' },
  ORGANIZATION_UNNAMED: { kind: 'invalid-input', message: 'An organization needs a name.' },
  API_TOKEN_END_NOT_STORED: {
    kind: 'unavailable',
    message:
      'The credential no longer works, and what rests on it has ended, but neither the store nor a file of the gateway could save that. The gateway keeps trying; if it restarts before it succeeds, the credential works again.',
  },
  TOO_MANY_UNSTORED_TOKEN_ENDS: {
    kind: 'unavailable',
    message:
      'The store is unavailable, and the organization has reached its limit of changes that wait for it (`unstoredEnds`). Nothing was changed.',
  },
  API_TOKEN_NOT_FOUND: { kind: 'not-found', message: 'There is no API token with this UUID.' },
  API_TOKEN_EXPIRED: {
    kind: 'unauthenticated',
    message: 'The API key has expired. An administrator can extend it.',
  },
  API_TOKEN_EXPIRATION_INVALID: {
    kind: 'invalid-input',
    message: 'The expiration of an API token must be in the future, and no later than the year 9999.',
  },
  API_TOKEN_UNNAMED: { kind: 'invalid-input', message: 'An API token needs a name.' },
  ACCESS_SCOPE_UNKNOWN: {
    kind: 'invalid-input',
    message: 'The rights name a site or camera that the organization does not have.',
  },
  ACCESS_SCOPE_OF_ADMIN: {
    kind: 'invalid-input',
    message: 'The role admin cannot be limited to sites and cameras. Choose viewer or operator.',
  },
  API_TOKEN_ROLE_UNUSED: {
    kind: 'invalid-input',
    message: 'An API token that only reports cannot have a role.',
  },
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
  TOO_MANY_NOTIFICATION_SETTINGS: {
    kind: 'limit',
    message: 'The organization has reached its limit of users with notification settings.',
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
  PERSON_NOT_FOUND: { kind: 'not-found', message: 'There is no person with this UUID.' },
  PERSON_UNNAMED: { kind: 'invalid-input', message: 'A person needs a name.' },
  PERSON_EMAIL_INVALID: { kind: 'invalid-input', message: 'This is not an email address.' },
  PERSON_EMAIL_TAKEN: {
    kind: 'conflict',
    message: 'Someone in the organization already has this email address.',
  },
  PERSON_PROVISIONED: {
    kind: 'conflict',
    message:
      'The directory already added the person with this email address. They need no invitation: they sign in at the sign-in provider.',
  },
  PERSON_DEPROVISIONED: {
    kind: 'conflict',
    message:
      'The directory deactivated the person with this email address. Activate them there: an invitation would not let them in.',
  },
  PERSON_EMAIL_REQUIRED: {
    kind: 'invalid-input',
    message: 'A person who signs in with a password needs an email address. Set it first.',
  },
  PERSON_PASSWORD_TOO_SHORT: {
    kind: 'invalid-input',
    message: 'The password is too short. It needs at least 10 characters.',
  },
  PERSON_PASSWORD_TOO_LONG: {
    kind: 'invalid-input',
    message: 'The password is too long. It can have at most 128 characters.',
  },
  PASSWORD_WRONG: { kind: 'not-allowed', message: 'The current password is wrong.' },
  PERSON_REQUIRED: {
    kind: 'not-allowed',
    message: 'Only a person who is signed in can do this. An API key has no password and no session.',
  },
  LAST_ADMIN: {
    kind: 'conflict',
    message: 'This is the last admin who can sign in. Make someone else an admin first.',
  },
  TOO_MANY_PEOPLE: {
    kind: 'limit',
    message: 'The organization has reached its limit of people. Remove some first.',
  },
  TOO_MANY_INVITATIONS: {
    kind: 'limit',
    message: 'The organization has reached its limit of invitations. Wait until some have expired.',
  },
  INVITATION_INVALID: {
    kind: 'not-found',
    message: 'This invitation has expired or was already used. Ask for a new one.',
  },
  SIGN_IN_FAILED: {
    kind: 'unauthenticated',
    message: 'The email address, the password or the code is wrong, or the code no longer works.',
  },
  SIGN_IN_LIMITED: {
    kind: 'rate-limited',
    message: 'There were too many attempts to sign in. Wait as long as Retry-After says.',
  },
  CONFIRMATION_REQUIRED: {
    kind: 'not-allowed',
    message: 'Confirm who you are first, with your password or a passkey, or sign in again.',
  },
  PASSKEY_REFUSED: {
    kind: 'unauthenticated',
    message: 'This passkey was not accepted. Try again, or sign in another way.',
  },
  PASSKEY_NOT_CONFIRMED: {
    kind: 'not-allowed',
    message: 'This passkey was not accepted. Try again, or use your password.',
  },
  PASSKEY_INVALID: {
    kind: 'invalid-input',
    message: 'The passkey was not accepted, or it took too long. Try again.',
  },
  PASSKEY_TAKEN: { kind: 'conflict', message: 'This passkey has already been added.' },
  PASSKEY_UNNAMED: { kind: 'invalid-input', message: 'A passkey needs a name.' },
  PASSKEY_NOT_FOUND: { kind: 'not-found', message: 'There is no passkey with this UUID.' },
  TOO_MANY_PASSKEYS: {
    kind: 'limit',
    message: 'There is no room for another passkey. A person can have 10. Remove one first.',
  },
  PUSH_SUBSCRIPTION_INVALID: {
    kind: 'invalid-input',
    message: 'A push subscription needs an https endpoint and its keys, as browsers return them.',
  },
  PUSH_SUBSCRIPTION_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no push subscription with this UUID.',
  },
  TOO_MANY_PUSH_SUBSCRIPTIONS: {
    kind: 'limit',
    message:
      'There is no room for notifications in another browser. A person can have 10. Turn them off in one first.',
  },
  LAST_WAY_TO_SIGN_IN: {
    kind: 'conflict',
    message: 'This is the only way to sign in. Set a password or add another passkey first.',
  },
  PASSKEYS_NEED_NAME: {
    kind: 'conflict',
    message:
      'Browsers offer passkeys only to pages with a host name, and the address of this console is an IP address. Use a ' +
      'password, or set public.apiUrl to an https address with a host name.',
  },
  PASSKEYS_NEED_HTTPS: {
    kind: 'conflict',
    message:
      'Browsers offer passkeys only to pages over https. Use a password, or set public.apiUrl to an https address.',
  },
  CONSOLE_SESSION_NOT_FOUND: { kind: 'not-found', message: 'There is no session with this UUID.' },
  TOO_MANY_CONSOLE_SESSIONS: {
    kind: 'limit',
    message: 'The organization has reached its limit of console sessions. End unused ones.',
  },
  NOTIFICATION_TIME_ZONE_UNKNOWN: {
    kind: 'invalid-input',
    message: 'There is no IANA time zone with this name.',
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
