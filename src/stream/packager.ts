/** Turns the access units of one source into a live rendition: the segmenter, the window, and measurements of both. */

import type { DropReason } from '../cmaf/drop-counts.ts';
import { singlePictureFragment } from '../cmaf/fragment-writer.ts';
import { type PackagedTracks, VIDEO_TRACK_ID } from '../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../cmaf/part.ts';
import { Segmenter } from '../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS, type SegmenterLimits } from '../cmaf/segmenter-limits.ts';
import { ticksToMs } from '../cmaf/ticks.ts';
import { WallClock } from '../cmaf/wall-clock.ts';
import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import type { KeyFrame, LentMedia } from './live-media.ts';
import type { LiveSegment } from './live-segment.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS, LiveWindow, type LiveWindowLimits } from './live-window.ts';
import type { Numbering } from './numbering.ts';
import type { PackagerStats, RenditionPackager, RenditionProperties } from './packaging.ts';
import type { OtherRendition } from './playlist-texts.ts';

export interface PackagerLimits extends SegmenterLimits, LiveWindowLimits {}

export const DEFAULT_PACKAGER_LIMITS: PackagerLimits = {
  ...DEFAULT_SEGMENTER_LIMITS,
  ...DEFAULT_LIVE_WINDOW_LIMITS,
};

export interface PackagerOptions {
  readonly clock: Clock;
  readonly limits?: PackagerLimits;
  /** False: audio tracks are left out. */
  readonly withAudio: boolean;
  readonly numbering: Numbering;
  /** There were earlier segments: the first one is a discontinuity. */
  readonly isContinuation: boolean;
  /** Called whenever a segment begins, before its number is visible. */
  readonly onNumbering: (numbering: Numbering) => void;
  /** Called once, when the first part can be served. */
  readonly onPlayable: () => void;
  /** The camera's other stream, if it has one. */
  readonly other?: OtherRendition;
  /** Monotonic time that is 0 on the timeline of all renditions of the camera; absent: that of the first frame. */
  readonly originMonoMs?: number;
}

export interface DetailedPackagerStats extends PackagerStats {
  readonly parts: number;
  readonly droppedByReason: Readonly<Record<DropReason, number>>;
}

export class Packager implements RenditionPackager {
  readonly rendition: LiveWindow;
  readonly #segmenter: Segmenter;
  readonly #onPlayable: () => void;
  #parts = 0;
  #publishedMs = 0;
  /** Of the newest part. */
  #tracks: PackagedTracks | null = null;
  /** The newest part with a key frame, and the loan of its bytes. */
  #keyPart: CmafPart | null = null;
  #keyLoan: LentMedia | null = null;
  #keyFrame: KeyFrame | null = null;

