/**
 * A choice of one of several, in a row of filters or with a label above it: a native list for a few options, and for many a
 * list that is found by typing.
 */

import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { PickGroup, PickOption } from '../picker-rows.ts';
import { Picker } from './picker.tsx';

/** More than these do not fit a phone's list, and are found by typing. */
const FEW = 12;

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly PickOption<Value>[];
  /** After the options. */
  readonly groups?: readonly PickGroup<Value>[];
  readonly onValue: (value: NoInfer<Value>) => void;
}

/** Such as the names of locations by UUID. */
export function optionsOf<Value extends string>(
  titles: Iterable<readonly [value: Value, title: string]>,
): PickOption<Value>[] {
  return Array.from(titles, ([value, title]) => ({ value, title }));
}

/** Its label is only read out. */
export function Select<const Value extends string>(select: SelectProps<Value>) {
  return <PlainSelect {...select} name={{ 'aria-label': select.label }} />;
}

export function SelectField<const Value extends string>({
  hint,
  ...select
}: SelectProps<Value> & { readonly hint?: ComponentChildren }) {
  const id = useId();
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{select.label}</label>
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
  label,
  name,
  value,
  options,
  groups = [],
  onValue,
}: SelectProps<Value> & { readonly name: Readonly<Record<string, string>> }) {
  const count = groups.reduce((sum, group) => sum + group.options.length, options.length);
  // A list that becomes shorter stays what it is: the focus may be in it.
  const isLong = useRef(false);
  isLong.current ||= count > FEW;
  if (isLong.current) return <Picker {...{ label, value, options, groups, name, onValue }} />;
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

function Options({ options }: { readonly options: readonly PickOption[] }) {
  return (
    <>
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </>
  );
}
