/** Single sign-on on the sign-in page: the button, if a provider is set up, and why the last attempt failed. */

import { useEffect, useState } from 'preact/hooks';
import { place } from '../places.ts';
import { loadSsoLabel } from '../session.ts';
import { t } from '../words.ts';

const FAILURE_PARAMETER = 'signIn';

/** Texts for the gateway's error codes. */
const FAILURES: Readonly<Record<string, string>> = {
  SIGN_IN_LIMITED: t('There were too many attempts to sign in from your address. Wait a minute.'),
  OIDC_BUSY: t('Too many people are signing in right now. Try again in a minute.'),
  OIDC_UNAVAILABLE: t('The sign-in provider could not be reached. Try again in a minute.'),
  OIDC_ATTEMPT_INVALID: t(
    'This sign-in was started too long ago, in another browser, or was already used. Start again.',
  ),
  OIDC_CANCELED: t('You canceled the sign-in.'),
  OIDC_REFUSED: t('The sign-in provider refused the sign-in. Ask an administrator to check the setup.'),
  OIDC_CLOCK: t(
    'The clocks of the gateway and the sign-in provider differ. Ask an administrator to check them.',
  ),
  OIDC_RESPONSE_INVALID: t(
    'The response of the sign-in provider could not be verified. Ask an administrator to check the setup.',
  ),
  OIDC_EMAIL_UNVERIFIED: t('The sign-in provider has not verified your email address.'),
  OIDC_DOMAIN_NOT_ALLOWED: t('Accounts with your email address cannot sign in here.'),
  OIDC_NOT_INVITED: t('You are not invited to this console. Ask an administrator for an invitation.'),
  OIDC_NO_ROLE: t('Your account has no role for this console. Ask an administrator for one.'),
  OIDC_PERSON_DISABLED: t('Your access to this console is turned off.'),
  SIGNED_OUT_HERE: t(
    'You are signed out here, but the sign-in provider could not be reached. You may still be signed in there.',
  ),
  LAST_ADMIN: t('You are the last admin, so your role cannot change. Make someone else an admin first.'),
};

export function SsoEntry({ isBusy }: { readonly isBusy: boolean }) {
  const [label, setLabel] = useState<string | null>(null);
  const [returnTo] = useState(() => location.pathname + withoutFailure());
  useEffect(() => {
    void loadSsoLabel().then(setLabel);
  }, []);
  if (label === null) return null;
  // A navigation that the console's own router does not take for one of its pages.
  const go = () => location.assign(`${place('oidc/start')}?returnTo=${encodeURIComponent(returnTo)}`);
  return (
    <button type="button" disabled={isBusy} onClick={go}>
      {t('Continue with {label}', { label })}
    </button>
  );
}

/** Why single sign-on failed; then the address no longer says it. null: it did not. */
export function takeSsoFailure(): string | null {
  const code = new URLSearchParams(location.search).get(FAILURE_PARAMETER);
  if (code === null) return null;
  history.replaceState(null, '', location.pathname + withoutFailure() + location.hash);
  return Object.hasOwn(FAILURES, code) ? FAILURES[code]! : t('The sign-in failed. Try again.');
}

function withoutFailure(): string {
  const parameters = new URLSearchParams(location.search);
  parameters.delete(FAILURE_PARAMETER);
  return parameters.size === 0 ? '' : `?${parameters}`;
}
