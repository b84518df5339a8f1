/** Filters by state, each with how many there are: one press shows those that need someone. */

import { t } from '../words.ts';

export interface StateChip {
  /** As in the address. */
  readonly value: string;
  readonly title: string;
  /** null: not known yet. */
  readonly count: number | null;
  /** Something to be seen to, if there are any. */
  readonly isBad?: boolean;
}

/** `chips`: the first is the one without a filter. Those of no item are left out, unless they are chosen. */
export function StateChips({
  label,
  value,
  chips: [all, ...others],
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly chips: readonly [StateChip, ...StateChip[]];
  readonly onValue: (value: string) => void;
}) {
  const shown = [all, ...others.filter((chip) => chip.count !== 0 || chip.value === value)];
  return (
    <div class="state-chips" role="group" aria-label={label}>
      {shown.map((chip) => (
        <button
          type="button"
          key={chip.value}
          class={chip.isBad === true && chip.count !== 0 ? 'bad' : ''}
          aria-pressed={chip.value === value}
          onClick={() => onValue(chip.value === value ? all.value : chip.value)}
        >
          {chip.title} {chip.count !== null && <b>{t('{count, number}', { count: chip.count })}</b>}
        </button>
      ))}
    </div>
  );
}
