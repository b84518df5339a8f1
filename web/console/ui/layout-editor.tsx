/** Where the cameras of a wall are in a free layout: dragged and sized by mouse or finger, or with the arrow keys. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { LAYOUT_GRID } from '../../wall-layout.ts';
import { type FreeCell, withCamera, withCell } from '../free-layout.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

/** What a pointer does while it is down. */
interface Drag {
  readonly from: FreeCell;
  readonly atX: number;
  readonly atY: number;
  readonly isSizing: boolean;
}

type Cells = readonly FreeCell[];

const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function LayoutEditor({
  cells,
  cameraUuids,
  nameOf,
  pictureOf,
  onCells,
}: {
  readonly cells: Cells;
  /** All of the wall. */
  readonly cameraUuids: readonly string[];
  readonly nameOf: (cameraUuid: string) => string;
  readonly pictureOf: (cameraUuid: string) => ComponentChildren;
  readonly onCells: (cells: Cells) => void;
}) {
  const [said, setSaid] = useState('');
  const left = cameraUuids.filter((uuid) => !cells.some(({ cameraUuid }) => cameraUuid === uuid));
  const change = (wanted: FreeCell) => {
    const next = withCell(cells, wanted);
    const cell = next.find(({ cameraUuid }) => cameraUuid === wanted.cameraUuid)!;
    const name = nameOf(cell.cameraUuid);
    setSaid(
      next === cells
        ? t('{name} cannot go there: another camera is in the way.', { name })
        : t('{name}: column {x}, row {y}, {width} wide, {height} high', {
            name,
            x: cell.x + 1,
            y: cell.y + 1,
            width: cell.width,
            height: cell.height,
          }),
    );
    if (next !== cells) onCells(next);
  };
  return (
    <section class="part layout-editor">
      <h2>{t('Places')}</h2>
      <p class="hint">
        {t(
          'Drag a camera, or its lower right corner. With the keyboard: arrows move it, Shift and arrows size it.',
        )}
      </p>
      <div class="layout-grid">
        {cells.map((cell) => (
          <LayoutCell
            key={cell.cameraUuid}
            cell={cell}
            name={nameOf(cell.cameraUuid)}
            picture={pictureOf(cell.cameraUuid)}
            onChange={change}
            onRemove={() => onCells(cells.filter(({ cameraUuid }) => cameraUuid !== cell.cameraUuid))}
          />
        ))}
      </div>
      {left.length > 0 && (
        <div class="layout-left">
          <p class="hint">{t('On the next page, because they have no place here:')}</p>
          {left.map((uuid) => {
            const next = withCamera(cells, uuid);
            return (
              <button
                key={uuid}
                type="button"
                disabled={next === null}
                onClick={() => onCells(next ?? cells)}
              >
                <Icon name="plus" /> {nameOf(uuid)}
              </button>
            );
          })}
          {withCamera(cells, left[0]!) === null && (
            <p class="hint">{t('There is no room left. Make another camera smaller first.')}</p>
          )}
        </div>
      )}
      <p class="off-screen" role="status">
        {said}
      </p>
    </section>
  );
}

function LayoutCell({
  cell,
  name,
  picture,
  onChange,
  onRemove,
}: {
  readonly cell: FreeCell;
  readonly name: string;
  readonly picture: ComponentChildren;
  readonly onChange: (cell: FreeCell) => void;
  readonly onRemove: () => void;
}) {
  const drag = useRef<Drag | null>(null);
  const [isDragged, setIsDragged] = useState(false);
  const begin = (event: PointerEvent, isSizing: boolean) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    drag.current = { from: cell, atX: event.clientX, atY: event.clientY, isSizing };
    setIsDragged(true);
  };
  const move = (event: PointerEvent) => {
    if (drag.current === null) return;
    const { from, atX, atY, isSizing } = drag.current;
    const grid = (event.currentTarget as HTMLElement).closest('.layout-grid')!.getBoundingClientRect();
    const x = Math.round(((event.clientX - atX) / grid.width) * LAYOUT_GRID);
    const y = Math.round(((event.clientY - atY) / grid.height) * LAYOUT_GRID);
    onChange(stepped(from, x, y, isSizing));
  };
  const end = () => {
    drag.current = null;
    setIsDragged(false);
  };
  const percent = (units: number) => `${(units / LAYOUT_GRID) * 100}%`;
  return (
    <div
      class={isDragged ? 'layout-cell dragged' : 'layout-cell'}
      style={{
        left: percent(cell.x),
        top: percent(cell.y),
        width: percent(cell.width),
        height: percent(cell.height),
      }}
    >
      <button
        type="button"
        class="layout-move"
        aria-label={t('Place of {name}', { name })}
        onPointerDown={(event) => begin(event, false)}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          if (step === undefined) return;
          event.preventDefault();
          onChange(stepped(cell, step[0], step[1], event.shiftKey));
        }}
      >
        {picture}
        <span class="tile-name">{name}</span>
      </button>
      <button
        type="button"
        class="layout-remove quiet icon-only"
        aria-label={t('Take {name} off this page', { name })}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
      <span
        class="layout-size"
        aria-hidden="true"
        onPointerDown={(event) => begin(event, true)}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
      />
    </div>
  );
}

function stepped(cell: FreeCell, x: number, y: number, isSizing: boolean): FreeCell {
  return isSizing
    ? { ...cell, width: cell.width + x, height: cell.height + y }
    : { ...cell, x: cell.x + x, y: cell.y + y };
}
