/** The header of a column that sorts the list. */

import { ariaSort, nextSort } from '../sorting.ts';
import { Icon } from './icon.tsx';

export function SortHeader({
  title,
  column,
  sort,
  onSort,
}: {
  readonly title: string;
  readonly column: string;
  /** As sorting.ts has it. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const order = ariaSort(sort, column);
  return (
    <span role="columnheader" aria-sort={order}>
      <button type="button" class="sort" onClick={() => onSort(nextSort(sort, column))}>
        {title}
        {order !== undefined && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
      </button>
    </span>
  );
}
