/** Single sign-on on the sign-in page: the buttons of providers, and why the last attempt failed. */

import { useEffect, useState } from 'preact/hooks';
import { place } from '../places.ts';
import { findSignInProvider, loadSsoLabel, type SignInProvider } from '../session.ts';
import { t } from '../words.ts';

const FAILURE_PARAMETER = 'signIn';

const TOO_LATE = t(
  'This sign-in was started too long ago, in another browser, or was already used. Start again.',
);
const REFUSED = t('The sign-in provider refused the sign-in. Ask an administrator to check the setup.');
const CLOCKS = t(
  'The clocks of the gateway and the sign-in provider differ. Ask an administrator to check them.',
);
const UNVERIFIED = t(
  'The response of the sign-in provider could not be verified. Ask an administrator to check the setup.',
);
const UNUSABLE = t(
  'The response of the sign-in provider is not for this gateway, or is damaged. Ask an administrator to check the setup.',
);
/** An address that may have a provider of its own. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/;
/** After the last key. */
const FIND_MS = 250;

/** Texts for the gateway's error codes. */
const FAILURES: Readonly<Record<string, string>> = {
  SIGN_IN_LIMITED: t('There were too many attempts to sign in from your address. Wait a minute.'),
  OIDC_NOT_SET_UP: t('This sign-in provider is not set up, or is turned off.'),
  OIDC_BUSY: t('Too many people are signing in right now. Try again in a minute.'),
  OIDC_UNAVAILABLE: t('The sign-in provider could not be reached. Try again in a minute.'),
  OIDC_ATTEMPT_INVALID: TOO_LATE,
  OIDC_CANCELED: t('You canceled the sign-in.'),
  OIDC_REFUSED: REFUSED,
  OIDC_CLOCK: CLOCKS,
  OIDC_RESPONSE_INVALID: UNVERIFIED,
  OIDC_EMAIL_UNVERIFIED: t('The sign-in provider has not verified your email address.'),
  OIDC_DOMAIN_NOT_ALLOWED: t('Accounts with your email address cannot sign in here.'),
  OIDC_NOT_INVITED: t('You are not invited to this console. Ask an administrator for an invitation.'),
  OIDC_NO_ROLE: t('Your account has no role for this console. Ask an administrator for one.'),
  OIDC_PERSON_DISABLED: t('Your access to this console is turned off.'),
  SAML_NOT_SET_UP: t('This sign-in provider is not set up, or is turned off.'),
  SAML_BUSY: t('Too many people are signing in right now. Try again in a minute.'),
  SAML_TOO_LARGE: UNUSABLE,
  SAML_XML_INVALID: UNUSABLE,
  SAML_STRUCTURE_INVALID: UNUSABLE,
  SAML_SIGNATURE_MISSING: UNVERIFIED,
  SAML_SIGNATURE_INVALID: UNVERIFIED,
  SAML_ENCRYPTION_MISSING: UNVERIFIED,
  SAML_ISSUER_WRONG: UNUSABLE,
  SAML_AUDIENCE_WRONG: UNUSABLE,
  SAML_RECIPIENT_WRONG: UNUSABLE,
  SAML_REQUEST_UNKNOWN: TOO_LATE,
  SAML_REPLAYED: TOO_LATE,
  SAML_UNSOLICITED: t(
    'This provider cannot begin a sign-in. Type your email address here, then continue with the provider.',
  ),
  SAML_CLOCK: CLOCKS,
  SAML_REFUSED: REFUSED,
  SAML_ADMIN_NOT_LINKED: t(
    'An administrator has your email address. Sign in with your password or passkey first, then use single sign-on in this browser once.',
  ),
  SAML_METADATA_UNREACHABLE: t('The metadata could not be read from their address.'),
  SAML_METADATA_INVALID: t('The metadata do not describe a SAML provider that can be used.'),
  SAML_METADATA_UNSIGNED: t('The metadata are not signed with the given certificate.'),
  SAML_LOGOUT_INVALID: t('The sign-out of the provider could not be verified.'),
  SIGNED_OUT_HERE: t(
    'You are signed out here, but the sign-in provider could not be reached. You may still be signed in there.',
  ),
  LAST_ADMIN: t('You are the last admin, so your role cannot change. Make someone else an admin first.'),
};

/** `email`: as typed so far; its domain leads to a provider. */
export function SsoEntry({ isBusy, email }: { readonly isBusy: boolean; readonly email: string }) {
  const [label, setLabel] = useState<string | null>(null);
  const [returnTo] = useState(() => location.pathname + withoutFailure());
  const found = useProvider(email);
  useEffect(() => {
    void loadSsoLabel().then(setLabel);
  }, []);
  // A navigation that the console's own router does not take for one of its pages.
  const go = (startUrl: string) => location.assign(`${startUrl}?returnTo=${encodeURIComponent(returnTo)}`);
  return (
    <>
      {found !== null && !isOfGateway(found) && (
        <button type="button" disabled={isBusy} onClick={() => go(found.startUrl)}>
          {t('Continue with {label}', { label: found.label })}
        </button>
      )}
      {label !== null && (
        <button type="button" disabled={isBusy} onClick={() => go(place('oidc/start'))}>
          {t('Continue with {label}', { label })}
        </button>
      )}
    </>
  );
}

/** The gateway's own provider has a button already. */
function isOfGateway({ startUrl }: SignInProvider): boolean {
  return new URL(startUrl).pathname === new URL(place('oidc/start'), location.href).pathname;
}

/** null: none, or not known yet. */
function useProvider(email: string): SignInProvider | null {
  const [provider, setProvider] = useState<SignInProvider | null>(null);
  const domain = EMAIL.test(email.trim()) ? email.trim().slice(email.trim().lastIndexOf('@') + 1) : '';
  useEffect(() => {
    setProvider(null);
    if (domain === '') return;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      // Without an answer, there are the other ways.
      findSignInProvider(domain, ending.signal).then(setProvider, () => undefined);
    }, FIND_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [domain]);
  return provider;
}

/** Why single sign-on failed; then the address no longer says it. null: it did not. */
export function takeSsoFailure(): string | null {
  const code = new URLSearchParams(location.search).get(FAILURE_PARAMETER);
  if (code === null) return null;
  history.replaceState(null, '', location.pathname + withoutFailure() + location.hash);
  return ssoFaultText(code);
}

/** The text for an error code of a sign-in at a provider. */
export function ssoFaultText(code: string): string {
  return Object.hasOwn(FAILURES, code) ? FAILURES[code]! : t('The sign-in failed. Try again.');
}

function withoutFailure(): string {
  const parameters = new URLSearchParams(location.search);
  parameters.delete(FAILURE_PARAMETER);
  return parameters.size === 0 ? '' : `?${parameters}`;
}
