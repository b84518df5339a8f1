/** A labeled field for several lines. */

import { useId } from 'preact/hooks';

export function TextAreaField({
  label,
  hint,
  maxLength,
  value,
  onValue,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly maxLength: number;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        maxLength={maxLength}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
