/** What narrows a list. On a phone, the fields fold into one button, so that the list begins on the first screen. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import { useNarrow } from './use-narrow.ts';

export function ListFilters({
  search,
  fields,
  chosen,
  count,
  extras,
  chips,
}: {
  readonly search: ComponentChildren;
  readonly fields: ComponentChildren;
  /** How many of the fields are not as they are at first. */
  readonly chosen: number;
  /** How many the list shows. */
  readonly count?: string;
  /** What changes how the list looks. */
  readonly extras?: ComponentChildren;
  /** Always in sight. */
  readonly chips?: ComponentChildren;
}) {
  const isNarrow = useNarrow();
  const [isOpen, setIsOpen] = useState(false);
  const shown = count !== undefined && (
    <p class="count" role="status">
      {count}
    </p>
  );
  return (
    <form
      class={isNarrow ? 'filters folding' : 'filters'}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      {search}
      {isNarrow ? (
        <>
          <button type="button" class="fold-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <Icon name="settings" /> {t('Filters')}
            {chosen > 0 && <b class="fold-count">{chosen}</b>}
          </button>
          {shown}
          {isOpen && (
            <div class="folded">
              {fields}
              {extras}
            </div>
          )}
        </>
      ) : (
        <>
          {fields}
          {shown}
          {extras}
        </>
      )}
      {chips}
    </form>
  );
}
