/**
 * The password of a share, in clear, because the person who sets it passes it on. Shows how hard it is to
 * guess, and offers one.
 */

import { useId } from 'preact/hooks';
import { newPassword, type Strength, strengthOf } from '../password.ts';
import { t } from '../words.ts';

/** As the API takes it. */
const MAX_CHARS = 256;

const HINTS: Readonly<Record<Strength, string>> = {
  none: t('Without a password, everyone who has the link can watch.'),
  weak: t('Weak: easy to guess. Make it longer.'),
  fair: t('Fair: fine for a few days.'),
  strong: t('Strong.'),
};

export function PasswordField({
  label,
  value,
  error = null,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly error?: string | null;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  const strength = strengthOf(value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="joined">
        <input
          id={id}
          type="text"
          class="secret"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MAX_CHARS}
          aria-describedby={`${id}-hint`}
          {...(error === null ? {} : { 'aria-invalid': true })}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        <button type="button" onClick={() => onValue(newPassword())}>
          {t('Generate')}
        </button>
      </div>
      <p class={`hint strength ${strength}`} id={`${id}-hint`} role="status">
        {error ?? HINTS[strength]}
      </p>
    </div>
  );
}
