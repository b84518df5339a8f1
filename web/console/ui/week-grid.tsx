/**
 * A week to paint, in quarters of an hour. Drag with a mouse or along a day with a finger; with a keyboard, arrows move,
 * Shift and arrows select, Space paints. The state can be read cell by cell, and for each day in its row's header.
 */

import { useRef, useState } from 'preact/hooks';
import {
  type Block,
  CELL_MINUTES,
  CELLS_PER_DAY,
  type CellPlace,
  coverage,
  DAYS_PER_WEEK,
  isInBlock,
  paintBlock,
  spanOfCell,
  spansOf,
  turnsOn,
  type Week,
} from '../week.ts';
import { DAY_NAMES, daysText, dayText, spanText, timeText } from '../week-words.ts';
import { t } from '../words.ts';

const CELLS_PER_HOUR = 60 / CELL_MINUTES;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const DAYS = Array.from({ length: DAYS_PER_WEEK }, (_, day) => day);
const CELLS = Array.from({ length: CELLS_PER_DAY }, (_, cell) => cell);
/** Marks for screen readers and the style sheet. */
const WORDS = { all: t('on'), part: t('partly on'), none: t('off') } as const;

interface Drag {
  readonly pointerId: number;
  readonly block: Block;
  readonly isOn: boolean;
}

export function WeekGrid({
  week,
  isReadOnly,
  onWeek,
}: {
  readonly week: Week;
  readonly isReadOnly: boolean;
  readonly onWeek: (week: Week) => void;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [pointed, setPointed] = useState<CellPlace | null>(null);
  const keys = useKeys(week, body, onWeek);
  const shown = drag === null ? week : paintBlock(week, drag.block, drag.isOn);
  const selected = drag?.block ?? keys.block;

  const begin = (event: PointerEvent) => {
    const isOnCell = (event.target as Element).classList.contains('cell');
    if (isReadOnly || event.button !== 0 || !isOnCell) return;
    const at = placeAt(body.current!, event);
    const block = { from: at, to: at };
    setDrag({ pointerId: event.pointerId, block, isOn: turnsOn(week, block) });
    keys.moveTo(at);
    body.current!.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const at = placeAt(body.current!, event);
    setPointed(at);
    if (drag === null || drag.pointerId !== event.pointerId) return;
    setDrag({ ...drag, block: { from: drag.block.from, to: at } });
  };
  const end = (event: PointerEvent) => {
    if (drag === null || drag.pointerId !== event.pointerId) return;
    onWeek(paintBlock(week, drag.block, drag.isOn));
    setDrag(null);
  };

  return (
    <div class="week">
      <p class="week-reading" aria-hidden="true">
        {drag !== null
          ? `${blockText(drag.block)}: ${drag.isOn ? t('on') : t('off')}`
          : pointed !== null && spanText(spanOfCell(pointed))}
      </p>
      <div class="week-hours" aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
        <span>24</span>
      </div>
      <div
        ref={body}
        class="week-grid"
        role="grid"
        aria-label={t('Week')}
        aria-multiselectable="true"
        aria-readonly={isReadOnly}
        tabIndex={-1}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setPointed(null)}
        {...(isReadOnly ? {} : { onKeyDown: keys.onKeyDown })}
      >
        {DAYS.map((day) => (
          <DayRow key={day} day={day} week={shown} cursor={keys.cursor} selected={selected} />
        ))}
      </div>
      <p class="off-screen" role="status">
        {keys.told}
      </p>
    </div>
  );
}

function DayRow({
  day,
  week,
  cursor,
  selected,
}: {
  readonly day: number;
  readonly week: Week;
  readonly cursor: CellPlace;
  readonly selected: Block | null;
}) {
  return (
    <div class="week-day" role="row">
      <span role="rowheader">
        <span aria-hidden="true">{DAY_NAMES[day]!.slice(0, 3)}</span>
        <span class="off-screen">
          {DAY_NAMES[day]} {dayText(week, day)}
        </span>
      </span>
      {CELLS.map((cell) => {
        const place = { day, cell };
        const covered = coverage(week, spanOfCell(place));
        const isSelected = selected !== null && isInBlock(place, selected);
        return (
          <span
            key={cell}
            role="gridcell"
            class={`cell ${covered}${cell % CELLS_PER_HOUR === 0 ? ' hour' : ''}`}
            aria-label={`${spanText(spanOfCell(place))}, ${WORDS[covered]}`}
            aria-selected={isSelected}
            tabIndex={cursor.day === day && cursor.cell === cell ? 0 : -1}
          />
        );
      })}
    </div>
  );
}

