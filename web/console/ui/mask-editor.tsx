/** Draws privacy masks on a picture of the camera: with a mouse, a finger, or keys. */

import { useRef } from 'preact/hooks';
import {
  type Area,
  type Corner,
  MAX_CORNERS,
  MIN_CORNERS,
  movedArea,
  outline,
  withAnotherCorner,
  withCornerAt,
  withoutCorner,
} from '../mask-shape.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';

const WHOLE = 10_000;
/** Of an arrow key, and with Shift. */
const STEP = 100;
const FINE_STEP = 10;
const MAX_NAME_CHARS = 256;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export interface MaskEdits {
  readonly areas: readonly Area[];
  readonly change: (area: Area) => void;
  readonly remove: (area: Area) => void;
  /** The area whose corners are shown; null: none. */
  readonly chosenId: number | null;
  readonly choose: (area: Area) => void;
}

export function MaskPicture({ edits, imageUrl }: { readonly edits: MaskEdits; readonly imageUrl: string }) {
  const box = useRef<HTMLDivElement>(null);
  const at = ({ clientX, clientY }: PointerEvent): Corner => {
    const { left, top, width, height } = box.current!.getBoundingClientRect();
    return { x: ((clientX - left) / width) * WHOLE, y: ((clientY - top) / height) * WHOLE };
  };
  const chosen = edits.areas.find(({ id }) => id === edits.chosenId);
  return (
    <div class="mask-box" ref={box}>
      <img src={imageUrl} alt={t('Picture of the camera')} draggable={false} />
      <svg viewBox={`0 0 ${WHOLE} ${WHOLE}`} preserveAspectRatio="none" aria-hidden="true">
        {edits.areas.map((area) => (
          <Shape key={area.id} area={area} edits={edits} at={at} />
        ))}
      </svg>
      {chosen?.points.map((corner, index) => (
        <Handle key={index} area={chosen} index={index} corner={corner} edits={edits} at={at} />
      ))}
    </div>
  );
}

interface Placed {
  readonly area: Area;
  readonly edits: MaskEdits;
  readonly at: (event: PointerEvent) => Corner;
}

/** Moves as a whole. Keys move its corners. */
function Shape({ area, edits, at }: Placed) {
  const grip = useRef<{ readonly from: Corner; readonly area: Area } | null>(null);
  return (
    <polygon
      class={area.id === edits.chosenId ? 'chosen' : ''}
      points={outline(area)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { from: at(event), area };
        edits.choose(area);
      }}
      onPointerMove={(event) => {
        if (grip.current === null) return;
        const { from, area: before } = grip.current;
        const to = at(event);
        edits.change(movedArea({ ...area, points: before.points }, to.x - from.x, to.y - from.y));
      }}
      onLostPointerCapture={() => {
        grip.current = null;
      }}
    />
  );
}

function Handle({
  area,
  index,
  corner,
  edits,
  at,
}: Placed & { readonly index: number; readonly corner: Corner }) {
  const isHeld = useRef(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = ARROWS[event.key];
    if (arrow !== undefined) {
      const step = event.shiftKey ? FINE_STEP : STEP;
      const [x, y] = [corner.x + arrow[0] * step, corner.y + arrow[1] * step];
      edits.change(withCornerAt(area, index, { x, y }));
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      edits.change(withoutCorner(area, index));
    } else return;
    event.preventDefault();
  };
  return (
    <button
      type="button"
      class="mask-corner"
      style={{ left: `${(corner.x / WHOLE) * 100}%`, top: `${(corner.y / WHOLE) * 100}%` }}
      aria-label={t('Corner {number}', { number: index + 1 })}
      title={t('Drag it, or use the arrow keys. Delete removes it.')}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isHeld.current = true;
      }}
      onPointerMove={(event) => {
        if (isHeld.current) edits.change(withCornerAt(area, index, at(event)));
      }}
      onLostPointerCapture={() => {
        isHeld.current = false;
      }}
    />
  );
}

export function MaskList({ edits }: { readonly edits: MaskEdits }) {
  const { areas, chosenId, choose, change, remove } = edits;
  return (
    <ol class="mask-list">
      {areas.map((area, index) => {
        const isChosen = area.id === chosenId;
        const title = t('Area {number}', { number: index + 1 });
        return (
          <li key={area.id} class={isChosen ? 'chosen' : ''}>
            <button type="button" class="link" aria-pressed={isChosen} onClick={() => choose(area)}>
              {title}
            </button>
            <TextField
              label={t('What it covers')}
              maxLength={MAX_NAME_CHARS}
              value={area.name}
              onValue={(name) => change({ ...area, name })}
            />
            <div class="row-actions">
              <button
                type="button"
                disabled={area.points.length >= MAX_CORNERS}
                onClick={() => {
                  choose(area);
                  change(withAnotherCorner(area));
                }}
              >
                {t('Add a corner')}
              </button>
              <button
                type="button"
                disabled={area.points.length <= MIN_CORNERS}
                onClick={() => {
                  choose(area);
                  change(withoutCorner(area, area.points.length - 1));
                }}
              >
                {t('Remove a corner')}
              </button>
              <button type="button" class="bad" onClick={() => remove(area)}>
                {t('Remove the area')}
              </button>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