  constructor(options: PackagerOptions) {
    const { clock, withAudio, numbering, isContinuation, onNumbering, other, originMonoMs } = options;
    const limits = options.limits ?? DEFAULT_PACKAGER_LIMITS;
    const window = { clock, limits, numbering, isContinuation, onNumbering };
    this.rendition = new LiveWindow(other === undefined ? window : { ...window, other });
    this.#segmenter = new Segmenter({
      limits,
      withAudio,
      ...(originMonoMs === undefined ? {} : { originMonoMs }),
      wallClock: new WallClock(clock.epochMs() - clock.monoMs()),
      onPart: (part) => this.#publish(part),
    });
    this.#onPlayable = options.onPlayable;
  }

  setTracks(tracks: readonly Track[]): void {
    this.#segmenter.setTracks(tracks);
  }

  push(unit: AccessUnit): void {
    this.#segmenter.push(unit);
  }

  discontinuity(): void {
    this.#segmenter.discontinuity();
  }

  failWaiters(error: GatewayError): void {
    this.rendition.failWaiters(error);
  }

  lastWaitMonoMs(): number {
    return this.rendition.lastWaitMonoMs();
  }

  close(): void {
    this.#keepKeyPart(null);
    this.rendition.close();
  }

  publishedMs(): number {
    return this.#publishedMs;
  }

  properties(): RenditionProperties | null {
    if (this.#tracks === null) return null;
    const { video, audio } = this.#tracks;
    const segments = this.rendition.listedSegments();
    return {
      ...bitRates(segments),
      codecs: audio === null ? [video.codecString] : [video.codecString, audio.codecString],
      widthPx: video.widthPx,
      heightPx: video.heightPx,
      frameRateHz: frameRateHz(segments),
    };
  }

  hasAudio(): boolean | null {
    return this.#tracks === null ? null : this.#tracks.audio !== null;
  }

  /** Copies the frame on first request. */
  keyFrame(): KeyFrame | null {
    if (this.#keyPart !== null && this.#keyLoan !== null) {
      this.#keyFrame = pictureOf(this.#keyPart, this.#keyLoan.bytes);
      this.#keepKeyPart(null);
    }
    return this.#keyFrame;
  }

  stats(): DetailedPackagerStats {
    const { drops } = this.#segmenter;
    return {
      frames: this.#segmenter.frames,
      droppedFrames: drops.total,
      joiningFrames: drops.joining,
      droppedByReason: drops.byReason(),
      parts: this.#parts,
      segments: this.rendition.segmentCount,
      windowBytes: this.rendition.byteLength,
      overdueBytes: this.rendition.overdueBytes,
    };
  }

  #publish(part: CmafPart): void {
    this.#parts++;
    this.#tracks = part.tracks;
    this.#publishedMs += ticksToMs(part.durationTicks, part.tracks.video.timescaleHz);
    this.rendition.publish(part, this.#segmenter.partTargetMs);
    if (part.keySample !== null) this.#keepKeyPart(part);
    if (this.#parts === 1) this.#onPlayable();
  }

  /** `part`: the one just published. */
  #keepKeyPart(part: CmafPart | null): void {
    this.#keyLoan?.release();
    this.#keyPart = part;
    this.#keyLoan = part === null ? null : this.rendition.newestPart();
  }
}

function pictureOf(part: CmafPart, bytes: Buffer): KeyFrame | null {
  if (part.keySample === null) return null;
  const { offsetBytes, sizeBytes, epochMs } = part.keySample;
  const { video, init } = part.tracks;
  const picture = Buffer.from(bytes.subarray(offsetBytes, offsetBytes + sizeBytes));
  return {
    fmp4: [init, ...singlePictureFragment(VIDEO_TRACK_ID, picture)],
    widthPx: video.widthPx,
    heightPx: video.heightPx,
    atEpochMs: Math.round(epochMs),
  };
}

/** Of complete segments, as RFC 8216bis §4.4.6.2 defines them; of the open one until there is a complete one. */
function bitRates(segments: readonly LiveSegment[]): { peakBitsPerSec: number; averageBitsPerSec: number } {
  const complete = segments.filter((segment) => segment.isComplete);
  const measured = complete.length > 0 ? complete : segments;
  let peakBitsPerSec = 0;
  let bits = 0;
  let seconds = 0;
  for (const segment of measured) {
    const segmentSec = segment.durationMs / 1_000;
    peakBitsPerSec = Math.max(peakBitsPerSec, (segment.byteLength * 8) / segmentSec);
    bits += segment.byteLength * 8;
    seconds += segmentSec;
  }
  return { peakBitsPerSec: Math.ceil(peakBitsPerSec), averageBitsPerSec: Math.ceil(bits / seconds) };
}

/** Needs a few frames to be meaningful. */
const MIN_PICTURES = 4;

function frameRateHz(segments: readonly LiveSegment[]): number | null {
  let pictures = 0;
  let seconds = 0;
  for (const segment of segments) {
    pictures += segment.pictures;
    seconds += segment.durationMs / 1_000;
  }
  return pictures < MIN_PICTURES ? null : pictures / seconds;
}
