/**
 * Records as rows. On a phone, a row is the first cell, and below it the others: all of them in a short list, in a long one in a line
 * and up to two lines. Only the rows of a long list that are near the screen are in the document.
 */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type SortValue, sortedBy } from '../sorting.ts';
import type { StateFilter } from '../state-filter.ts';
import { t } from '../words.ts';
import { useCompact } from './density-switch.tsx';
import { SortHeader } from './sort-header.tsx';
import { useNarrow } from './use-narrow.ts';
import { useStateFilter } from './use-state-filter.tsx';
import { VirtualRows } from './virtual-rows.tsx';

export interface Column<Item> {
  readonly title: string;
  /** Null or an empty text: a dash on a wide screen, nothing on a phone. */
  readonly cell: (item: Item) => ComponentChildren;
  /** What its header sorts by; absent: it does not. */
  readonly sortBy?: (item: Item) => SortValue;
}

const WIDE_ROW_PX = 52;
const COMPACT_ROW_PX = 40;
const NARROW_ROW_PX = 92;

export function RecordTable<Item>({
  name,
  label,
  items,
  keyOf,
  columns: [first, ...rest],
  states,
  actions,
}: {
  /** Name of the class that sets the columns' widths. */
  readonly name: string;
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly columns: readonly [Column<Item>, ...Column<Item>[]];
  /** Filters with counts; absent: there are none. */
  readonly states?: StateFilter<Item>;
  /** Buttons at the end of each row. */
  readonly actions?: (item: Item) => ComponentChildren;
}) {
  const isNarrow = useNarrow();
  const isCompact = useCompact();
  const [sort, setSort] = useStoredSort(name);
  const columns = [first, ...rest];
  const { shown, chips } = useStateFilter(name, label, items, states);
  const sorted = sortedBy(
    shown,
    sort,
    Object.fromEntries(
      columns.flatMap(({ title, sortBy }) => (sortBy === undefined ? [] : [[title, sortBy]])),
    ),
  );
  const cellOf = (column: Column<Item>, item: Item) => {
    const content = column.cell(item);
    const isEmpty = content === null || content === '';
    return (
      <span role="cell" key={column.title} class={isEmpty ? 'empty' : undefined}>
        {isEmpty ? '–' : content}
      </span>
    );
  };
  const table = (
    <div
      class={`table records ${name} ${actions === undefined ? 'read-only' : ''} ${isCompact ? 'compact' : ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={shown.length + 1}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {columns.map(({ title, sortBy }) =>
          sortBy === undefined ? (
            <span role="columnheader" key={title}>
              {title}
            </span>
          ) : (
            <SortHeader key={title} title={title} column={title} sort={sort} onSort={setSort} />
          ),
        )}
        {actions !== undefined && (
          <span role="columnheader">
            <span class="only-read">{t('Actions')}</span>
          </span>
        )}
      </div>
      <VirtualRows
        count={shown.length}
        rowPx={isNarrow ? NARROW_ROW_PX : isCompact ? COMPACT_ROW_PX : WIDE_ROW_PX}
        role="rowgroup"
        isWhole={isNarrow}
        render={(index) => {
          const item = sorted[index]!;
          return (
            <div class="row" role="row" key={keyOf(item)} aria-rowindex={index + 2}>
              <span role="cell" class="first">
                {first.cell(item)}
              </span>
              <div class="others" role="presentation">
                {rest.map((column) => cellOf(column, item))}
              </div>
              {actions !== undefined && (
                <span role="cell" class="actions">
                  {actions(item)}
                </span>
              )}
            </div>
          );
        }}
      />
    </div>
  );
  return (
    <>
      {chips}
      {table}
    </>
  );
}

/** The order of a list that is a choice of this browser. `name`: of the list. The order is as sorting.ts has it; empty: as the gateway lists it. */
function useStoredSort(name: string): readonly [sort: string, setSort: (sort: string) => void] {
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
