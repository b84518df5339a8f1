/** A floor plan with its cameras: what they see, and how they are. It scrolls when it is zoomed, as a page does. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { cameraPlace } from '../camera-places.ts';
import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import type { FloorPlan } from '../floor-plan.ts';
import { type KeyDeed, pressed } from '../key-board.ts';
import {
  aimed,
  aimOf,
  bounded,
  conePath,
  moved,
  type PlanPlace,
  type PlanSize,
  rotated,
} from '../plan-geometry.ts';
import { t } from '../words.ts';
import { CameraPicture } from './camera-picture.tsx';
import { drag } from './drag.ts';
import { Icon } from './icon.tsx';
import { moveKeys } from './move-keys.ts';
import { usePartKeys } from './use-keys.ts';
import type { PlanEdits } from './use-plan-edits.ts';

/** Of a plan without an image. */
const BLANK: PlanSize = { widthPx: 1_600, heightPx: 1_000 };
const MAX_SCALE = 5;
const ZOOM_STEP = 1.5;
const KEY_STEP = 0.01;
const TURN_DEG = 15;
/** More names than these would cover the plan: then only that of the camera that someone points at. */
const MAX_NAMED = 16;
/** Below this, names would leave the plan. */
const NAMES_ABOVE = 0.75;

export interface PlanViewProps {
  readonly image: NonNullable<FloorPlan['image']> | null;
  readonly cameras: readonly CameraItem[];
  readonly edits: PlanEdits;
  /** Cameras are moved; otherwise, a press opens one. */
  readonly isArranging: boolean;
  readonly chosen: string | null;
  readonly onChoose: (cameraUuid: string | null) => void;
}

export function PlanView({ image, cameras, edits, isArranging, chosen, onChoose }: PlanViewProps) {
  const size = image ?? BLANK;
  const [scale, setScale] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    sheet.current!.style.setProperty('width', `${scale * 100}%`);
    sheet.current!.style.setProperty('aspect-ratio', `${size.widthPx} / ${size.heightPx}`);
  }, [scale, size.widthPx, size.heightPx]);
  usePinch(box, scale, setScale);
  const keys = planKeys(edits, isArranging ? chosen : null);
  usePartKeys(t('A camera on the plan'), keys);
  const shown = cameras.flatMap((camera) => {
    const place = edits.places.get(camera.uuid);
    return place === undefined ? [] : [{ camera, place }];
  });
  return (
    <div class={shown.length <= MAX_NAMED ? 'plan named' : 'plan'}>
      <div class="plan-zoom">
        <button
          type="button"
          class="icon-only"
          aria-label={t('Zoom in')}
          disabled={scale >= MAX_SCALE}
          onClick={() => setScale(Math.min(MAX_SCALE, scale * ZOOM_STEP))}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="icon-only"
          aria-label={t('Zoom out')}
          disabled={scale <= 1}
          onClick={() => setScale(Math.max(1, scale / ZOOM_STEP))}
        >
          <Icon name="minus" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <div ref={box} class="plan-box" tabIndex={0} role="region" aria-label={t('Floor plan')}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys act on the camera that has the focus */}
        <div
          ref={sheet}
          class={image === null ? 'plan-sheet blank' : 'plan-sheet'}
          onKeyDown={(event) => {
            if (isArranging && pressed(keys, event)) event.preventDefault();
          }}
        >
          {image !== null && (
            <img src={`data:image/jpeg;base64,${image.imageData}`} alt="" draggable={false} />
          )}
          <svg class="plan-cones" viewBox={`0 0 ${size.widthPx} ${size.heightPx}`} aria-hidden="true">
            {shown.map(({ camera, place }) => (
              <path
                key={camera.uuid}
                class={`${stateOf(camera)} ${camera.uuid === chosen ? 'chosen' : ''}`}
                d={conePath(place, size)}
              />
            ))}
          </svg>
          {shown.map(({ camera, place }) => (
            <PlanCamera
              key={camera.uuid}
              {...{ camera, place, edits, isArranging, sheet }}
              isChosen={camera.uuid === chosen}
              onChoose={() => onChoose(camera.uuid)}
            />
          ))}
          {isArranging &&
            shown
              .filter(({ camera }) => camera.uuid === chosen)
              .map(({ camera, place }) => (
                <AimHandle key={camera.uuid} {...{ camera, place, edits, sheet, size }} />
              ))}
        </div>
      </div>
    </div>
  );
}

