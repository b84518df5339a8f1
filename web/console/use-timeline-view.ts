/** What the timeline shows and reads: the range to read, and a view that follows the play head. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { place } from './places.ts';
import type { ReadingHandle } from './reading.ts';
import { isAtNow, liveView, showing, type View } from './time-axis.ts';
import type { Span } from './timeline-state.ts';

const ADDRESS_MS = 500;
/** The stream does not tell that a recording grows. */
const GROW_MS = 10_000;
const DAY_MS = 86_400_000;
const SEC_MS = 1_000;
/** Turns of a wheel follow each other faster: ranges in between are not read. */
const REST_MS = 150;
/** A list that follows the present is read again when so much of it has passed. */
const LIVE_STEPS = 32;

/** The range to read for a view: wider than the view, and the same for nearby views. At most 32 days. */
export function rangeOf({ startMs, spanMs }: View): Span {
  const stepMs = Math.min(2 ** Math.floor(Math.log2(spanMs)), DAY_MS);
  const fromMs = Math.floor(startMs / stepMs) * stepMs;
  return { fromMs, toMs: fromMs + Math.ceil(spanMs / stepMs + 1) * stepMs };
}

/** The visible range, as a list is to have it: to the second, in steps while it follows the present. At most 32 days. */
export function listRangeOf({ startMs, spanMs }: View, isLive: boolean): Span {
  const stepMs = isLive ? Math.max(SEC_MS, Math.round(spanMs / LIVE_STEPS)) : SEC_MS;
  return {
    fromMs: Math.floor(startMs / stepMs) * stepMs,
    toMs: Math.ceil((startMs + spanMs) / stepMs) * stepMs,
  };
}

/** The range once it stops changing; the first one immediately. */
export function useRested(range: Span): Span {
  const [rested, setRested] = useState(range);
  useEffect(() => {
    if (rested.fromMs === range.fromMs && rested.toMs === range.toMs) return;
    const timer = setTimeout(() => setRested(range), REST_MS);
    return () => clearTimeout(timer);
  }, [range.fromMs, range.toMs, rested]);
  return rested;
}

export function useGrowth<Value>(reading: ReadingHandle<Value>, isGrowing: () => boolean): void {
  const newest = useRef({ reading, isGrowing });
  newest.current = { reading, isGrowing };
  useEffect(() => {
    const timer = setInterval(() => {
      const { reading: now, isGrowing: mayGrow } = newest.current;
      if (document.visibilityState === 'visible' && mayGrow()) now.refresh();
    }, GROW_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The last value that was read, also while another range is being read. */
export function useLast<Value, None>(reading: ReadingHandle<Value>, none: None): Value | None {
  const last = useRef<Value | None>(none);
  const state = reading.state.value;
  if (state.kind === 'read') last.current = state.value;
  return last.current;
}

/** The view goes with the head if that leaves it, and with now while it is at its edge. */
export function useFollowedView(
  isLive: boolean,
  headMs: number,
  nowMs: number,
  setView: (change: (before: View) => View) => void,
): void {
  const sawMs = useRef(nowMs);
  useEffect(() => {
    const before = sawMs.current;
    sawMs.current = nowMs;
    if (isLive) setView((view) => (isAtNow(view, before) ? liveView(view.spanMs, nowMs) : view));
  }, [isLive, nowMs]);
  const followedMs = useRef(headMs);
  useEffect(() => {
    const before = followedMs.current;
    followedMs.current = headMs;
    if (isLive) return;
    setView((view) => {
      const end = view.startMs + view.spanMs;
      return before <= end && headMs > end ? showing(view, headMs, nowMs) : view;
    });
  }, [isLive, headMs]);
}

/** The address leads back to the visible range. */
export function useAddress(siteQuery: string, atMs: number | null, isPlaying: boolean, spanMs: number): void {
  useEffect(() => {
    if (isPlaying) return;
    const timer = setTimeout(() => {
      const at = atMs === null ? '' : `&at=${Math.round(atMs)}`;
      history.replaceState(
        history.state,
        '',
        `${place('timeline')}?${siteQuery}${at}&span=${Math.round(spanMs)}`,
      );
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [siteQuery, atMs, isPlaying, spanMs]);
}
