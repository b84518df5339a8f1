/** A street map: tiles of the configured server, and marks over them. One finger or the mouse moves it; two fingers, Ctrl and the wheel, and buttons zoom. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Area } from '../../wall-layout.ts';
import { type KeyDeed, pressed } from '../key-board.ts';
import { type MapView, panned, type ScreenPoint, tilesIn, zoomed } from '../map-geometry.ts';
import type { ConsoleSession } from '../session.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import { usePartKeys } from './use-keys.ts';

const KEY_PX = 80;
/** Fingers that are apart by so much more, or less, are one step. */
const PINCH_STEP = 1.6;
/** A turn of the wheel is many events: one step in this time. */
const WHEEL_MS = 150;
const OSM_COPYRIGHT = 'https://www.openstreetmap.org/copyright';

export type Tiles = NonNullable<ConsoleSession['mapTiles']>;

export interface StreetMapProps {
  readonly tiles: Tiles;
  readonly view: MapView;
  readonly area: Area;
  readonly measured: (element: HTMLElement | null) => void;
  readonly onView: (view: MapView) => void;
  /** Marks, each at its place. */
  readonly children: ComponentChildren;
}

export function StreetMap({ tiles, view, area, measured, onView, children }: StreetMapProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => measured(box.current), [measured]);
  const middle = { xPx: area.widthPx / 2, yPx: area.heightPx / 2 };
  const zoomBy = (by: number, at: ScreenPoint) => onView(zoomed(view, by, at, area, tiles.maxZoom));
  useGestures(box, { pan: (x, y) => onView(panned(view, x, y)), zoom: zoomBy });
  const keys: readonly KeyDeed[] = [
    {
      keys: ['ArrowLeft'],
      title: t('Move the map'),
      shown: ['←', '→', '↑', '↓'],
      act: () => onView(panned(view, KEY_PX, 0)),
    },
    {
      keys: ['ArrowRight'],
      title: t('Move the map'),
      shown: [],
      act: () => onView(panned(view, -KEY_PX, 0)),
    },
    { keys: ['ArrowUp'], title: t('Move the map'), shown: [], act: () => onView(panned(view, 0, KEY_PX)) },
    { keys: ['ArrowDown'], title: t('Move the map'), shown: [], act: () => onView(panned(view, 0, -KEY_PX)) },
    { keys: ['+', '='], title: t('Zoom in'), shown: ['+'], act: () => zoomBy(1, middle) },
    { keys: ['-'], title: t('Zoom out'), act: () => zoomBy(-1, middle) },
  ];
  usePartKeys(t('The map'), keys);
  return (
    <div class="street-map">
      <div class="plan-zoom">
        <button
          type="button"
          class="icon-only"
          aria-label={t('Zoom in')}
          disabled={view.zoom >= tiles.maxZoom}
          onClick={() => zoomBy(1, middle)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="icon-only"
          aria-label={t('Zoom out')}
          disabled={view.zoom <= 1}
          onClick={() => zoomBy(-1, middle)}
        >
          <Icon name="minus" />
        </button>
      </div>
      <div
        ref={box}
        class="map-box"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move it
        tabIndex={0}
        role="region"
        aria-label={t('Map')}
        onKeyDown={(event) => {
          if (event.target === event.currentTarget && pressed(keys, event)) event.preventDefault();
        }}
      >
        <TileLayer tiles={tiles} view={view} area={area} />
        {children}
      </div>
      <p class="map-credit">
        {tiles.attribution.includes('OpenStreetMap') ? (
          <a href={OSM_COPYRIGHT} target="_blank" rel="noopener">
            {tiles.attribution}
          </a>
        ) : (
          tiles.attribution
        )}
      </p>
    </div>
  );
}

/**
 * OpenStreetMap's tile usage policy: the browser names the console's origin to the server, caches as the server says, and requests only what
 * is on the screen.
 */
