/** Error codes of single sign-on. Sentences of sign-ins are for the person who tried to sign in, those of the setup for administrators. */

import { defineErrors, type GatewayError } from '../core/errors.ts';

export const OIDC_ERRORS = defineErrors({
  OIDC_NOT_SET_UP: { kind: 'not-found', message: 'This sign-in provider is not set up, or is turned off.' },
  OIDC_BUSY: {
    kind: 'unavailable',
    message: 'Too many people are signing in right now. Try again in a minute.',
  },
  OIDC_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The sign-in provider could not be reached. Try again in a minute.',
  },
  OIDC_ATTEMPT_INVALID: {
    kind: 'invalid-input',
    message: 'This sign-in was started too long ago, in another browser, or was already used. Start again.',
  },
  OIDC_CANCELED: { kind: 'not-allowed', message: 'The sign-in was canceled at the provider.' },
  OIDC_REFUSED: { kind: 'peer-refused', message: 'The sign-in provider refused the sign-in.' },
  OIDC_CLOCK: {
    kind: 'peer-protocol',
    message:
      'The clocks of the gateway and the sign-in provider differ. Ask the administrator to check them.',
  },
  OIDC_RESPONSE_INVALID: {
    kind: 'peer-protocol',
    message:
      'The response of the sign-in provider could not be verified. Ask the administrator to check the setup.',
  },
  OIDC_EMAIL_UNVERIFIED: {
    kind: 'not-allowed',
    message: 'The sign-in provider has not verified your email address.',
  },
  OIDC_DOMAIN_NOT_ALLOWED: {
    kind: 'not-allowed',
    message: 'Accounts with your email address cannot sign in here.',
  },
  OIDC_NOT_INVITED: {
    kind: 'not-allowed',
    message: 'You are not invited to this console. Ask an administrator for an invitation.',
  },
  OIDC_NO_ROLE: {
    kind: 'not-allowed',
    message: 'Your account has no role for this console. Ask an administrator for one.',
  },
  OIDC_LOGOUT_INVALID: {
    kind: 'invalid-input',
    message: 'This is no logout token of the sign-in provider for this gateway, or it was already used.',
  },
  OIDC_TOO_MANY_LOGOUTS: {
    kind: 'limit',
    message: 'Too many sessions were ended at the sign-in provider.',
  },
  OIDC_ISSUER_INVALID: {
    kind: 'invalid-input',
    message: 'The issuer must be an https address without a query, such as https://login.example.com.',
  },
  OIDC_ISSUER_REFUSED: {
    kind: 'invalid-input',
    message:
      'The sign-in provider is in a private network. The operator can allow that with webhooks.allowPrivateNetworks.',
  },
  OIDC_DISCOVERY_FAILED: {
    kind: 'invalid-input',
    message:
      'The settings of the sign-in provider could not be read at the issuer’s address. Check the issuer, and whether the gateway reaches it.',
  },
  OIDC_SECRET_MISSING: {
    kind: 'invalid-input',
    message: 'Send the client secret too: the known one is for the earlier issuer.',
  },
  OIDC_PROVIDER_NOT_FOUND: { kind: 'not-found', message: 'There is no such sign-in provider.' },
  TOO_MANY_OIDC_PROVIDERS: { kind: 'limit', message: 'The organization has too many sign-in providers.' },
  SIGN_IN_DOMAIN_INVALID: { kind: 'invalid-input', message: 'A domain must be like `example.com`.' },
  SIGN_IN_DOMAIN_TAKEN: {
    kind: 'conflict',
    message: 'Another sign-in provider of this gateway has the domain.',
  },
  SIGN_IN_DOMAIN_UNKNOWN: {
    kind: 'not-found',
    message: 'No sign-in provider of the organization has the domain.',
  },
  SIGN_IN_DOMAIN_UNPROVEN: {
    kind: 'invalid-input',
    message: 'The TXT record of the domain was not found. New records can take some minutes to appear.',
  },
  SIGN_IN_DOMAIN_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The name servers of the domain did not respond. Try again in a minute.',
  },
  OIDC_PERSON_DISABLED: { kind: 'not-allowed', message: 'Your access to this console is turned off.' },
});

/** Whether a failed sign-in counts against the address that it came from. A provider that is down must not keep passwords out. */
export function isGuess({ code, kind }: Pick<GatewayError, 'code' | 'kind'>): boolean {
  return kind !== 'unavailable' && code !== OIDC_ERRORS.OIDC_CLOCK.code;
}
