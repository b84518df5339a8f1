/** Marks on a street map: sites with their names, cameras, and groups of what would cover each other. */

import type { Area } from '../../wall-layout.ts';
import { type KeyDeed, pressed } from '../key-board.ts';
import {
  type Degrees,
  degreesOf,
  grouped,
  type MapView,
  type ScreenPoint,
  screenOf,
  worldAt,
  worldOf,
} from '../map-geometry.ts';
import { type MapMark, worstState } from '../map-marks.ts';
import { t } from '../words.ts';
import { drag } from './drag.ts';
import { moveKeys } from './move-keys.ts';
import { useMapPlace } from './street-map.tsx';
import { usePartKeys } from './use-keys.ts';
import type { MapEdits } from './use-map-edits.ts';

/** Marks that are closer are one. */
const APART_PX = 44;
/** With Shift, ten times as far. */
const KEY_PX = 4;

export interface MarksProps {
  readonly marks: readonly MapMark[];
  readonly view: MapView;
  readonly area: Area;
  /** Null: marks lead to their pages. */
  readonly edits: MapEdits | null;
  readonly chosen: string | null;
  readonly onChoose: (uuid: string | null) => void;
  /** Shows what is in a group. */
  readonly onOpen: (marks: readonly MapMark[]) => void;
}

export function Marks({ marks, view, area, edits, chosen, onChoose, onOpen }: MarksProps) {
  const at = ({ degrees }: MapMark) => screenOf(worldOf(degrees), view, area);
  const near = marks.filter((mark) => isNear(at(mark), area));
  // What is being moved stays in hand, also over others.
  const held = edits === null ? undefined : near.find(({ uuid }) => uuid === chosen);
  const groups = grouped(
    near.filter((mark) => mark !== held),
    at,
    APART_PX,
  );
  if (held !== undefined) groups.push({ items: [held], at: at(held) });
  const keys = markKeys({ held, edits, view, area });
  usePartKeys(t('A mark on the map'), keys);
  return (
    <ul class="map-marks" aria-label={t('On the map')}>
      {groups.map(({ items, at: place }) => {
        const [first] = items as readonly [MapMark, ...MapMark[]];
        return (
          <li key={`${first.kind} ${first.uuid}`}>
            {items.length > 1 ? (
              <Group marks={items} at={place} onOpen={() => onOpen(items)} />
            ) : edits === null ? (
              <Mark mark={first} at={place} />
            ) : (
              <Movable
                mark={first}
                at={place}
                edits={edits}
                keys={keys}
                isChosen={first.uuid === chosen}
                onChoose={() => onChoose(first.uuid)}
                degreesAt={(point) => degreesOf(worldAt(point, view, area))}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Mark({ mark, at }: { readonly mark: MapMark; readonly at: ScreenPoint }) {
  const part = useMapPlace<HTMLAnchorElement>(at);
  return (
    <a ref={part} class={classOf(mark)} href={mark.href} aria-label={labelOf(mark)}>
      <MarkWords mark={mark} />
    </a>
  );
}

function Movable({
  mark,
  at,
  edits,
  keys,
  isChosen,
  onChoose,
  degreesAt,
}: {
  readonly mark: MapMark;
  readonly at: ScreenPoint;
  readonly edits: MapEdits;
  readonly keys: readonly KeyDeed[];
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly degreesAt: (point: ScreenPoint) => Degrees;
}) {
  const part = useMapPlace<HTMLButtonElement>(at);
  const hold = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    onChoose();
    let place: Degrees | null = null;
    drag(event, {
      move: (byXPx, byYPx) => {
        place = degreesAt({ xPx: at.xPx + byXPx, yPx: at.yPx + byYPx });
        edits.preview(mark.uuid, place);
      },
      end: () => edits.commit(mark, place, mark.degrees),
    });
  };
  return (
    <button
      ref={part}
      type="button"
      class={`${classOf(mark)} ${isChosen ? 'chosen' : ''}`}
      aria-label={labelOf(mark)}
      aria-pressed={isChosen}
      onClick={onChoose}
      onFocus={onChoose}
      onKeyDown={(event) => {
        if (pressed(keys, event)) event.preventDefault();
      }}
      onPointerDown={hold}
    >
      <MarkWords mark={mark} />
    </button>
  );
}

/** Of the mark that has the focus. */
function markKeys({
  held,
  edits,
  view,
  area,
}: {
  readonly held: MapMark | undefined;
  readonly edits: MapEdits | null;
  readonly view: MapView;
  readonly area: Area;
}): readonly KeyDeed[] {
  if (held === undefined || edits === null) return [];
  const at = screenOf(worldOf(held.degrees), view, area);
  const move = (byX: number, byY: number, isWide: boolean) => {
    const px = KEY_PX * (isWide ? 10 : 1);
    const to = degreesOf(worldAt({ xPx: at.xPx + byX * px, yPx: at.yPx + byY * px }, view, area));
    edits.commit(held, to, held.degrees);
  };
  return moveKeys(move);
}

function Group({
  marks,
  at,
  onOpen,
}: {
  readonly marks: readonly MapMark[];
  readonly at: ScreenPoint;
  readonly onOpen: () => void;
}) {
  const part = useMapPlace<HTMLButtonElement>(at);
  const state = worstState(marks.map((mark) => mark.state));
  const sites = marks.filter(({ kind }) => kind === 'site');
  const [site] = sites;
  const cameras = marks.length - sites.length;
  return (
    <button ref={part} type="button" class={`map-mark site group ${state}`} onClick={onOpen}>
      <span class="plan-mark" />
      <span class="map-words">
        {site !== undefined && sites.length === 1 ? (
          <>
            <b>{site.name}</b> <small>{site.detail}</small>
          </>
        ) : sites.length > 0 ? (
          <b>{t('{count, plural, one {# site} other {# sites}}', { count: sites.length })}</b>
        ) : (
          <b>{t('{count, plural, one {# camera} other {# cameras}}', { count: cameras })}</b>
        )}
      </span>
    </button>
  );
}

function MarkWords({ mark: { kind, name, detail } }: { readonly mark: MapMark }) {
  return (
    <>
      <span class="plan-mark" />
      <span class={kind === 'site' ? 'map-words' : 'map-words hint'}>
        <b>{name}</b> <small>{detail}</small>
      </span>
    </>
  );
}

/** The words of a camera show only while it is pointed at. */
function labelOf({ name, detail }: MapMark): string {
  return `${name} ${detail}`;
}

function classOf({ kind, state }: MapMark): string {
  return `map-mark ${kind} ${state}`;
}

function isNear({ xPx, yPx }: ScreenPoint, { widthPx, heightPx }: Area): boolean {
  return xPx > -APART_PX && yPx > -APART_PX && xPx < widthPx + APART_PX && yPx < heightPx + APART_PX;
}
