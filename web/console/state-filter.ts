/** Filters of a list by the state of its items, each with how many there are. Pure. */

export interface ItemState {
  /** As in the address. */
  readonly value: string;
  readonly title: string;
  /** Something to be seen to. */
  readonly isBad?: boolean;
}

export interface StateFilter<Item> {
  /** In the order of the filters. States that are not listed are at the end, with their value as title. */
  readonly states: readonly ItemState[];
  readonly of: (item: Item) => string;
}

export interface CountedState extends ItemState {
  readonly count: number;
}

/** Without a filter. */
export const ALL = 'all';

/** `chosen`: one of the states, or ALL. Empty: the items have one state, so there is nothing to choose. */
export function countedStates<Item>(
  items: readonly Item[],
  { states, of }: StateFilter<Item>,
  chosen: string,
): readonly CountedState[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  if (counts.size < 2 && chosen === ALL) return [];
  const known = new Set(states.map(({ value }) => value));
  const others = [...counts.keys()].filter((value) => !known.has(value)).sort();
  return [...states, ...others.map((value) => ({ value, title: value }))].map((state) => ({
    ...state,
    count: counts.get(state.value) ?? 0,
  }));
}

export function inState<Item>(
  items: readonly Item[],
  { of }: StateFilter<Item>,
  chosen: string,
): readonly Item[] {
  return chosen === ALL ? items : items.filter((item) => of(item) === chosen);
}
