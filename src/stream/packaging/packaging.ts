/** What the hub needs from a packager: access units in, a rendition out. `Packager` (packager.ts) implements it. */

import type { BlockRun } from '../../cmaf/media-blocks.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import type { PeriodsState } from '../dash/dash-period.ts';
import type { Audience, KeyFrame, LiveRendition, RenditionName } from '../media/live-media.ts';
import type { TimedSegment } from '../media/timed-segment.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { OtherRendition } from '../window/playlist-texts.ts';
import type { FollowedWindow } from '../window/window-follower.ts';
import type { PackagingHost } from './packaging-host.ts';

/** Properties of a rendition for the Multivariant Playlist; known only once something has been packaged. */
export interface RenditionProperties {
  /** Highest and mean bit rate of the window, in bits per second. */
  readonly peakBitsPerSec: number;
  readonly averageBitsPerSec: number;
  /** RFC 6381, one per track. */
  readonly codecs: readonly string[];
  /** null: it has no video. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Measured; null before there are enough frames, and without video. */
  readonly frameRateHz: number | null;
}

/** A rendition as a manifest sees it. */
export interface TimedRendition {
  /** Whether the camera has what it packages; false before that is known. */
  readonly isFed: boolean;
  /** Another node makes it, and decides about the Periods of the manifests that it is the main stream of. */
  readonly isFollowing: boolean;
  /** What that node said last; null: nothing yet. The same object until it says more. */
  toldPeriods(audience: Audience): PeriodsState | null;
  /** Raised with every part, and with every complete segment. */
  readonly partRevision: number;
  readonly segmentRevision: number;
  /**
   * What a manifest lists: oldest first. Their numbers jump where another node took over; otherwise they are consecutive. Only the
   * last may be incomplete.
   */
  manifestSegments(): readonly TimedSegment[];
  properties(): RenditionProperties | null;
}

export interface PackagerStats {
  /** Of video and audio, including dropped ones. */
  readonly frames: number;
  /** Those of the video. */
  readonly pictures: number;
  readonly droppedFrames: number;
  /** Before the first key frame: not a loss. */
  readonly joiningFrames: number;
  readonly segments: number;
  /** Bytes of media published so far. */
  readonly publishedBytes: number;
  readonly windowBytes: number;
  /** Bytes of media that left the window while being sent. */
  readonly overdueBytes: number;
}

export interface RenditionPackager {
  readonly rendition: LiveRendition;
  /** Where its segments lie in time. */
  readonly timing: TimedRendition;
  /** To mirror what is published; null: no one can. */
  readonly feed: FollowedWindow | null;
  setTracks(tracks: readonly Track[]): void;
  /** The source's instance packages; null: what is pushed is packaged here. */
  setHost(host: PackagingHost | null): void;
  /**
   * Its numbers; null: another node numbers it, and only a mirror publishes here. Numbers that do not follow those of its window
   * empty it.
   */
  own(numbering: Numbering | null): void;
  /** Borrowed. A bad unit is dropped and counted, never thrown. */
  push(unit: AccessUnit): void;
  /** The bytes of what was pushed last, for one more user; null: it is no picture, or was not kept. */
  sharePicture(): BlockRun | null;
  /** The newest relation of the source's timeline to the camera's wall clock; null: frames are dated by arrival. */
  setCameraTime(time: CameraTime | null): void;
  /** A new source instance follows: its timeline is unrelated to the previous one. */
  discontinuity(): void;
  /** Ends every waiting request with `error`; packaging can continue afterwards. */
  failWaiters(error: GatewayError): void;
  /** Another node may be ahead, and nothing is heard of it: as failWaiters, and viewers get nothing of it until that has changed. */
  cutOff(error: GatewayError): void;
  readonly isCutOff: boolean;
  /** When a request last waited here, monotonic milliseconds: now while one does, -Infinity before the first. */
  lastWaitMonoMs(): number;
  /** Frees all packaged media, once none of it is being sent. Nothing may be pushed afterwards. */
  close(): void;
  /** Media time of all frames published so far, in milliseconds; 0 before the first part. */
  publishedMs(): number;
  properties(): RenditionProperties | null;
  /** Whether the newest part has an audio track; null before the first part. */
  hasAudio(): boolean | null;
  keyFrame(): KeyFrame | null;
  stats(): PackagerStats;
}

/** Makes the packager of one opening; `onNumbering` is called after every segment. */
export type CreatePackager = (options: {
  readonly cameraUuid: Ruuid;
  readonly rendition: RenditionName;
  readonly content: PackagedContent;
  /** null: see `own`. */
  readonly numbering: Numbering | null;
  /** There were earlier segments: the first one is a discontinuity. */
  readonly isContinuation: boolean;
  readonly onNumbering: (numbering: Numbering) => void;
  /** Asked before each part that has this node's numbers; false: the part is dropped. Absent: always. */
  readonly mayPublish?: () => boolean;
  /** Called once, when the first part can be served. */
  readonly onPlayable: () => void;
  /** Called after each part. */
  readonly onPublished?: () => void;
  /** The camera's other stream, if it has one. */
  readonly other?: OtherRendition;
  /** Monotonic time at which the camera was opened: 0 on the timeline of all its renditions. */
  readonly originMonoMs: number;
  /** Wall clock minus monotonic clock, read when the camera was opened: the same for all its renditions. */
  readonly epochMinusMonoMs?: number;
}) => RenditionPackager;
