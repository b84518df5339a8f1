/** A choice of one of a few, all in sight. */

import { useId } from 'preact/hooks';

export function Chips<const Value extends string>({
  legend,
  value,
  options,
  onValue,
}: {
  readonly legend: string;
  readonly value: NoInfer<Value>;
  readonly options: readonly { readonly value: Value; readonly title: string }[];
  readonly onValue: (value: NoInfer<Value>) => void;
}) {
  const name = useId();
  return (
    <fieldset class="chips">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} class="chip">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>{option.title}</span>
        </label>
      ))}
    </fieldset>
  );
}
