/** Turns the access units of one source into a live rendition: the segmenter, the window, and measurements of both. */

import type { DropReason } from '../../cmaf/drop-counts.ts';
import { singlePictureFragment } from '../../cmaf/fragment-writer.ts';
import type { BlockRun } from '../../cmaf/media-blocks.ts';
import { type PackagedContent, type PackagedTracks, VIDEO_TRACK_ID } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import { Segmenter } from '../../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS, type SegmenterLimits } from '../../cmaf/segmenter-limits.ts';
import type { FrameCounts, SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import { ticksToMs } from '../../cmaf/ticks.ts';
import { WallClock } from '../../cmaf/wall-clock.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import type { PeriodsState } from '../dash/dash-period.ts';
import type { Audience, KeyFrame, LentMedia } from '../media/live-media.ts';
import type { TimedSegment } from '../media/timed-segment.ts';
import { type Numbering, UNKNOWN } from '../numbering/numbering.ts';
import type { LiveSegment } from '../window/live-segment.ts';
import { LiveWindow } from '../window/live-window.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS, type LiveWindowLimits } from '../window/live-window-limits.ts';
import type { LiveWindowState } from '../window/live-window-state.ts';
import type { OtherRendition } from '../window/playlist-texts.ts';
import type { SharedPathOptions } from '../window/shared-paths.ts';
import type { FollowedWindow, WindowFollower } from '../window/window-follower.ts';
import type { PackagerStats, RenditionPackager, RenditionProperties, TimedRendition } from './packaging.ts';
import type { HostedRendition, PackagingHost, PartReceiver, RenditionOrder } from './packaging-host.ts';

export interface PackagerLimits extends SegmenterLimits, LiveWindowLimits {}

export const DEFAULT_PACKAGER_LIMITS: PackagerLimits = {
  ...DEFAULT_SEGMENTER_LIMITS,
  ...DEFAULT_LIVE_WINDOW_LIMITS,
};

export interface PackagerOptions {
  readonly clock: Clock;
  readonly limits?: PackagerLimits;
  readonly content: PackagedContent;
  /** null: see RenditionPackager.own. */
  readonly numbering: Numbering | null;
  /** There were earlier segments: the first one is a discontinuity. */
  readonly isContinuation: boolean;
  /** Called whenever a segment begins, before its number is visible. */
  readonly onNumbering: (numbering: Numbering) => void;
  /** See CreatePackager. */
  readonly mayPublish?: () => boolean;
  /** Called once, when the first part can be served. */
  readonly onPlayable: () => void;
  /** Called after each part. */
  readonly onPublished?: () => void;
  /** The camera's other stream, if it has one. */
  readonly other?: OtherRendition;
  /** Absent: viewers get all media under their own paths. */
  readonly shared?: SharedPathOptions;
  /** Monotonic time that is 0 on the timeline of all renditions of the camera; absent: that of the first frame. */
  readonly originMonoMs?: number;
  /** Wall clock minus monotonic clock; absent: read now. */
  readonly epochMinusMonoMs?: number;
  /** Called with each part before viewers can get it. Borrowed until it returns; it must not throw. */
  readonly onPart?: (part: CmafPart) => void;
}

export interface DetailedPackagerStats extends PackagerStats {
  readonly parts: number;
  readonly droppedByReason: Readonly<Record<DropReason, number>>;
}

export class Packager implements RenditionPackager, TimedRendition, FollowedWindow, PartReceiver {
  readonly rendition: LiveWindow;
  readonly #segmenter: Segmenter;
  readonly #order: Omit<RenditionOrder, 'progress' | 'initFingerprint'>;
  /** What offers to package in place of the segmenter, and what does. */
  #host: PackagingHost | null = null;
  #hosted: HostedRendition | null = null;
  /** The numbers are this node's. */
  #isOwned: boolean;
  #isCutOff = false;
  /** Of the parts that it made, or of those before it. */
  #hostedProgress: SegmenterProgress | null = null;
  readonly #mayPublish: () => boolean;
  readonly #onPlayable: () => void;
  readonly #onPublished: (() => void) | undefined;
  readonly #onPart: ((part: CmafPart) => void) | null;
  readonly #followers = new Set<WindowFollower>();
  #parts = 0;
  #publishedMs = 0;
  #publishedBytes = 0;
  /** Of the newest part. */
  #tracks: PackagedTracks | null = null;
  /** The newest part with a key frame, and the loan of its bytes. */
  #keyPart: CmafPart | null = null;
  #keyLoan: LentMedia | null = null;
  #keyFrame: KeyFrame | null = null;
  #properties: RenditionProperties | null = null;
  readonly #toldPeriods: Record<Audience, PeriodsState | null> = { sound: null, silent: null };

  constructor(options: PackagerOptions) {
    const { clock, content, isContinuation, onNumbering, other, shared, originMonoMs } = options;
    const limits = options.limits ?? DEFAULT_PACKAGER_LIMITS;
    const paths = shared === undefined ? {} : { shared };
    const { numbering } = options;
    this.#isOwned = numbering !== null;
    const window = { clock, limits, numbering: numbering ?? UNKNOWN, isContinuation, onNumbering, ...paths };
    this.rendition = new LiveWindow(other === undefined ? window : { ...window, other });
    this.rendition.isFollowing = !this.#isOwned;
    // In a cluster, another node may have had the numbers before.
    if (numbering !== null && isContinuation && options.mayPublish !== undefined)
      this.rendition.restart(numbering);
    const { epochMinusMonoMs = clock.epochMs() - clock.monoMs() } = options;
    const origin = originMonoMs === undefined ? {} : { originMonoMs };
    this.#order = { content, limits: segmenterLimits(limits), epochMinusMonoMs, ...origin };
    this.#segmenter = new Segmenter({
      ...{ limits, content, ...origin },
      wallClock: new WallClock(epochMinusMonoMs),
      onPart: (part) => this.#publish(part, this.#segmenter.partTargetMs),
    });
    this.#segmenter.setsInBand.expect(this.rendition.initFingerprint);
    this.#mayPublish = options.mayPublish ?? (() => true);
    this.#onPlayable = options.onPlayable;
    this.#onPublished = options.onPublished;
    this.#onPart = options.onPart ?? null;
  }

  get timing(): TimedRendition {
    return this;
  }

  get feed(): FollowedWindow {
    return this;
  }

  get isFed(): boolean {
    return this.#segmenter.isFed;
  }

  get isAwaited(): boolean {
    return this.#followers.size > 0 || this.rendition.waiterCount > 0;
  }

  get isFollowing(): boolean {
    return this.rendition.isFollowing;
  }

  toldPeriods(audience: Audience): PeriodsState | null {
    return this.#toldPeriods[audience];
  }

  get partRevision(): number {
    return this.rendition.partRevision;
  }

  get segmentRevision(): number {
    return this.rendition.segmentRevision;
  }

  manifestSegments(): readonly TimedSegment[] {
    return this.rendition.manifestSegments();
  }

  setTracks(tracks: readonly Track[]): void {
    this.#segmenter.setTracks(tracks);
  }

  setHost(host: PackagingHost | null): void {
    this.#endHosted();
    this.#host = host;
    this.#beginHosted();
  }

  own(numbering: Numbering | null): void {
    this.#host?.catchUp();
    this.#isOwned = numbering !== null;
    if (this.#isOwned) this.#isCutOff = false;
    this.rendition.isFollowing = !this.#isOwned;
    if (this.#host?.isMirror === this.#isOwned) this.#endHosted();
    if (numbering !== null && !this.rendition.goesOnAt(numbering)) {
      this.#endFollowing();
      this.rendition.restart(numbering);
    }
    this.#segmenter.setsInBand.expect(this.rendition.initFingerprint);
    this.#beginHosted();
  }

  onHostedPart(part: CmafPart, partTargetMs: number, progress: SegmenterProgress): void {
    this.#hostedProgress = progress;
    const { tracks } = part;
    const known = this.#tracks;
    // Those of another instance are equal, and not the same.
    const isKnown = known !== null && known !== tracks && known.continuity === tracks.continuity;
    this.#publish(isKnown ? { ...part, tracks: known } : part, partTargetMs);
  }

  onHostedWindow(
    state: LiveWindowState<PackedBytes | Buffer>,
    progress: SegmenterProgress | null,
    keyFrame: KeyFrame | null,
  ): void {
    this.#hostedProgress = progress;
    if (keyFrame !== null) {
      this.#keepKeyPart(null);
      this.#keyFrame = keyFrame;
    }
    this.#tracks = state.segments.at(-1)?.tracks ?? this.#tracks;
    this.#isCutOff = false;
    this.#endFollowing();
    this.rendition.become({ ...state, isFollowing: !this.#isOwned });
    if (state.segments.length > 0) this.#published();
  }

  onHostedPeriods(audience: Audience, state: PeriodsState): void {
    if (this.#isOwned) return;
    this.#toldPeriods[audience] = state;
    this.#onPublished?.();
  }

  onHostedFailure(error: GatewayError): void {
    this.failWaiters(error);
  }

  onHostedCounts(counts: FrameCounts): void {
    this.#segmenter.count(counts);
  }

  push(unit: AccessUnit): void {
    if (this.#hosted === null && this.#isOwned) this.#segmenter.push(unit);
  }

  sharePicture(): BlockRun | null {
    return this.#segmenter.sharePicture();
  }

  setCameraTime(time: CameraTime | null): void {
    this.#segmenter.setCameraTime(time);
  }

  discontinuity(): void {
    this.#segmenter.discontinuity();
  }

  failWaiters(error: GatewayError): void {
    this.rendition.failWaiters(error);
    for (const follower of this.#followers) follower.onFailed(error);
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  cutOff(error: GatewayError): void {
    this.#isCutOff = true;
    this.failWaiters(error);
  }

  follow(follower: WindowFollower): LiveWindowState<PackedBytes | Buffer> {
    this.#followers.add(follower);
    return this.rendition.state();
  }

  progress(): SegmenterProgress | null {
    return this.#hosted === null ? this.#segmenter.progress() : this.#hostedProgress;
  }

  unfollow(follower: WindowFollower): void {
    this.#followers.delete(follower);
  }

  lastWaitMonoMs(): number {
    return this.rendition.lastWaitMonoMs();
  }

  close(): void {
    this.#hosted?.close();
    this.#keepKeyPart(null);
    this.#segmenter.close();
    this.rendition.close();
    this.#endFollowing();
  }

  publishedMs(): number {
    return this.#publishedMs;
  }

  properties(): RenditionProperties | null {
    const segments = this.rendition.listedSegments();
    // Empty again, until the first part of a new owner.
    if (this.#tracks === null || segments.length === 0) return this.#properties;
    const { video, audio, hasVideo } = this.#tracks;
    const codecs = hasVideo && video !== null ? [video.codecString] : [];
    if (audio !== null) codecs.push(audio.codecString);
    this.#properties = {
      ...bitRates(segments),
      codecs,
      widthPx: video?.widthPx ?? null,
      heightPx: video?.heightPx ?? null,
      frameRateHz: frameRateHz(segments),
    };
    return this.#properties;
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
      pictures: this.#segmenter.pictures,
      droppedFrames: drops.total,
      joiningFrames: drops.joining,
      droppedByReason: drops.byReason(),
      parts: this.#parts,
      segments: this.rendition.segmentCount,
      publishedBytes: this.#publishedBytes,
      windowBytes: this.rendition.byteLength,
      overdueBytes: this.rendition.overdueBytes,
    };
  }

  #publish(part: CmafPart, partTargetMs: number): void {
    if (this.#isOwned && !this.#mayPublish()) {
      part.bytes.release();
      return;
    }
    this.#tracks = part.tracks;
    this.#onPart?.(part);
    this.#publishedMs += ticksToMs(part.durationTicks, part.timescaleHz);
    this.#publishedBytes += part.bytes.byteLength;
    for (const follower of this.#followers) follower.onPart(part, partTargetMs);
    this.rendition.publish(part, partTargetMs);
    if (part.keySample !== null) this.#keepKeyPart(part);
    this.#published();
  }

  #published(): void {
    this.#parts++;
    if (this.#parts === 1) this.#onPlayable();
    this.#onPublished?.();
  }

  #endHosted(): void {
    if (this.#hosted === null) return;
    this.#hosted.close();
    this.#hosted = null;
    if (this.#hostedProgress !== null) this.#segmenter.goOn(this.#hostedProgress);
  }

  #beginHosted(): void {
    const host = this.#host;
    if (host === null || this.#hosted !== null || host.isMirror === this.#isOwned) return;
    // What it has not written comes out, and the host goes on behind it.
    this.#segmenter.discontinuity();
    this.#hostedProgress = this.#segmenter.progress();
    const { initFingerprint } = this.rendition;
    this.#hosted = host.package({ ...this.#order, initFingerprint, progress: this.#hostedProgress }, this);
  }

  /** What they followed is over. */
  #endFollowing(): void {
    for (const follower of this.#followers) follower.onClosed();
    this.#followers.clear();
  }

  /** `part`: the one just published. */
  #keepKeyPart(part: CmafPart | null): void {
    this.#keyLoan?.release();
    this.#keyPart = part;
    this.#keyLoan = part === null ? null : this.rendition.newestPart();
  }
}

function segmenterLimits(limits: PackagerLimits): SegmenterLimits {
  const { targetSegmentMs, wantedPartMs, maxSegmentMs, maxSegmentBytes } = limits;
  return { targetSegmentMs, wantedPartMs, maxSegmentMs, maxSegmentBytes };
}

function pictureOf(part: CmafPart, bytes: Buffer): KeyFrame | null {
  if (part.keySample === null) return null;
  const { offsetBytes, sizeBytes, epochMs } = part.keySample;
  const { video, init } = part.tracks;
  if (video === null) return null;
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
    // An end of a timeline without a frame of audio.
    if (segmentSec === 0) continue;
    peakBitsPerSec = Math.max(peakBitsPerSec, (segment.byteLength * 8) / segmentSec);
    bits += segment.byteLength * 8;
    seconds += segmentSec;
  }
  return {
    peakBitsPerSec: Math.ceil(peakBitsPerSec),
    averageBitsPerSec: seconds === 0 ? 0 : Math.ceil(bits / seconds),
  };
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
