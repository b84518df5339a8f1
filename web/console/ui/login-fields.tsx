/** The user name and password of a camera, as they are: nothing in them needs an escape. */

import { useId, useState } from 'preact/hooks';
import { t } from '../words.ts';
import { TextField } from './field.tsx';

const MAX_CHARS = 256;

export function LoginFields({
  username,
  password,
  passwordHint,
  error = null,
  onLogin,
}: {
  readonly username: string;
  readonly password: string;
  readonly passwordHint?: string;
  /** Error of the password. */
  readonly error?: string | null;
  readonly onLogin: (login: { readonly username: string; readonly password: string }) => void;
}) {
  return (
    <div class="pair">
      <TextField
        label={t('User name')}
        name="username"
        maxLength={MAX_CHARS}
        value={username}
        onValue={(value) => onLogin({ username: value, password })}
      />
      <CameraPassword
        value={password}
        hint={passwordHint}
        error={error}
        onValue={(value) => onLogin({ username, password: value })}
      />
    </div>
  );
}

function CameraPassword({
  value,
  hint,
  error,
  onValue,
}: {
  readonly value: string;
  readonly hint: string | undefined;
  readonly error: string | null;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  return (
    <div class="field">
      <label for={id}>{t('Password')}</label>
      <div class="joined">
        <input
          id={id}
          name="password"
          {...({ type: isShown ? 'text' : 'password' } as { type: 'text' })}
          class="secret"
          // A browser would fill in the console's own.
          autocomplete="new-password"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MAX_CHARS}
          {...(hint === undefined && error === null ? {} : { 'aria-describedby': `${id}-hint` })}
          {...(error === null ? {} : { 'aria-invalid': true })}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        <button
          type="button"
          aria-pressed={isShown}
          aria-label={t('Show password')}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? t('Hide') : t('Show')}
        </button>
      </div>
      {(error ?? hint) !== undefined && (
        <p class={error === null ? 'hint' : 'field-error'} id={`${id}-hint`}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
