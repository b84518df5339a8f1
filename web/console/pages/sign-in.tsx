/** The way in: the one-time code of the printed link, an invitation, an email address and a password, or a passkey. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { usePageTitle } from '../page-title.ts';
import { acceptInvite, signIn } from '../session.ts';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { isTooShort, NewPasswordField } from '../ui/new-password-field.tsx';
import { PasskeyJoin, PasskeySignIn } from '../ui/passkey-entry.tsx';
import { SsoEntry, takeSsoFailure } from '../ui/sso-entry.tsx';
import { t, tRich } from '../words.ts';

/** Parameters of the fragment, which browsers never send. */
const CODE_PARAMETER = 'code';
const INVITE_PARAMETER = 'invite';

export function SignInPage() {
  const [secrets] = useState(takeSecrets);
  return secrets.inviteToken === null ? (
    <SignInForm oneTimeCode={secrets.oneTimeCode} />
  ) : (
    <InvitationForm inviteToken={secrets.inviteToken} />
  );
}

function SignInForm({ oneTimeCode }: { readonly oneTimeCode: string | null }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, error, enter } = useEntry();
  const [ssoFailure] = useState(takeSsoFailure);
  usePageTitle(t('Sign in'));
  useEffect(() => {
    if (oneTimeCode !== null) void enter(() => signIn({ oneTimeCode }));
  }, []);
  return (
    <EntryForm
      submit={isBusy ? t('Signing in…') : t('Sign in')}
      isBusy={isBusy}
      problem={error?.message ?? ssoFailure}
      onSubmit={() => void enter(() => signIn({ email, password }))}
      otherWays={
        <>
          <PasskeySignIn isBusy={isBusy} enter={enter} />
          <SsoEntry isBusy={isBusy} email={email} />
        </>
      }
      hint={
        <>
          <details class="hint">
            <summary>{t('Can’t sign in?')}</summary>
            <p>
              {t(
                'Ask an administrator of your organization to check your email address and your role, and to send you a new invitation. After several wrong passwords, wait a minute.',
              )}
            </p>
          </details>
          <details class="hint">
            <summary>{t('First time here?')}</summary>
            <p>
              {tRich(
                'You need an invitation. For the first administrator, open the link that <code>npm start</code> printed, or run <code>sluice console-link</code> on the gateway’s machine.',
                { code: (text) => <code>{text}</code> },
              )}
            </p>
          </details>
        </>
      }
    >
      <TextField
        label={t('Email')}
        type="email"
        autocomplete="username webauthn"
        isRequired
        value={email}
        onValue={setEmail}
      />
      <TextField
        label={t('Password')}
        type="password"
        autocomplete="current-password"
        isRequired
        value={password}
        onValue={setPassword}
      />
    </EntryForm>
  );
}

function InvitationForm({ inviteToken }: { readonly inviteToken: string }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, error, enter } = useEntry();
  const isShort = isTooShort(password);
  usePageTitle(t('Join'));
  return (
    <EntryForm
      submit={isBusy ? t('One moment…') : t('Join')}
      isBusy={isBusy || isShort}
      problem={error?.message ?? null}
      onSubmit={() => void enter(() => acceptInvite(inviteToken, name, password))}
      otherWays={<PasskeyJoin inviteToken={inviteToken} name={name} isBusy={isBusy} enter={enter} />}
    >
      <p>{t('You are invited to this console. Choose how you will sign in.')}</p>
      <TextField label={t('Your name')} autocomplete="name" isRequired value={name} onValue={setName} />
      <NewPasswordField value={password} onValue={setPassword} />
    </EntryForm>
  );
}

function EntryForm({
  submit,
  isBusy,
  problem,
  onSubmit,
  otherWays,
  hint,
  children,
}: {
  readonly submit: string;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onSubmit: () => void;
  /** Below the button. */
  readonly otherWays: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <h1>
          <Icon name="mark" /> Sluice
        </h1>
        {problem !== null && (
          <p class="form-error" role="alert">
            {problem}
          </p>
        )}
        {children}
        <button type="submit" class="primary" disabled={isBusy}>
          {submit}
        </button>
        {otherWays}
        {hint}
      </form>
    </main>
  );
}

/** One attempt at a time, and why the last one failed. */
function useEntry() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const enter = async (attempt: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await attempt();
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, enter };
}

/**
 * Takes the secrets out of the address, so that neither the history nor a bookmark keeps them. Null: there
 * are none.
 */
function takeSecrets(): { readonly oneTimeCode: string | null; readonly inviteToken: string | null } {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const [oneTimeCode, inviteToken] = [parameters.get(CODE_PARAMETER), parameters.get(INVITE_PARAMETER)];
  if (oneTimeCode !== null || inviteToken !== null) {
    history.replaceState(null, '', location.pathname + location.search);
  }
  return { oneTimeCode, inviteToken };
}
