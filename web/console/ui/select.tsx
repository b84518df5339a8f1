/** A choice of one of several, in a row of filters or with a label above it. */

import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';

export interface SelectOption<Value extends string = string> {
  readonly value: Value;
  readonly title: string;
}

export interface SelectGroup<Value extends string = string> {
  readonly title: string;
  readonly options: readonly SelectOption<Value>[];
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly SelectOption<Value>[];
  /** After the options. */
  readonly groups?: readonly SelectGroup<Value>[];
  readonly onValue: (value: NoInfer<Value>) => void;
}

/** Such as the names of locations by UUID. */
export function optionsOf<Value extends string>(
  titles: Iterable<readonly [value: Value, title: string]>,
): SelectOption<Value>[] {
  return Array.from(titles, ([value, title]) => ({ value, title }));
}

/** Its label is only read out. */
export function Select<const Value extends string>({ label, ...select }: SelectProps<Value>) {
  return <PlainSelect {...select} name={{ 'aria-label': label }} />;
}

export function SelectField<const Value extends string>({
  label,
  hint,
  ...select
}: SelectProps<Value> & { readonly hint?: ComponentChildren }) {
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

export function PlainSelect<Value extends string>({
  name,
  value,
  options,
  groups = [],
  onValue,
}: Omit<SelectProps<Value>, 'label'> & { readonly name: Readonly<Record<string, string>> }) {
  const choose = (text: string) => {
    const all = [...options, ...groups.flatMap((group) => group.options)];
    const chosen = all.find((option) => option.value === text);
    if (chosen !== undefined) onValue(chosen.value);
  };
  return (
    <select {...name} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
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

/** There can be a thousand options: the same list is not compared again when only its surroundings change. */
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
