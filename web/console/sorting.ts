/** Orders of lists, as an address or the browser's storage has them: a column, with `-` before it from its end. Pure. */

/** Empty, or null: it has none, and is last in both directions. */
export type SortValue = string | number | null;

export type SortKeys<Item> = Readonly<Record<string, (item: Item) => SortValue>>;

const TEXTS = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Unknown ones count as none. */
export function sortOf(text: string, columns: readonly string[]): string {
  return columns.includes(columnOf(text)) ? text : '';
}

/** After a press on the header of a column. */
export function nextSort(sort: string, column: string): string {
  return sort === column ? `-${column}` : column;
}

export function ariaSort(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (columnOf(sort) !== column) return undefined;
  return isDescending(sort) ? 'descending' : 'ascending';
}

export function columnOf(sort: string): string {
  return isDescending(sort) ? sort.slice(1) : sort;
}

export function isDescending(sort: string): boolean {
  return sort.startsWith('-');
}

/** The same order if no column is named. */
export function sortedBy<Item>(items: readonly Item[], sort: string, keys: SortKeys<Item>): readonly Item[] {
  const keyOf = keys[columnOf(sort)];
  if (keyOf === undefined) return items;
  const sign = isDescending(sort) ? -1 : 1;
  return items
    .map((item) => ({ item, value: keyOf(item) }))
    .toSorted((a, b) => {
      const [isANone, isBNone] = [isNone(a.value), isNone(b.value)];
      if (isANone || isBNone) return Number(isANone) - Number(isBNone);
      return sign * compareValues(a.value!, b.value!);
    })
    .map(({ item }) => item);
}

export function compareValues(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : TEXTS.compare(String(a), String(b));
}

function isNone(value: SortValue): boolean {
  return value === null || value === '';
}
