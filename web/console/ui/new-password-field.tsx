/** The password that someone chooses for the console. The gateway has the same limits. */

import { t } from '../words.ts';
import { TextField } from './field.tsx';

const MIN_CHARS = 10;
const MAX_CHARS = 128;

export function isTooShort(password: string): boolean {
  return password !== '' && password.length < MIN_CHARS;
}

/** `hint`: further advice. */
export function NewPasswordField({
  value,
  onValue,
  hint = '',
}: {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
}) {
  return (
    <TextField
      label={t('New password')}
      type="password"
      autocomplete="new-password"
      isRequired
      maxLength={MAX_CHARS}
      hint={`${t('At least {count} characters.', { count: MIN_CHARS })} ${hint}`.trim()}
      error={
        isTooShort(value) ? t('{minChars} more characters.', { minChars: MIN_CHARS - value.length }) : null
      }
      value={value}
      onValue={onValue}
    />
  );
}
