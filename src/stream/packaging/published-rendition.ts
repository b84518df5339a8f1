/** A published rendition: its window, its mirrors, and its measurements. It does not know where parts come from. */

import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import { ticksToMs } from '../../cmaf/ticks.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { PeriodsState } from '../dash/dash-period.ts';
import type { Audience, KeyFrame } from '../media/live-media.ts';
import type { TimedSegment } from '../media/timed-segment.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { LiveWindowState, WindowFollower } from '../window/followed-window.ts';
import type { LiveWindow } from '../window/live-window.ts';
import { measuredProperties, type RenditionProperties } from '../window/rendition-properties.ts';
import { NewestKeyFrame } from './newest-key-frame.ts';
import type { PublishedMedia } from './packaging.ts';
import type { SegmentSigner } from './segment-signer.ts';

/** There are three kinds: a `Segmenter` in this thread, and `HostedParts` of a thread that reads the camera or of its owner. */
export interface PartSource {
  /** Whether the camera has the packaged content; false before that is known. */
  readonly isFed: boolean;
  /** Where the time of its parts ends, and the next packager continues; null: it has none. */
  progress(): SegmenterProgress | null;
  /** Nothing is published afterwards. */
  close(): void;
}

export interface PublishedRenditionOptions {
  readonly window: LiveWindow;
  /** Where its parts come from now. */
  readonly source: () => PartSource;
  /** See CreatePackager. */
  readonly mayPublish: () => boolean;
  readonly onPlayable: () => void;
  readonly onPublished: (() => void) | undefined;
  /** See PackagerOptions. */
  readonly onPart: ((part: CmafPart) => void) | undefined;
  /** null: live video is not signed. */
  readonly signer: SegmentSigner | null;
}

export class PublishedRendition implements PublishedMedia {
  readonly window: LiveWindow;
  /** Parts published so far, their media time, and their bytes. */
  parts = 0;
  publishedMs = 0;
  publishedBytes = 0;
  /** The newest part's tracks; null before the first one. */
  tracks: PackagedTracks | null = null;
  /** See PublishedMedia. */
  isCutOff = false;
  readonly #options: PublishedRenditionOptions;
  readonly #followers = new Set<WindowFollower>();
  readonly #keyFrame = new NewestKeyFrame();
  readonly #decided: Record<Audience, PeriodsState | null> = { sound: null, silent: null };
  #properties: RenditionProperties | null = null;

  constructor(options: PublishedRenditionOptions) {
    this.window = options.window;
    this.#options = options;
  }

  get isFed(): boolean {
    return this.#options.source().isFed;
  }

  get beginningMsn(): number | null {
    return this.window.beginningMsn;
  }

  get isFollowing(): boolean {
    return this.window.isFollowing;
  }

  /** Numbers that do not follow those of the window empty it. null: another node numbers the published parts. */
  continueAt(numbering: Numbering | null): void {
    if (numbering === null || this.window.goesOnAt(numbering)) return;
    this.#endFollowing();
    this.#options.signer?.reset();
    this.window.restart(numbering);
  }

  /** Sets whether this node numbers the window. */
  own(isOwned: boolean): void {
    if (isOwned) this.isCutOff = false;
    else this.#options.signer?.reset();
    this.window.isFollowing = !isOwned;
  }

  /** Takes over the bytes. A property, so that a segmenter calls it without a relay. Hot: once per part. */
  readonly publish = (part: CmafPart, partTargetMs: number): void => {
    if (!this.window.isFollowing && !this.#options.mayPublish()) {
      part.bytes.release();
      return;
    }
    this.tracks = part.tracks;
    this.#options.onPart?.(part);
    this.#show(this.#signed(part), partTargetMs);
  };

  /** Recordings have signatures of their own: they get parts before this. What others made is signed already. */
  #signed(part: CmafPart): CmafPart {
    const { signer } = this.#options;
    if (signer === null || this.window.isFollowing) return part;
    return signer.signed(part, this.window.sequenceNumberOf(part));
  }

  #show(part: CmafPart, partTargetMs: number): void {
    this.publishedMs += ticksToMs(part.durationTicks, part.timescaleHz);
    this.publishedBytes += part.bytes.byteLength;
    for (const follower of this.#followers) follower.onPart(part, partTargetMs);
    this.window.publish(part, partTargetMs);
    if (part.keySample !== null) this.#keyFrame.published(part, this.window.newestPart());
    this.#noteNews();
  }

  /** Replaces its own window by another node's. Takes over the bytes. */
  become(state: LiveWindowState<PackedBytes | Buffer>, keyFrame: KeyFrame | null): void {
    if (keyFrame !== null) this.#keyFrame.take(keyFrame);
    this.tracks = state.segments.at(-1)?.tracks ?? this.tracks;
    this.isCutOff = false;
    this.#endFollowing();
    this.window.become({ ...state, isFollowing: this.window.isFollowing });
    if (state.segments.length > 0) this.#noteNews();
  }

  /** Those that the node that makes it decided about. */
  setPeriods(audience: Audience, state: PeriodsState): void {
    if (!this.window.isFollowing) return;
    this.#decided[audience] = state;
    this.#options.onPublished?.();
  }

  decidedPeriods(audience: Audience): PeriodsState | null {
    return this.#decided[audience];
  }

  get partRevision(): number {
    return this.window.partRevision;
  }

  get segmentRevision(): number {
    return this.window.segmentRevision;
  }

  manifestSegments(): readonly TimedSegment[] {
    return this.window.manifestSegments();
  }

  properties(): RenditionProperties | null {
    const segments = this.window.listedSegments();
    // Empty again, until the first part of a new owner.
    if (this.tracks !== null && segments.length > 0) {
      this.#properties = measuredProperties(this.tracks, segments);
    }
    return this.#properties;
  }

  hasAudio(): boolean | null {
    return this.tracks === null ? null : this.tracks.audio !== null;
  }

  lastWaitMonoMs(): number {
    return this.window.lastWaitMonoMs();
  }

  failWaiters(error: GatewayError): void {
    this.window.failWaiters(error);
    for (const follower of this.#followers) follower.onFailed(error);
  }

  cutOff(error: GatewayError): void {
    this.isCutOff = true;
    this.failWaiters(error);
  }

  follow(follower: WindowFollower): LiveWindowState<PackedBytes | Buffer> {
    this.#followers.add(follower);
    return this.window.state();
  }

  progress(): SegmenterProgress | null {
    return this.#options.source().progress();
  }

  keyFrame(): KeyFrame | null {
    return this.#keyFrame.get();
  }

  unfollow(follower: WindowFollower): void {
    this.#followers.delete(follower);
  }

  close(): void {
    this.#keyFrame.close();
    this.#options.signer?.close();
    this.window.close();
    this.#endFollowing();
  }

  #noteNews(): void {
    this.parts++;
    if (this.parts === 1) this.#options.onPlayable();
    this.#options.onPublished?.();
  }

  /** Reports the end of the window to its followers. */
  #endFollowing(): void {
    for (const follower of this.#followers) follower.onClosed();
    this.#followers.clear();
  }
}
