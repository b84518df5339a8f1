/** The hub's view of a packager: access units in, a rendition out. `Packager` (packager.ts) implements it. */

import type { BlockRun } from '../../cmaf/media-blocks.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import type { TimedRendition } from '../dash/dash-periods.ts';
import type { LiveRendition, RenditionName } from '../media/live-media.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { FollowedWindow } from '../window/followed-window.ts';
import type { OtherRendition } from '../window/playlist-texts.ts';
import type { PackagingHost } from './packaging-host.ts';

export interface PackagerStats {
  /** Number of video and audio frames, including dropped ones. */
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

/** A packager's published media, for viewers, manifests, and mirrors. */
export interface PublishedMedia extends TimedRendition, FollowedWindow {
  readonly window: LiveRendition;
  /**
   * Number of the opening's first segment, while a player can still begin with its first part; null: it is too late, or
   * too early.
   */
  readonly beginningMsn: number | null;
  /** Media time of all frames published so far, in milliseconds; 0 before the first part. */
  readonly publishedMs: number;
  /** Another node may be ahead, and nothing is heard of it. */
  readonly isCutOff: boolean;
  /** As failWaiters, and viewers get nothing of it until the other node is heard again. */
  cutOff(error: GatewayError): void;
  /** Ends every waiting request with `error`; packaging can continue afterwards. */
  failWaiters(error: GatewayError): void;
  /** When a request last waited here, monotonic milliseconds: now while one does, -Infinity before the first. */
  lastWaitMonoMs(): number;
  /** Whether the newest part has an audio track; null before the first part. */
  hasAudio(): boolean | null;
}

export interface RenditionPackager {
  readonly published: PublishedMedia;
  setTracks(tracks: readonly Track[]): void;
  /** The source's instance packages; null: pushed units are packaged here. */
  setHost(host: PackagingHost | null): void;
  /**
   * Its numbers; null: another node numbers it, and only a mirror publishes here. Numbers that do not follow those of its window
   * empty it.
   */
  own(numbering: Numbering | null): void;
  /** Borrowed. A bad unit is dropped and counted, never thrown. */
  push(unit: AccessUnit): void;
  /** The bytes of the newest pushed frame, with one more user; null: it is not video, or was not kept. */
  sharePicture(): BlockRun | null;
  /** The newest relation of the source's timeline to the camera's wall clock; null: frames are dated by arrival. */
  setCameraTime(time: CameraTime | null): void;
  /** A new source instance follows: its timeline is unrelated to the previous one. */
  discontinuity(): void;
  /** Frees all packaged media, once none of it is being sent. Nothing may be pushed afterwards. */
  close(): void;
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
