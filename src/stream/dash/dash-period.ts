/** A Period of a manifest as plain values, which nodes of a cluster tell each other (docs/design/dash.md#many-nodes). */

import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { StreamId } from '../../dash/media-names.ts';
import type { Stretch } from '../media/timed-segment.ts';

/** The roles of streams in a manifest: the main stream sets its Periods, the others join it. */
export const STREAM_ROLES = ['main', 'sub', 'audio'] as const;
export type StreamRole = (typeof STREAM_ROLES)[number];

/** Properties that all segments of a stream in a Period share, and the number of one of them. */
export interface SampleSegment extends Pick<PackagedTracks, 'video' | 'audio'> {
  readonly msn: number;
  readonly initName: string;
}

/** A stream in a Period. */
export interface DashStream {
  readonly id: StreamId;
  readonly stretch: Stretch;
  readonly presentationTimeOffsetTicks: number;
  /**
   * One of its segments when the Period began: its codec, size and init segment are those of all. The substream is
   * listed from this one on, even if it ends before the Period begins: a stream without a segment cannot be listed, and
   * players do not find one that is added to a Period later.
   */
  readonly sample: SampleSegment;
  /** Measured when the Period began; they do not change in a Period. */
  readonly bandwidthBitsPerSec: number;
  readonly frameRateHz: number | null;
}

export interface DashPeriod {
  /** Epoch milliseconds. */
  readonly startMs: number;
  /** Segments of the main stream: from this number up to, not including, `endMsn`. */
  readonly firstMsn: number;
  endMsn: number;
  readonly main: DashStream;
  readonly sub: DashStream | null;
  readonly audio: DashStream | null;
}

/** How long the newest complete segment of each stream is, in seconds. */
export type UsualSec = Readonly<Record<StreamRole, number>>;

/** A node's decision about a manifest, as plain values. */
export interface PeriodsState {
  /** Oldest first. The same array until a Period begins or ends. */
  readonly periods: readonly Readonly<DashPeriod>[];
  /** It knows of segments of the main stream with lower numbers which Period they belong to. */
  readonly nextMsn: number;
  readonly hasHole: boolean;
  /** The values carry over from one opening of the camera to the next. */
  readonly usualSec: UsualSec;
}