function PlanCamera({
  camera,
  place,
  edits,
  isArranging,
  sheet,
  isChosen,
  onChoose,
}: {
  readonly camera: CameraItem;
  readonly place: PlanPlace;
  readonly edits: PlanEdits;
  readonly isArranging: boolean;
  readonly sheet: { readonly current: HTMLElement | null };
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const state = stateOf(camera);
  const label = `${camera.name}, ${STATE_NAMES[state]}`;
  const at = useAt<HTMLAnchorElement & HTMLButtonElement>(place.x, place.y);
  const className = `plan-camera ${state} ${isChosen ? 'chosen' : ''}`;
  const [isPointed, setIsPointed] = useState(false);
  const name = (
    <PlanName name={camera.name} state={STATE_NAMES[state]} place={place}>
      {isPointed && state !== 'offline' && <CameraPicture camera={camera} />}
    </PlanName>
  );
  if (!isArranging) {
    return (
      <>
        <a
          ref={at}
          class={className}
          href={cameraPlace(camera.uuid)}
          aria-label={label}
          onPointerEnter={() => setIsPointed(true)}
          onFocus={() => setIsPointed(true)}
        >
          <span class="plan-mark" />
        </a>
        {name}
      </>
    );
  }
  return (
    <>
      <button
        ref={at}
        type="button"
        class={className}
        aria-label={label}
        aria-pressed={isChosen}
        onFocus={onChoose}
        onClick={onChoose}
        onPointerDown={(event) =>
          drag(event, {
            move: (byXPx, byYPx) => {
              const { width, height } = sheet.current!.getBoundingClientRect();
              edits.preview(camera.uuid, moved(place, byXPx / width, byYPx / height));
            },
            end: () => edits.commit(camera.uuid),
          })
        }
      >
        <span class="plan-mark" />
      </button>
      {name}
    </>
  );
}

/** Shown while the camera next to it is pointed at, or has the focus. It stays within the plan. */
function PlanName({
  name,
  state,
  place: { x, y },
  children,
}: {
  readonly name: string;
  readonly state: string;
  readonly place: PlanPlace;
  /** A picture, once someone pointed at the camera. */
  readonly children: ComponentChildren;
}) {
  const at = useAt<HTMLSpanElement>(x, y);
  useLayoutEffect(() => at.current!.style.setProperty('--x', String(x)));
  return (
    <span ref={at} class={y > NAMES_ABOVE ? 'plan-name above' : 'plan-name'} aria-hidden="true">
      <b>{name}</b> <small>{state}</small>
      {children}
    </span>
  );
}

/** Drags where the camera looks, and how far it sees. Keys and fields do the same. */
function AimHandle({
  camera,
  place,
  edits,
  sheet,
  size,
}: {
  readonly camera: CameraItem;
  readonly place: PlanPlace;
  readonly edits: PlanEdits;
  readonly sheet: { readonly current: HTMLElement | null };
  readonly size: PlanSize;
}) {
  const aim = aimOf(place, size);
  const at = useAt<HTMLDivElement>(bounded(aim.x, 0, 1), bounded(aim.y, 0, 1));
  return (
    <div
      ref={at}
      class="plan-aim"
      onPointerDown={(event) =>
        drag(event, {
          move: (byXPx, byYPx) => {
            const { left, top, width, height } = sheet.current!.getBoundingClientRect();
            const [x, y] = [event.clientX + byXPx - left, event.clientY + byYPx - top];
            edits.preview(camera.uuid, aimed(place, x / width, y / height, size));
          },
          end: () => edits.commit(camera.uuid),
        })
      }
    />
  );
}

function planKeys(edits: PlanEdits, chosen: string | null): readonly KeyDeed[] {
  const place = chosen === null ? undefined : edits.places.get(chosen);
  if (chosen === null || place === undefined) return [];
  const put = (next: PlanPlace | null) => {
    edits.preview(chosen, next);
    edits.commitSoon(chosen);
  };
  const move = (byX: number, byY: number, isWide: boolean) => {
    const step = KEY_STEP * (isWide ? 5 : 1);
    put(moved(place, byX * step, byY * step));
  };
  return [
    ...moveKeys(move),
    { keys: [','], title: t('Turn it left'), act: () => put(rotated(place, -TURN_DEG)) },
    { keys: ['.'], title: t('Turn it right'), act: () => put(rotated(place, TURN_DEG)) },
    { keys: ['Delete'], title: t('Take it off the plan'), act: () => put(null) },
  ];
}

/** Places an element by shares of the plan. */
function useAt<Part extends HTMLElement>(x: number, y: number) {
  const part = useRef<Part>(null);
  useLayoutEffect(() => {
    part.current!.style.setProperty('left', `${x * 100}%`);
    part.current!.style.setProperty('top', `${y * 100}%`);
  });
  return part;
}

/** Two fingers zoom; one scrolls, as everywhere. */
function usePinch(
  box: { readonly current: HTMLElement | null },
  scale: number,
  setScale: (scale: number) => void,
): void {
  const newest = useRef({ scale, setScale });
  newest.current = { scale, setScale };
  useEffect(() => {
    const left = new AbortController();
    let began: { readonly distance: number; readonly scale: number } | null = null;
    const distanceOf = ({ touches: [one, two] }: TouchEvent) =>
      one === undefined || two === undefined
        ? null
        : Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    const options = { signal: left.signal, passive: false } as const;
    box.current!.addEventListener(
      'touchstart',
      (event) => {
        const distance = distanceOf(event);
        began = distance === null ? null : { distance, scale: newest.current.scale };
      },
      options,
    );
    box.current!.addEventListener(
      'touchmove',
      (event) => {
        const distance = distanceOf(event);
        if (distance === null || began === null) return;
        event.preventDefault();
        newest.current.setScale(bounded((began.scale * distance) / began.distance, 1, MAX_SCALE));
      },
      options,
    );
    return () => left.abort();
  }, []);
}
