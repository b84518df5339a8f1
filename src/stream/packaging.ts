/** What the hub needs from a packager: access units in, a rendition out. `Packager` (packager.ts) implements it. */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { GatewayError } from '../core/errors.ts';
import type { KeyFrame, LiveRendition, RenditionName } from './live-media.ts';
import type { Numbering } from './numbering.ts';
import type { OtherRendition } from './playlist-texts.ts';

/** Properties of a rendition for the Multivariant Playlist; known only once something has been packaged. */
export interface RenditionProperties {
  /** Highest and mean bit rate of the window, in bits per second. */
  readonly peakBitsPerSec: number;
  readonly averageBitsPerSec: number;
  /** RFC 6381, one per track. */
  readonly codecs: readonly string[];
  readonly widthPx: number;
  readonly heightPx: number;
  /** Measured; null before there are enough frames. */
  readonly frameRateHz: number | null;
}

export interface PackagerStats {
  readonly frames: number;
  readonly droppedFrames: number;
  /** Before the first key frame: not a loss. */
  readonly joiningFrames: number;
  readonly segments: number;
  readonly windowBytes: number;
  /** Bytes of media that left the window while being sent. */
  readonly overdueBytes: number;
}

export interface RenditionPackager {
  readonly rendition: LiveRendition;
  setTracks(tracks: readonly Track[]): void;
  /** Borrowed. A bad unit is dropped and counted, never thrown. */
  push(unit: AccessUnit): void;
  /** A new source instance follows: its timeline is unrelated to the previous one. */
  discontinuity(): void;
  /** Ends every waiting request with `error`; packaging can continue afterwards. */
  failWaiters(error: GatewayError): void;
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
  readonly rendition: RenditionName;
  readonly withAudio: boolean;
  readonly numbering: Numbering;
  /** There were earlier segments: the first one is a discontinuity. */
  readonly isContinuation: boolean;
  readonly onNumbering: (numbering: Numbering) => void;
  /** Called once, when the first part can be served. */
  readonly onPlayable: () => void;
  /** The camera's other stream, if it has one. */
  readonly other?: OtherRendition;
  /** Monotonic time at which the camera was opened: 0 on the timeline of all its renditions. */
  readonly originMonoMs: number;
}) => RenditionPackager;
