/** The filters of a list by state: they count its items, and the chosen one is in the address. */

import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { ALL, countedStates, inState, type StateFilter } from '../state-filter.ts';
import { t } from '../words.ts';
import { StateChips } from './state-chips.tsx';

/** `name`: of the list, in the address. `label`: of the list, for people. */
export function useStateFilter<Item>(
  name: string,
  label: string,
  items: readonly Item[],
  filter: StateFilter<Item> | undefined,
): { readonly shown: readonly Item[]; readonly chips: ComponentChildren } {
  const { query, path, route } = useLocation();
  if (filter === undefined) return { shown: items, chips: null };
  const chosen = query[name] ?? ALL;
  const states = countedStates(items, filter, chosen);
  const shown = inState(items, filter, chosen);
  const choose = (value: string) => {
    const { [name]: _, ...others } = query;
    const next = new URLSearchParams(value === ALL ? others : { ...others, [name]: value });
    route(next.size === 0 ? path : `${path}?${next}`, true);
  };
  if (states.length === 0) return { shown, chips: null };
  return {
    shown,
    chips: (
      <>
        <StateChips
          label={t('{list} by state', { list: label })}
          value={chosen}
          chips={[{ value: ALL, title: t('All'), count: items.length }, ...states]}
          onValue={choose}
        />
        {shown.length === 0 && <p class="hint">{t('There are none in this state now.')}</p>}
      </>
    ),
  };
}
