/** The rows of a list to choose from: options in groups, narrowed by what was typed, and which of them are near the window. Pure. */

import { matcherOf } from './matcher.ts';

export interface PickOption<Value extends string = string> {
  readonly value: Value;
  readonly title: string;
  /** Next to the title, such as a state; it is found by typing, too. */
  readonly note?: string;
}

export interface PickGroup<Value extends string = string> {
  readonly title: string;
  readonly options: readonly PickOption<Value>[];
}

export type PickRow<Value extends string = string> =
  | { readonly kind: 'group'; readonly title: string }
  /** `place`: among the options shown. */
  | { readonly kind: 'option'; readonly option: PickOption<Value>; readonly place: number };

/** Options without a group come first. Groups without a match are left out. */
export function pickRows<Value extends string>(
  options: readonly PickOption<Value>[],
  groups: readonly PickGroup<Value>[],
  typed: string,
): PickRow<Value>[] {
  const isMatch = matcherOf(typed);
  const rows: PickRow<Value>[] = [];
  let place = 0;
  const add = (found: readonly PickOption<Value>[]) => {
    for (const option of found) rows.push({ kind: 'option', option, place: place++ });
  };
  add(options.filter(({ title, note = '' }) => isMatch(`${title} ${note}`)));
  for (const group of groups) {
    const found = group.options.filter(({ title, note = '' }) => isMatch(`${title} ${note} ${group.title}`));
    if (found.length > 0) rows.push({ kind: 'group', title: group.title });
    add(found);
  }
  return rows;
}

/** Index of the row with the option at this place; -1: there is none. */
export function rowOfPlace(rows: readonly PickRow[], place: number): number {
  return rows.findIndex((row) => row.kind === 'option' && row.place === place);
}

/** Rows to draw, with some beyond both edges. `topPx`: how far the list is scrolled. */
export function rowsInSight(
  count: number,
  rowPx: number,
  topPx: number,
  heightPx: number,
): { readonly from: number; readonly to: number } {
  const spare = 4;
  const from = Math.max(0, Math.floor(topPx / rowPx) - spare);
  return { from, to: Math.min(count, Math.ceil((topPx + heightPx) / rowPx) + spare) };
}

/** Where the list has to be scrolled to so that a row is in sight, with as little movement as possible. */
export function scrollToShow(index: number, rowPx: number, topPx: number, heightPx: number): number {
  const rowTopPx = index * rowPx;
  if (rowTopPx < topPx) return rowTopPx;
  return Math.max(topPx, rowTopPx + rowPx - heightPx);
}

/** The place that a key leads to, of `count`; null: the key moves nothing. It stops at both ends. */
export function movedPlace(key: string, place: number, count: number, page: number): number | null {
  const moved = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page };
  const next = (moved as Readonly<Record<string, number>>)[key];
  if (next === undefined || count === 0) return null;
  return Math.min(Math.max(next, 0), count - 1);
}