function TileLayer({ tiles, view, area }: Pick<StreetMapProps, 'tiles' | 'view' | 'area'>) {
  const [failed, setFailed] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => tilesIn(view, area, tiles.url), [view, area, tiles.url]);
  const missing = shown.filter(({ url }) => failed.has(url)).length;
  return (
    <>
      <div class="map-tiles" aria-hidden="true">
        {shown.map(({ url, xPx, yPx }) => (
          <img
            key={`${url} ${Math.floor(xPx / area.widthPx)}`}
            src={url}
            alt=""
            draggable={false}
            referrerPolicy="strict-origin-when-cross-origin"
            style={{ transform: `translate(${xPx}px, ${yPx}px)` }}
            onLoad={() => setFailed((known) => without(known, url))}
            onError={() => setFailed((known) => new Set([...known, url].slice(-MAX_FAILED)))}
          />
        ))}
      </div>
      {missing > 0 && missing * 2 >= shown.length && (
        <p class="map-missing" role="status">
          {t('The map server {host} has no picture of this part, or does not respond.', {
            host: new URL(tiles.url).host,
          })}
        </p>
      )}
    </>
  );
}

const MAX_FAILED = 200;

function without(known: ReadonlySet<string>, url: string): ReadonlySet<string> {
  if (!known.has(url)) return known;
  return new Set([...known].filter((other) => other !== url));
}

/** At a point of the map. */
export function useMapPlace<Part extends HTMLElement>({ xPx, yPx }: ScreenPoint) {
  const part = useRef<Part>(null);
  useLayoutEffect(() => {
    part.current!.style.setProperty('left', `${xPx}px`);
    part.current!.style.setProperty('top', `${yPx}px`);
  });
  return part;
}

interface Gestures {
  readonly pan: (byXPx: number, byYPx: number) => void;
  readonly zoom: (by: number, at: ScreenPoint) => void;
}

/** Of the map itself: a press on a mark is the mark's. */
function useGestures(box: { readonly current: HTMLElement | null }, gestures: Gestures): void {
  const newest = useRef(gestures);
  newest.current = gestures;
  useEffect(() => {
    const element = box.current!;
    const left = new AbortController();
    const held = new Map<number, ScreenPoint>();
    let apart: number | null = null;
    let wheeledAtMs = 0;
    const within = ({ clientX, clientY }: MouseEvent): ScreenPoint => {
      const { left: xPx, top: yPx } = element.getBoundingClientRect();
      return { xPx: clientX - xPx, yPx: clientY - yPx };
    };
    const isOfMark = ({ target }: Event) => target instanceof Element && target.closest('a, button') !== null;
    const on = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      act: (event: HTMLElementEventMap[Type]) => void,
    ) => element.addEventListener(type, act, { signal: left.signal, passive: false });
    on('pointerdown', (event) => {
      if (event.button !== 0 || isOfMark(event)) return;
      element.setPointerCapture(event.pointerId);
      held.set(event.pointerId, within(event));
      apart = distanceOf([...held.values()]);
    });
    on('pointermove', (event) => {
      const before = held.get(event.pointerId);
      if (before === undefined) return;
      const now = within(event);
      held.set(event.pointerId, now);
      if (held.size === 1) newest.current.pan(now.xPx - before.xPx, now.yPx - before.yPx);
      const distance = distanceOf([...held.values()]);
      if (distance === null || apart === null) return;
      const step = distance > apart * PINCH_STEP ? 1 : distance < apart / PINCH_STEP ? -1 : 0;
      if (step === 0) return;
      apart = distance;
      newest.current.zoom(step, middleOf([...held.values()]));
    });
    const end = ({ pointerId }: PointerEvent) => {
      held.delete(pointerId);
      apart = null;
    };
    on('pointerup', end);
    on('pointercancel', end);
    on('dblclick', (event) => {
      if (!isOfMark(event)) newest.current.zoom(1, within(event));
    });
    on('wheel', (event) => {
      // Without Ctrl, it scrolls the page, as over a timeline. Pinching on a touchpad is Ctrl, too.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      if (event.timeStamp - wheeledAtMs < WHEEL_MS) return;
      wheeledAtMs = event.timeStamp;
      newest.current.zoom(event.deltaY < 0 ? 1 : -1, within(event));
    });
    return () => left.abort();
  }, []);
}

function distanceOf([one, two]: readonly ScreenPoint[]): number | null {
  return one === undefined || two === undefined ? null : Math.hypot(one.xPx - two.xPx, one.yPx - two.yPx);
}

function middleOf(points: readonly ScreenPoint[]): ScreenPoint {
  const sum = (side: 'xPx' | 'yPx') => points.reduce((all, point) => all + point[side], 0) / points.length;
  return { xPx: sum('xPx'), yPx: sum('yPx') };
}
