/** A list to choose from: with its label above it in a form, or without it where space is short. */

import { useId } from 'preact/hooks';

export type Options = readonly (readonly [value: string, title: string])[];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly onChoice: (value: string) => void;
}

export function Choice({ label, value, options, onChoice }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
      <ChoiceOptions options={options} />
    </select>
  );
}

export function ChoiceField({ hint, ...choice }: ChoiceProps & { readonly hint?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{choice.label}</label>
      <select
        id={id}
        value={choice.value}
        onChange={({ currentTarget }) => choice.onChoice(currentTarget.value)}
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
      >
        <ChoiceOptions options={choice.options} />
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function ChoiceOptions({ options }: { readonly options: Options }) {
  return (
    <>
      {options.map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </>
  );
}

export function Check({
  label,
  hint,
  isChecked,
  onCheck,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      />
      {hint === undefined ? (
        label
      ) : (
        <span>
          {label} <span class="hint">{hint}</span>
        </span>
      )}
    </label>
  );
}
