/** Turns the access units of one source into a live rendition, here or where the source packages on its own. */

import type { DropReason } from '../../cmaf/drop-counts.ts';
import type { BlockRun } from '../../cmaf/media-blocks.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { Segmenter } from '../../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS, type SegmenterLimits } from '../../cmaf/segmenter-limits.ts';
import { WallClock } from '../../cmaf/wall-clock.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import { type Numbering, UNKNOWN } from '../numbering/numbering.ts';
import { LiveWindow } from '../window/live-window.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS, type LiveWindowLimits } from '../window/live-window-limits.ts';
import type { OtherRendition } from '../window/playlist-texts.ts';
import type { SharedPathOptions } from '../window/shared-paths.ts';
import { HostedParts } from './hosted-parts.ts';
import type { BeginSession } from './live-signing.ts';
import type { PackagerStats, RenditionPackager } from './packaging.ts';
import type { PackagingHost, RenditionOrder } from './packaging-host.ts';
import { type PartSource, PublishedRendition } from './published-rendition.ts';
import { SegmentSigner } from './segment-signer.ts';

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
  /** Absent: live video is not signed. */
  readonly beginSession?: BeginSession;
}

export interface DetailedPackagerStats extends PackagerStats {
  readonly parts: number;
  readonly droppedByReason: Readonly<Record<DropReason, number>>;
}

export class Packager implements RenditionPackager {
  readonly published: PublishedRendition;
  readonly #segmenter: Segmenter;
  readonly #order: Omit<RenditionOrder, 'progress' | 'initFingerprint'>;
  /** Offers to package in place of the segmenter. */
  #host: PackagingHost | null = null;
  /** The segmenter, or what the host makes. */
  #source: PartSource;

  constructor(options: PackagerOptions) {
    const { clock, content, originMonoMs, numbering, mayPublish } = options;
    const { limits = DEFAULT_PACKAGER_LIMITS, epochMinusMonoMs = clock.epochMs() - clock.monoMs() } = options;
    const { onPlayable, onPublished, onPart, beginSession } = options;
    this.published = new PublishedRendition({
      window: windowOf(options, limits),
      source: () => this.#source,
      mayPublish: mayPublish ?? (() => true),
      onPlayable,
      onPublished,
      onPart,
      signer: beginSession === undefined ? null : new SegmentSigner(clock, beginSession),
    });
    this.published.own(numbering !== null);
    // In a cluster, another node may have had the numbers before.
    if (numbering !== null && options.isContinuation && mayPublish !== undefined)
      this.published.window.restart(numbering);
    const origin = originMonoMs === undefined ? {} : { originMonoMs };
    this.#order = { content, limits: segmenterLimits(limits), epochMinusMonoMs, ...origin };
    this.#segmenter = new Segmenter({
      limits,
      content,
      ...origin,
      wallClock: new WallClock(epochMinusMonoMs),
      onPart: this.published.publish,
    });
    this.#segmenter.setsInBand.expect(this.published.window.initFingerprint);
    this.#source = this.#segmenter;
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
    this.published.own(numbering !== null);
    if (this.#host?.isMirror === !this.published.isFollowing) this.#endHosted();
    if (numbering !== null) this.published.continueAt(numbering);
    this.#segmenter.setsInBand.expect(this.published.window.initFingerprint);
    this.#beginHosted();
  }

  push(unit: AccessUnit): void {
    if (this.#source === this.#segmenter && !this.published.isFollowing) this.#segmenter.push(unit);
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

  stats(): DetailedPackagerStats {
    const { frames, pictures, drops } = this.#segmenter;
    const { parts, publishedBytes, window } = this.published;
    return {
      frames,
      pictures,
      droppedFrames: drops.total,
      joiningFrames: drops.joining,
      droppedByReason: drops.byReason(),
      parts,
      publishedBytes,
      segments: window.segmentCount,
      windowBytes: window.byteLength,
      overdueBytes: window.overdueBytes,
    };
  }

  close(): void {
    this.#endHosted();
    this.#segmenter.close();
    this.published.close();
  }

  #endHosted(): void {
    if (this.#source === this.#segmenter) return;
    this.#source.close();
    this.#source = this.#segmenter;
  }

  #beginHosted(): void {
    const host = this.#host;
    const isHosted = this.#source !== this.#segmenter;
    // A mirror packages what another node owns, a thread what this one does.
    if (host === null || isHosted || host.isMirror !== this.published.isFollowing) return;
    // The segmenter writes the rest of its media, and the host continues after it.
    this.#segmenter.discontinuity();
    const { initFingerprint } = this.published.window;
    const order = { ...this.#order, initFingerprint, progress: this.#segmenter.progress() };
    this.#source = new HostedParts(host, order, this.published, this.#segmenter);
  }
}

function windowOf(options: PackagerOptions, limits: PackagerLimits): LiveWindow {
  const { clock, numbering, isContinuation, onNumbering, other, shared } = options;
  return new LiveWindow({
    clock,
    limits,
    numbering: numbering ?? UNKNOWN,
    isContinuation,
    onNumbering,
    ...(shared === undefined ? {} : { shared }),
    ...(other === undefined ? {} : { other }),
  });
}

function segmenterLimits(limits: PackagerLimits): SegmenterLimits {
  const { targetSegmentMs, wantedPartMs, maxSegmentMs, maxSegmentBytes } = limits;
  return { targetSegmentMs, wantedPartMs, maxSegmentMs, maxSegmentBytes };
}
