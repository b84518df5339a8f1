/** The past of one camera: what was recorded, and what happened, in the visible stretch of time. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { alertTitle } from './alert-list.ts';
import { type ReadingHandle, useReading } from './reading.ts';
import type { View } from './time-axis.ts';
import {
  camerasOf,
  clipSpan,
  type Recorded,
  readRecorded,
  readTimelineAlerts,
  readTimelineClips,
  type Span,
  type TimelineAlert,
  type TimelineClip,
} from './timeline-state.ts';

/** Turns of a wheel follow each other faster: ranges in between are not read. */
const REST_MS = 200;
/** The stream of changes does not announce that a recording grows. */
const GROW_MS = 10_000;
/** Width of a strip; a shorter gap cannot be seen. */
const PIXELS = 1_000;
const MAX_RANGE_MS = 31 * 86_400_000;

export interface PastEvent {
  readonly key: string;
  readonly kind: 'alert' | 'clip';
  readonly title: string;
  readonly atMs: number;
}

export interface CameraPast {
  readonly recorded: Recorded | null;
  readonly alerts: readonly TimelineAlert[];
  readonly clips: readonly TimelineClip[];
  /** To show what failed, and to try again. */
  readonly readings: readonly Pick<ReadingHandle<unknown>, 'state' | 'refresh'>[];
}

export function useCameraPast(cameraUuid: string, view: View, nowMs: number): CameraPast {
  const range = useRested(rangeOf(view));
  const keys = [cameraUuid, range.fromMs, range.toMs];
  const recorded = useReading(
    (signal) => readRecorded([cameraUuid], range, Math.max(1_000, Math.round(view.spanMs / PIXELS)), signal),
    keys,
  );
  const alerts = useReading(
    (signal) => readTimelineAlerts([cameraUuid], range, signal),
    keys,
    ({ entity }) => entity === 'POLICY_ALERT',
  );
  const clips = useReading(
    (signal) => readTimelineClips([cameraUuid], signal),
    [cameraUuid],
    ({ entity }) => entity === 'SAVED_CLIPS',
  );
  const isGrowing = range.toMs > nowMs;
  useEffect(() => {
    if (!isGrowing) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') recorded.refresh();
    }, GROW_MS);
    return () => clearInterval(timer);
  }, [recorded, isGrowing]);
  return {
    recorded: useLast(recorded, null),
    alerts: useLast(alerts, NONE),
    clips: useLast(clips, NONE),
    readings: [recorded, alerts, clips],
  };
}

const NONE: readonly never[] = [];

/** What happened in the view, the newest first. */
export function eventsIn({ startMs, spanMs }: View, { alerts, clips }: CameraPast): PastEvent[] {
  const events: PastEvent[] = [
    ...alerts.map((alert) => ({
      key: alert.uuid,
      kind: 'alert' as const,
      title: alertTitle(alert),
      atMs: alert.timestampMs,
    })),
    ...clips.map((clip) => ({
      key: clip.uuid,
      kind: 'clip' as const,
      title: clip.title ?? 'Clip',
      atMs: clipSpan(clip).fromMs,
    })),
  ];
  return events
    .filter(({ atMs }) => atMs >= startMs && atMs <= startMs + spanMs)
    .toSorted((a, b) => b.atMs - a.atMs);
}

/** The spans of the camera's clips. */
export function clipSpansOf(cameraUuid: string, clips: readonly TimelineClip[]): Span[] {
  return clips.filter((clip) => camerasOf(clip).includes(cameraUuid)).map(clipSpan);
}

/** The range to read for a view: wider than the view, and the same for nearby views. */
export function rangeOf({ startMs, spanMs }: View): Span {
  // At most the view and four steps.
  const stepMs = Math.min(spanMs, (MAX_RANGE_MS - spanMs) / 4);
  const fromMs = Math.max(0, Math.floor(startMs / stepMs - 1) * stepMs);
  const toMs = Math.ceil((startMs + spanMs) / stepMs + 1) * stepMs;
  return { fromMs: Math.round(fromMs), toMs: Math.round(toMs) };
}

/** The last range that stayed for a moment. */
function useRested(range: Span): Span {
  const [rested, setRested] = useState(range);
  useEffect(() => {
    const timer = setTimeout(() => setRested(range), REST_MS);
    return () => clearTimeout(timer);
  }, [range.fromMs, range.toMs]);
  return rested;
}

/** While another range is read, what was known stays. */
function useLast<Value, Other>(reading: ReadingHandle<Value>, before: Other): Value | Other {
  const last = useRef<Value | Other>(before);
  const state = reading.state.value;
  if (state.kind === 'read') last.current = state.value;
  return last.current;
}
