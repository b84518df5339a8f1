/**
 * Mouse, wheel, and fingers on the timeline's axis. A mouse drags the play head. A finger drags the axis and taps where the head goes; two
 * fingers zoom. The wheel scrolls the page; with Ctrl, it zooms, and sideways, it pans.
 */

import { msAt, panned, type View, zoomed } from './time-axis.ts';

export interface GestureTarget {
  readonly view: View;
  readonly nowMs: number;
  readonly onView: (view: View) => void;
  readonly onSeek: (epochMs: number, isDragging: boolean) => void;
  /** A mouse points at the time; null: no longer. */
  readonly onPeek: (epochMs: number | null) => void;
}

const WHEEL_ZOOM = 1.0015;
/** A pinch on a touchpad is a wheel with Ctrl and small steps. */
const PINCH_ZOOM = 1.01;
const PINCH_STEP_PX = 40;
/** A finger that moves less than this taps. */
const TAP_PX = 8;
const MIN_PINCH_PX = 20;

/** Returns what ends it. */
export function followGestures(box: HTMLElement, newest: { readonly current: GestureTarget }): () => void {
  const fingers = new Map<number, number>();
  let held: 'head' | 'axis' | 'pinch' | null = null;
  let beganX = 0;
  let hasMoved = false;
  const xIn = (event: MouseEvent) => event.clientX - box.getBoundingClientRect().left;
  const timeAt = (x: number) => msAt(newest.current.view, x, box.clientWidth);
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    newest.current.onPeek(null);
    box.setPointerCapture(event.pointerId);
    box.focus({ preventScroll: true });
    fingers.set(event.pointerId, xIn(event));
    if (fingers.size > 1) held = 'pinch';
    else {
      held = event.pointerType === 'touch' ? 'axis' : 'head';
      [beganX, hasMoved] = [xIn(event), false];
      if (held === 'head') newest.current.onSeek(timeAt(xIn(event)), true);
    }
  };
  const drag = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId);
    const x = xIn(event);
    if (before === undefined) {
      if (event.pointerType === 'mouse') newest.current.onPeek(timeAt(x));
      return;
    }
    if (held === 'pinch') pinch(event.pointerId, before, x);
    else if (held === 'head') newest.current.onSeek(timeAt(x), true);
    else {
      hasMoved ||= Math.abs(x - beganX) > TAP_PX;
      const { view, nowMs, onView } = newest.current;
      if (hasMoved) onView(panned(view, ((before - x) / box.clientWidth) * view.spanMs, nowMs));
    }
    fingers.set(event.pointerId, x);
  };
  const pinch = (id: number, before: number, x: number) => {
    const other = [...fingers].find(([each]) => each !== id)?.[1];
    if (other === undefined) return;
    const { view, nowMs, onView } = newest.current;
    const factor =
      Math.max(MIN_PINCH_PX, Math.abs(before - other)) / Math.max(MIN_PINCH_PX, Math.abs(x - other));
    onView(zoomed(view, factor, timeAt(other), nowMs));
  };
  const up = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    const isDone = event.type === 'pointerup';
    if (isDone && (held === 'head' || (held === 'axis' && !hasMoved)))
      newest.current.onSeek(timeAt(xIn(event)), false);
    if (fingers.size === 0) held = null;
  };
  const wheel = (event: WheelEvent) => {
    const { view, nowMs, onView } = newest.current;
    const { deltaX, deltaY } = event;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const base = Math.abs(deltaY) < PINCH_STEP_PX ? PINCH_ZOOM : WHEEL_ZOOM;
      onView(zoomed(view, base ** deltaY, timeAt(xIn(event)), nowMs));
      return;
    }
    const isSideways = Math.abs(deltaX) > Math.abs(deltaY);
    if (!isSideways && !event.shiftKey) return;
    event.preventDefault();
    const turned = isSideways ? deltaX : deltaY;
    onView(panned(view, (turned / box.clientWidth) * view.spanMs, nowMs));
  };
  const left = new AbortController();
  const { signal } = left;
  box.addEventListener('pointerdown', down, { signal });
  box.addEventListener('pointermove', drag, { signal });
  box.addEventListener('pointerup', up, { signal });
  box.addEventListener('pointercancel', up, { signal });
  box.addEventListener('pointerleave', () => newest.current.onPeek(null), { signal });
  box.addEventListener('wheel', wheel, { signal, passive: false });
  return () => left.abort();
}
