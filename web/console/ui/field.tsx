/** A labeled field of a form, with a hint and its fault. */

import { useId } from 'preact/hooks';

export interface TextFieldProps {
  readonly label: string;
  /** Name by which code finds the field to focus. */
  readonly name?: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search';
  /** As HTML names it, such as `current-password`. */
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly hint?: string;
  /** Null or absent: the value is fine. */
  readonly error?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function TextField({ label, type = 'text', hint, error = null, ...field }: TextFieldProps) {
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === null ? [] : [`${id}-error`]),
  ].join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(field.name === undefined ? {} : { name: field.name })}
        // The types know which roles go with a literal type; a variable one needs none.
        {...({ type } as { type: 'text' })}
        autocomplete={field.autocomplete ?? 'off'}
        required={field.isRequired ?? false}
        {...(field.maxLength === undefined ? {} : { maxLength: field.maxLength })}
        value={field.value}
        onInput={({ currentTarget }) => field.onValue(currentTarget.value)}
        {...(described === '' ? {} : { 'aria-describedby': described })}
        {...(error === null ? {} : { 'aria-invalid': true })}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== null && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