/** The cell below a pointer, or the nearest one. */
function placeAt(body: HTMLElement, { clientX, clientY }: PointerEvent): CellPlace {
  const cells = body.querySelectorAll('.cell');
  const first = cells[0]!.getBoundingClientRect();
  const last = cells[cells.length - 1]!.getBoundingClientRect();
  const indexOf = (value: number, from: number, to: number, count: number) =>
    Math.max(0, Math.min(count - 1, Math.floor(((value - from) / (to - from)) * count)));
  return {
    day: indexOf(clientY, first.top, last.bottom, DAYS_PER_WEEK),
    cell: indexOf(clientX, first.left, last.right, CELLS_PER_DAY),
  };
}

interface Keys {
  readonly cursor: CellPlace;
  /** The block that Space paints; null: nothing is selected beyond the cursor. */
  readonly block: Block | null;
  /** Effect of a key, for screen readers. */
  readonly told: string;
  readonly moveTo: (place: CellPlace) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Office hours begin where the cursor is first. */
const FIRST: CellPlace = { day: 0, cell: 9 * CELLS_PER_HOUR };

function useKeys(
  week: Week,
  body: { readonly current: HTMLDivElement | null },
  onWeek: (week: Week) => void,
): Keys {
  const [cursor, setCursor] = useState(FIRST);
  const [anchor, setAnchor] = useState<CellPlace | null>(null);
  const [told, setTold] = useState('');
  const block = anchor === null ? null : { from: anchor, to: cursor };
  const go = (place: CellPlace, isSelecting: boolean) => {
    const from = isSelecting ? (anchor ?? cursor) : null;
    setAnchor(from);
    setCursor(place);
    setTold(from === null ? '' : t('{block} selected', { block: blockText({ from, to: place }) }));
    const row = body.current!.querySelectorAll('.week-day')[place.day]!;
    row.querySelectorAll<HTMLElement>('.cell')[place.cell]!.focus();
  };
  const paintSelected = () => {
    const painted = block ?? { from: cursor, to: cursor };
    const isOn = turnsOn(week, painted);
    setTold(`${blockText(painted)}: ${isOn ? t('on') : t('off')}`);
    onWeek(paintBlock(week, painted, isOn));
  };
  return {
    cursor,
    block,
    told,
    moveTo: (place) => {
      setAnchor(null);
      setCursor(place);
      setTold('');
    },
    onKeyDown: (event) => {
      if (event.altKey || event.metaKey) return;
      const to = destinationOf(event, cursor);
      if (to !== null) go(to, event.shiftKey);
      else if (event.key === ' ' || event.key === 'Enter') paintSelected();
      else if (event.key === 'Escape' && anchor !== null) go(cursor, false);
      else return;
      event.preventDefault();
    },
  };
}

/** Where a key leads; with Ctrl, arrows go by the hour. Null: nowhere. */
function destinationOf({ key, ctrlKey }: KeyboardEvent, { day, cell }: CellPlace): CellPlace | null {
  const step = ctrlKey ? CELLS_PER_HOUR : 1;
  switch (key) {
    case 'ArrowRight':
      return { day, cell: Math.min(CELLS_PER_DAY - 1, cell + step) };
    case 'ArrowLeft':
      return { day, cell: Math.max(0, cell - step) };
    case 'ArrowDown':
      return { day: Math.min(DAYS_PER_WEEK - 1, day + 1), cell };
    case 'ArrowUp':
      return { day: Math.max(0, day - 1), cell };
    case 'Home':
      return { day, cell: 0 };
    case 'End':
      return { day, cell: CELLS_PER_DAY - 1 };
    default:
      return null;
  }
}

/** As in "Monday to Friday 9:00 to 17:00". */
function blockText(block: Block): string {
  const spans = spansOf(block);
  const first = Math.min(block.from.day, block.to.day);
  const midnight = first * CELLS_PER_DAY * CELL_MINUTES;
  const times = t('{from} to {to}', {
    from: timeText(spans[0]!.start - midnight),
    to: timeText(spans[0]!.stop - midnight),
  });
  return `${daysText(spans.map((_, i) => first + i))} ${times}`;
}
