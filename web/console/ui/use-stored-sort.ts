/** The order of a list that is a choice of this browser. */

import { useState } from 'preact/hooks';

/** `name`: of the list. The order is as sorting.ts has it; empty: as the gateway lists it. */
export function useStoredSort(name: string): readonly [sort: string, setSort: (sort: string) => void] {
  const key = `sluice.sort.${name}`;
  const [sort, setSort] = useState(() => localStorage.getItem(key) ?? '');
  return [
    sort,
    (chosen) => {
      setSort(chosen);
      localStorage.setItem(key, chosen);
    },
  ];
}
