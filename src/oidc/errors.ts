/** Error codes of single sign-on. Every sentence is for the person who tried to sign in. */

import { defineErrors, type GatewayError } from '../core/errors.ts';

export const OIDC_ERRORS = defineErrors({
  OIDC_NOT_SET_UP: { kind: 'not-found', message: 'Single sign-on is not set up on this gateway.' },
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
  OIDC_PERSON_DISABLED: { kind: 'not-allowed', message: 'Your access to this console is turned off.' },
});

/** Whether a failed sign-in counts against the address that it came from. A provider that is down must not keep passwords out. */
export function isGuess({ code, kind }: Pick<GatewayError, 'code' | 'kind'>): boolean {
  return kind !== 'unavailable' && code !== OIDC_ERRORS.OIDC_CLOCK.code;
}
