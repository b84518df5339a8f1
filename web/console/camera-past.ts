/** The past of one camera: what was recorded, and what happened, in the visible stretch of time. */

import { type HoldsRead, type LegalHold, readHolds } from './case-list.ts';
import { type ReadingHandle, useReading } from './reading.ts';
import { MARKED } from './site-lanes.ts';
import type { View } from './time-axis.ts';
import {
  mayNvrChange,
  type Recorded,
  readMarks,
  readOnNvr,
  readRecorded,
  readTimelineClips,
  type TimelineClip,
  type TimelineMarks,
  withNvr,
} from './timeline-state.ts';
import { rangeOf, useGrowth, useLast, useRested } from './use-timeline-view.ts';

/** Width of a strip; a shorter gap cannot be seen. */
const PIXELS = 1_000;
const NO_MARKS: TimelineMarks = { events: [], isAll: true };
const NO_CLIPS: readonly TimelineClip[] = [];
const NO_HOLDS: HoldsRead = { holds: [], heldBytes: 0, allowedBytes: null };

export interface CameraPast {
  readonly recorded: Recorded | null;
  readonly marks: TimelineMarks;
  readonly clips: readonly TimelineClip[];
  readonly holds: readonly LegalHold[];
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
  const onNvr = useReading((signal) => readOnNvr([cameraUuid], range, signal), keys);
  const marks = useReading(
    (signal) => readMarks([cameraUuid], range, signal),
    keys,
    ({ entity }) => MARKED.has(entity),
  );
  const clips = useReading(
    (signal) => readTimelineClips([cameraUuid], signal),
    [cameraUuid],
    ({ entity }) => entity === 'SAVED_CLIPS',
  );
  const holds = useReading(readHolds, [], ({ entity }) => entity === 'LEGAL_HOLD');
  useGrowth(recorded, () => range.toMs > nowMs);
  const footage = useLast(onNvr, null);
  useGrowth(onNvr, () => mayNvrChange(footage));
  return {
    recorded: withNvr(useLast(recorded, null), footage),
    marks: useLast(marks, NO_MARKS),
    clips: useLast(clips, NO_CLIPS),
    holds: useLast(holds, NO_HOLDS).holds,
    readings: [recorded, marks, clips, holds],
  };
}
