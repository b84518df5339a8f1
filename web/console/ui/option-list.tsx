/**
 * A list to choose from, found by typing (ARIA APG: combobox with a listbox). The focus stays in the search field; arrows
 * move, Enter chooses. Only the rows in sight are in the document.
 */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  movedPlace,
  type PickGroup,
  type PickOption,
  type PickRow,
  pickRows,
  rowOfPlace,
  rowsInSight,
  scrollToShow,
} from '../picker-rows.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

const ROW_PX = 44;
/** Until it is measured. */
const USUAL_PX = 8 * ROW_PX;

export interface OptionListProps<Value extends string> {
  readonly label: string;
  readonly options: readonly PickOption<Value>[];
  /** After the options. */
  readonly groups?: readonly PickGroup<Value>[];
  readonly chosen: ReadonlySet<Value>;
  /** Choosing a chosen one takes it back. */
  readonly isMultiple?: boolean;
  /** False: nothing more can be chosen. */
  readonly hasRoom?: boolean;
  readonly onPick: (value: Value) => void;
}

export function OptionList<Value extends string>({
  label,
  options,
  groups = [],
  chosen,
  isMultiple = false,
  hasRoom = true,
  onPick,
}: OptionListProps<Value>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const rows = useMemo(() => pickRows(options, groups, typed), [options, groups, typed]);
  const places = rows.at(-1)?.kind === 'option' ? (rows.at(-1) as { place: number }).place + 1 : 0;
  const [active, setActive] = useState(() => {
    const first = rows.find((row) => row.kind === 'option' && chosen.has(row.option.value));
    return first?.kind === 'option' ? first.place : 0;
  });
  const activeRow = rowOfPlace(rows, Math.min(active, places - 1));
  const slice = useSlice(list, rows.length, activeRow);
  const pick = (value: Value) => {
    if (hasRoom || chosen.has(value)) onPick(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? USUAL_PX) / ROW_PX) - 1);
    const moved = movedPlace(event.key, active, places, page);
    if (moved !== null) setActive(moved);
    else if (event.key === 'Enter') {
      const row = rows[activeRow];
      if (row?.kind === 'option') pick(row.option.value);
    } else return;
    // Neither moves the caret, nor sends the form around it.
    event.preventDefault();
  };
  return (
    <div class="option-list">
      <input
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: only a native list, which the types expect of the role, would give it
        role="combobox"
        list={undefined}
        aria-label={t('Find: {label}', { label })}
        placeholder={t('Find…')}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        {...(activeRow === -1 ? {} : { 'aria-activedescendant': `${id}-${active}` })}
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        class="option-rows"
        role="listbox"
        aria-label={label}
        aria-multiselectable={isMultiple}
        tabIndex={-1}
        // A press must not take the focus from the search field.
        onMouseDown={(event) => event.preventDefault()}
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          const place = (target as Element).closest<HTMLElement>('[data-place]')?.dataset.place;
          const row = rows[rowOfPlace(rows, Number(place ?? -1))];
          if (row?.kind !== 'option') return;
          setActive(row.place);
          pick(row.option.value);
        }}
      >
        <div role="presentation" style={{ height: `${rows.length * ROW_PX}px` }}>
          {inGroups(rows, slice.from, slice.to, (row, index) => (
            <Row
              key={row.option.value}
              id={`${id}-${row.place}`}
              row={row}
              topPx={index * ROW_PX}
              count={places}
              isActive={index === activeRow}
              isChosen={chosen.has(row.option.value)}
              isDisabled={!hasRoom && !chosen.has(row.option.value)}
            />
          ))}
        </div>
      </div>
      <p class={places === 0 ? 'hint' : 'off-screen'} role="status">
        {places === 0
          ? t('Nothing has this name.')
          : t('{count, plural, one {# choice} other {# choices}}', { count: places })}
      </p>
    </div>
  );
}

type OptionRow<Value extends string> = Extract<PickRow<Value>, { kind: 'option' }>;

/** The rows in sight, those of a group within an element that names it. */
function inGroups<Value extends string>(
  rows: readonly PickRow<Value>[],
  from: number,
  to: number,
  draw: (row: OptionRow<Value>, index: number) => ComponentChildren,
): ComponentChildren {
  const parts: { title: string | null; children: ComponentChildren[] }[] = [{ title: null, children: [] }];
  const heading = rows.slice(0, from).findLast(({ kind }) => kind === 'group');
  if (heading?.kind === 'group') parts.push({ title: heading.title, children: [] });
  rows.slice(from, to).forEach((row, i) => {
    if (row.kind === 'option') {
      parts.at(-1)!.children.push(draw(row, from + i));
      return;
    }
    const top = { top: `${(from + i) * ROW_PX}px` };
    parts.push({
      title: row.title,
      children: [
        <span key={`# ${row.title}`} class="option-group" aria-hidden="true" style={top}>
          {row.title}
        </span>,
      ],
    });
  });
  return parts
    .filter(({ children }) => children.length > 0)
    .map(({ title, children }) =>
      title === null ? (
        children
      ) : (
        <div key={`# ${title}`} role="group" aria-label={title}>
          {children}
        </div>
      ),
    );
}

function Row<Value extends string>({
  id,
  row: { option, place },
  topPx,
  count,
  isActive,
  isChosen,
  isDisabled,
}: {
  readonly id: string;
  readonly row: OptionRow<Value>;
  readonly topPx: number;
  readonly count: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
}) {
  return (
    // The search field has the focus.
    <div
      id={id}
      class={isActive ? 'option active' : 'option'}
      role="option"
      aria-selected={isChosen}
      aria-disabled={isDisabled}
      aria-setsize={count}
      aria-posinset={place + 1}
      style={{ top: `${topPx}px` }}
      data-place={place}
    >
      <span class="option-check">{isChosen && <Icon name="check" />}</span>
      <span class="option-title">{option.title}</span>
      {option.note !== undefined && <small>{option.note}</small>}
    </div>
  );
}

/** Follows the scrolling of the list, and keeps the active row in sight. */
function useSlice(list: { readonly current: HTMLDivElement | null }, count: number, activeRow: number) {
  const [slice, setSlice] = useState(() => rowsInSight(count, ROW_PX, 0, USUAL_PX));
  useLayoutEffect(() => {
    const shown = list.current!;
    const look = () => {
      const next = rowsInSight(count, ROW_PX, shown.scrollTop, shown.clientHeight || USUAL_PX);
      setSlice((old) => (old.from === next.from && old.to === next.to ? old : next));
    };
    look();
    const sized = new ResizeObserver(look);
    sized.observe(shown);
    shown.addEventListener('scroll', look, { passive: true });
    return () => {
      sized.disconnect();
      shown.removeEventListener('scroll', look);
    };
  }, [count]);
  useLayoutEffect(() => {
    const shown = list.current!;
    if (activeRow === -1) return;
    // The heading above the first option of all comes into sight, too.
    const row = activeRow === 1 ? 0 : activeRow;
    shown.scrollTop = scrollToShow(row, ROW_PX, shown.scrollTop, shown.clientHeight || USUAL_PX);
  }, [activeRow, count]);
  return slice;
}
