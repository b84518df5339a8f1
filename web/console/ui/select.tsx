/** A choice of one of several, in a row of filters or with a label above it. */

import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';

export interface SelectOption {
  readonly value: string;
  readonly title: string;
}

export interface SelectGroup {
  readonly title: string;
  readonly options: readonly SelectOption[];
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly SelectOption[];
  /** After the options. */
  readonly groups?: readonly SelectGroup[];
  readonly onValue: (value: string) => void;
}

/** Its label is only read out. */
export function Select({ label, ...select }: SelectProps) {
  return <PlainSelect {...select} name={{ 'aria-label': label }} />;
}

export function SelectField({ label, hint, ...select }: SelectProps & { readonly hint?: ComponentChildren }) {
  const id = useId();
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <PlainSelect {...select} name={{ id, ...described }} />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function PlainSelect({
  name,
  value,
  options,
  groups = [],
  onValue,
}: Omit<SelectProps, 'label'> & { readonly name: Readonly<Record<string, string>> }) {
  return (
    <select {...name} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      <Options options={options} />
      {groups
        .filter(({ options }) => options.length > 0)
        .map((group) => (
          <optgroup key={group.title} label={group.title}>
            <Options options={group.options} />
          </optgroup>
        ))}
    </select>
  );
}

/** There can be a thousand: the same list is not compared again when only what is around it changes. */
function Options({ options }: { readonly options: readonly SelectOption[] }) {
  return useMemo(
    () => (
      <>
        {options.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </>
    ),
    [options],
  );
}
