/** The lanes of a time axis: one for each camera, with what was recorded and what happened. */

import { heldSpans, type LegalHold } from './case-list.ts';
import { isReconnection, type TimelineEvent } from './event-feed.ts';
import {
  camerasOf,
  clipSpan,
  type Recorded,
  type Span,
  type TimelineClip,
  type TimelineMarks,
} from './timeline-state.ts';

export interface Lane {
  readonly uuid: string;
  readonly name: string;
  readonly isShown: boolean;
  readonly spans: readonly Span[];
  /** Of these, when only pictures are left. */
  readonly picturesOnly: readonly Span[];
  /** What its NVR has. */
  readonly nvrSpans: readonly Span[];
  readonly alertsMs: readonly number[];
  readonly motionMs: readonly number[];
  readonly bookmarksMs: readonly number[];
  readonly clips: readonly Span[];
  /** Times that legal holds keep. */
  readonly held: readonly Span[];
}

/** Changes of these are read again. */
export const MARKED: ReadonlySet<string> = new Set([
  'POLICY_ALERT',
  'COMPONENT_EVENT',
  'SAVED_CLIPS',
  'SEEK_POINT',
]);

const ALARMING: ReadonlySet<TimelineEvent['kind']> = new Set(['ALERT', 'CAMERA', 'DOOR']);

/** `shown`: the cameras with a picture. */
export function lanesOf(
  cameras: readonly { readonly uuid: string; readonly name: string }[],
  shown: readonly string[],
  recorded: Recorded | null,
  { events }: TimelineMarks,
  clips: readonly TimelineClip[],
  holds: readonly LegalHold[],
): Lane[] {
  const byCamera = Map.groupBy(events, ({ cameraUuid }) => cameraUuid);
  return cameras.map(({ uuid, name }) => {
    const own = byCamera.get(uuid) ?? [];
    const timesOf = (wanted: TimelineEvent['kind']) =>
      own.filter(({ kind }) => kind === wanted).map(({ timestampMs }) => timestampMs);
    return {
      uuid,
      name,
      isShown: shown.includes(uuid),
      spans: recorded?.byCamera.get(uuid) ?? [],
      picturesOnly: recorded?.picturesOnly.get(uuid) ?? [],
      nvrSpans: recorded?.onNvr?.get(uuid)?.spans ?? [],
      alertsMs: own
        .filter((event) => ALARMING.has(event.kind) && !isReconnection(event))
        .map(({ timestampMs }) => timestampMs),
      motionMs: timesOf('MOTION'),
      bookmarksMs: timesOf('BOOKMARK'),
      clips: clips.filter((clip) => camerasOf(clip).includes(uuid)).map(clipSpan),
      held: heldSpans(holds, uuid),
    };
  });
}
