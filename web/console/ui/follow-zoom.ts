/** Gestures on a camera's picture: the wheel with Ctrl, two fingers, a double click, and dragging what is zoomed. */

import { dragged, isZoomed, WHOLE, type Zoom, zoomedBy } from '../camera-zoom.ts';

const WHEEL_ZOOM = 1.0025;
/** Of a double click. */
const CLICK_ZOOM = 2.5;
const LEAST_PX = 20;
/** Between two taps. */
const DOUBLE_MS = 350;
const DOUBLE_PX = 30;

export interface ZoomFollower {
  zoom(): Zoom;
  /** Whether the wheel zooms without Ctrl: nothing else can scroll. */
  isFull(): boolean;
  setZoom(zoom: Zoom): void;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Returns what ends it. */
export function followZoom(box: HTMLElement, follower: ZoomFollower): () => void {
  const fingers = new Map<number, Place>();
  let lastTap: (Place & { readonly atMs: number }) | null = null;
  const left = new AbortController();
  const { signal } = left;
  const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
    const { left: x, top: y, width, height } = box.getBoundingClientRect();
    return { x: (clientX - x) / width, y: (clientY - y) / height };
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !follower.isFull()) return;
    event.preventDefault();
    const { x, y } = placeOf(event);
    follower.setZoom(zoomedBy(follower.zoom(), WHEEL_ZOOM ** -event.deltaY, x, y));
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    box.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, placeOf(event));
  };
  const move = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const now = placeOf(event);
    fingers.set(event.pointerId, now);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) {
      if (isZoomed(follower.zoom()))
        follower.setZoom(dragged(follower.zoom(), now.x - before.x, now.y - before.y));
      return;
    }
    const factor = distancePx(box, now, other) / distancePx(box, before, other);
    const moved = dragged(follower.zoom(), (now.x - before.x) / 2, (now.y - before.y) / 2);
    follower.setZoom(zoomedBy(moved, factor, (now.x + other.x) / 2, (now.y + other.y) / 2));
  };
  const up = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId) || event.type !== 'pointerup') return;
    const tap = { ...placeOf(event), atMs: event.timeStamp };
    const isDouble =
      lastTap !== null && tap.atMs - lastTap.atMs < DOUBLE_MS && distancePx(box, tap, lastTap) <= DOUBLE_PX;
    lastTap = isDouble ? null : tap;
    if (!isDouble) return;
    follower.setZoom(isZoomed(follower.zoom()) ? WHOLE : zoomedBy(WHOLE, CLICK_ZOOM, tap.x, tap.y));
  };
  box.addEventListener('wheel', wheel, { signal, passive: false });
  box.addEventListener('pointerdown', down, { signal });
  box.addEventListener('pointermove', move, { signal });
  box.addEventListener('pointerup', up, { signal });
  box.addEventListener('pointercancel', up, { signal });
  return () => left.abort();
}

function distancePx(box: HTMLElement, one: Place, other: Place): number {
  const { clientWidth, clientHeight } = box;
  return Math.max(LEAST_PX, Math.hypot((one.x - other.x) * clientWidth, (one.y - other.y) * clientHeight));
}
