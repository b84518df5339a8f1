/** Which items of a list are selected: one by one, or all from the last one on. Pure. */

export interface Selection {
  readonly uuids: ReadonlySet<string>;
  /** Where a range begins; null: nowhere yet. */
  readonly anchor: string | null;
}

export const NOTHING_SELECTED: Selection = { uuids: new Set(), anchor: null };

/** `order`: as the list shows it. `isRange`: from the anchor to here, all become as this one does. */
export function toggled(
  { uuids, anchor }: Selection,
  uuid: string,
  order: readonly string[],
  isRange: boolean,
): Selection {
  const isOn = !uuids.has(uuid);
  const from = isRange && anchor !== null ? order.indexOf(anchor) : -1;
  const to = order.indexOf(uuid);
  const changed = from < 0 || to < 0 ? [uuid] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
  const next = new Set(uuids);
  for (const each of changed) {
    if (isOn) next.add(each);
    else next.delete(each);
  }
  return { uuids: next, anchor: uuid };
}

export function allSelected(order: readonly string[]): Selection {
  return { uuids: new Set(order), anchor: null };
}

/** `count` in a row, from where the last one was selected; earlier ones if the list ends before. */
export function runFrom({ anchor }: Selection, order: readonly string[], count: number): Selection {
  const at = Math.max(0, anchor === null ? 0 : order.indexOf(anchor));
  const from = Math.max(0, Math.min(at, order.length - count));
  return { uuids: new Set(order.slice(from, from + count)), anchor };
}
