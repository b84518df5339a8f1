/** A labeled field for several lines. */

import { useId } from 'preact/hooks';

export function TextAreaField({
  label,
  maxLength,
  value,
  onValue,
}: {
  readonly label: string;
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
      />
    </div>
  );
}
