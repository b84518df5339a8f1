/**
 * The renditions of one stream that are open: for each content that someone wants a packager with its numbers, and how far they
 * have come together.
 */

import type { BlockRun } from '../cmaf/media-blocks.ts';
import type { PackagedContent } from '../cmaf/packaged-tracks.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { TimedRendition } from './dash/dash-periods.ts';
import { STREAM_ERRORS } from './media/errors.ts';
import type { Content, KeyFrame, LiveRendition, RenditionName } from './media/live-media.ts';
import type { CameraOwnership } from './numbering/camera-ownership.ts';
import type { NumberingStore } from './numbering/numbering.ts';
import { OwnedNumbering } from './numbering/owned-numbering.ts';
import type { CreatePackager, PublishedMedia, RenditionPackager } from './packaging/packaging.ts';
import type { PackagingHost } from './packaging/packaging-host.ts';
import type { FollowedWindow } from './window/followed-window.ts';
import type { OtherRendition } from './window/playlist-texts.ts';
import type { RenditionProperties } from './window/rendition-properties.ts';

export interface OpenRenditionsOptions {
  readonly cameraUuid: Ruuid;
  readonly clock: Clock;
  readonly log: Log;
  readonly numberingStore: NumberingStore;
  readonly createPackager: CreatePackager;
  /** Absent: no other node could number them. */
  readonly ownership?: CameraOwnership;
  /** How long a camera may take to start. */
  readonly startMs: number;
  readonly nameOf: (content: Content) => RenditionName;
  /** The rendition of the same content between which and this one players switch. */
  readonly otherOf: (content: Content) => OtherRendition | null;
  /** Monotonic time at which the camera was opened. */
  readonly openedMonoMs: () => number;
  /** Wall clock minus monotonic clock at that time. */
  readonly epochMinusMonoMs: () => number;
  /** It gets units from now on. */
  readonly onOpened: (packager: RenditionPackager) => void;
  /** One has its first part. */
  readonly onPlayable: () => void;
  /** One has a further part. */
  readonly onPublished: () => void;
}

interface OpenRendition {
  readonly packager: RenditionPackager;
  readonly numbering: OwnedNumbering;
  readonly openedMonoMs: number;
  isPlayable: boolean;
  /** Amount published at the last progress check. */
  seenMs: number;
}

/** A content whose numbers are being read. */
interface Opening {
  /** It was dropped, and its numbers are given back as they were. */
  isAbandoned: boolean;
  /** null: the previous numbering is still being written. */
  numbering: OwnedNumbering | null;
  /** It is open, or it is abandoned and its numbers are stored. */
  done: Promise<void>;
}

const PACKAGED: Readonly<Record<Content, PackagedContent>> = {
  sound: 'video-and-audio',
  silent: 'video',
  audio: 'audio',
};

export class OpenRenditions {
  readonly #options: OpenRenditionsOptions;
  /** `null` while the numbering is being read. */
  readonly #renditions = new Map<Content, OpenRendition | null>();
  /** Numbers that are still being written, or read for a rendition that was dropped. A content reopens only afterwards. */
  readonly #closing = new Map<Content, Promise<void>>();
  readonly #openings = new Map<Content, Opening>();
  #packagers: readonly RenditionPackager[] = [];
  #host: PackagingHost | null = null;
  #publishedMs = 0;

  constructor(options: OpenRenditionsOptions) {
    this.#options = options;
  }

  /** In the order in which they were opened; for the loop that runs once per frame. Never changes in place. */
  get packagers(): readonly RenditionPackager[] {
    return this.#packagers;
  }

  /** Renditions that are open or being opened. */
  get contents(): readonly Content[] {
    return [...this.#renditions.keys()];
  }

  get isAnyPlayable(): boolean {
    return this.#renditions.values().some((open) => open?.isPlayable ?? false);
  }

  /** Another node may be ahead of one of them, and nothing is heard of it. */
  get isCutOff(): boolean {
    return this.#packagers.some(({ published }) => published.isCutOff);
  }

  cutOff(error: GatewayError): void {
    for (const { published } of this.#packagers) published.cutOff(error);
  }

  /** The rendition for viewers; null while it is not open, or is cut off. */
  rendition(content: Content): LiveRendition | null {
    const published = this.published(content);
    return published === null || published.isCutOff ? null : published.window;
  }

  /** The rendition for followers; null while it has no part, or is cut off. */
  feed(content: Content): FollowedWindow | null {
    const published = this.published(content);
    return published === null || published.isCutOff || !this.isPlayable(content) ? null : published;
  }

  /** The newest key frame of all, or `still`, if that is newer. */
  newestFrame(still: KeyFrame | null): KeyFrame | null {
    let newest = still;
    for (const { published } of this.#packagers) {
      const frame = published.keyFrame();
      if (frame !== null && (newest === null || frame.atEpochMs > newest.atEpochMs)) newest = frame;
    }
    return newest;
  }

  /** Its segments in time; null while it is not open. */
  timing(content: Content): TimedRendition | null {
    return this.published(content);
  }

  /** null while it is not open. */
  published(content: Content): PublishedMedia | null {
    return this.#renditions.get(content)?.packager.published ?? null;
  }

  properties(content: Content): RenditionProperties | null {
    return this.published(content)?.properties() ?? null;
  }

  /** See PublishedMedia. */
  beginningMsn(content: Content): number | null {
    return this.published(content)?.beginningMsn ?? null;
  }

  /** Whether viewers who may hear it get an audio track; null while that is unknown. */
  hasAudio(): boolean | null {
    return this.published('sound')?.hasAudio() ?? null;
  }

  isPlayable(content: Content): boolean {
    return this.#renditions.get(content)?.isPlayable ?? false;
  }

  /** Used for metrics. */
  *named(): Iterable<{ name: RenditionName; packager: RenditionPackager }> {
    for (const [content, open] of this.#renditions) {
      if (open !== null) yield { name: this.#options.nameOf(content), packager: open.packager };
    }
  }

  /** Packages instead of this thread's packagers; null: they package themselves. */
  get host(): PackagingHost | null {
    return this.#host;
  }

  /** Applies to all renditions that are open now or will be. */
  setHost(host: PackagingHost | null): void {
    if (host === this.#host) return;
    this.#host = host;
    for (const packager of this.#packagers) packager.setHost(host);
  }

  /** The bytes of the newest pushed frame, from the first packager that keeps them. */
  sharePicture(): BlockRun | null {
    for (const packager of this.#packagers) {
      const run = packager.sharePicture();
      if (run !== null) return run;
    }
    return null;
  }

  /** Packages `content` from the next key frame on. False: it is open already. */
  want(content: Content): boolean {
    if (this.#renditions.has(content)) return false;
    this.#renditions.set(content, null);
    const opening: Opening = { isAbandoned: false, numbering: null, done: Promise.resolve() };
    this.#openings.set(content, opening);
    opening.done = this.#open(content, opening);
    return true;
  }

  /** Stops packaging `content`. */
  drop(content: Content): void {
    const open = this.#renditions.get(content);
    this.#renditions.delete(content);
    this.#abandon(content);
    if (open === undefined || open === null) return;
    this.#packagers = this.#packagers.filter((packager) => packager !== open.packager);
    this.#end(content, open);
  }

  /** Frees all windows. Resolves when numbers are saved. */
  async close(): Promise<void> {
    for (const content of this.#openings.keys()) this.#abandon(content);
    for (const [content, open] of this.#renditions) if (open !== null) this.#end(content, open);
    this.#renditions.clear();
    this.#packagers = [];
    this.#host = null;
    await Promise.all(this.#closing.values());
  }

  /** How far the stream is, counting on across renditions and instances. */
  get reachedMs(): number {
    return this.#publishedMs;
  }

  /**
   * The packagers publish the same frames, so the most advanced one shows how far the stream is. A content opened in the
   * middle of a long group of pictures gets the time that a camera has to start. null: no rendition is expected to publish.
   */
  publishedMs(): number | null {
    const { clock, startMs } = this.#options;
    const longAgoMonoMs = clock.monoMs() - startMs;
    let advancedMs = -1;
    for (const open of this.#renditions.values()) {
      if (open === null || !open.packager.published.isFed) continue;
      const { publishedMs } = open.packager.published;
      if (publishedMs === 0 && open.openedMonoMs > longAgoMonoMs) continue;
      advancedMs = Math.max(advancedMs, publishedMs - open.seenMs);
      open.seenMs = publishedMs;
    }
    if (advancedMs < 0) return null;
    this.#publishedMs += advancedMs;
    return this.#publishedMs;
  }

  async #open(content: Content, opening: Opening): Promise<void> {
    const { cameraUuid, numberingStore, log, createPackager, clock, nameOf, otherOf } = this.#options;
    const name = nameOf(content);
    await this.#closing.get(content);
    if (opening.isAbandoned) return;
    const numbering = new OwnedNumbering({
      store: numberingStore,
      cameraUuid,
      rendition: name,
      clock,
      log,
      ownership: this.#options.ownership ?? null,
      onOwned: (numbers) => this.#renditions.get(content)?.packager.own(numbers),
      onEnding: () => this.#renditions.get(content)?.packager.discontinuity(),
    });
    opening.numbering = numbering;
    await numbering.open();
    if (opening.isAbandoned) return numbering.close();
    this.#openings.delete(content);
    const other = otherOf(content);
    const { ownership } = this.#options;
    const packager = createPackager({
      ...(other === null ? {} : { other }),
      ...(ownership === undefined ? {} : { mayPublish: () => ownership.mayPublish() }),
      originMonoMs: this.#options.openedMonoMs(),
      epochMinusMonoMs: this.#options.epochMinusMonoMs(),
      cameraUuid,
      rendition: name,
      content: PACKAGED[content],
      numbering: numbering.current,
      isContinuation: numbering.isContinuation,
      onNumbering: (to) => numbering.advance(to),
      onPlayable: () => this.#becamePlayable(content),
      onPublished: () => this.#options.onPublished(),
    });
    const openedMonoMs = clock.monoMs();
    this.#renditions.set(content, { packager, numbering, openedMonoMs, isPlayable: false, seenMs: 0 });
    this.#packagers = [...this.#packagers, packager];
    if (this.#host !== null) packager.setHost(this.#host);
    this.#options.onOpened(packager);
  }

  /**
   * Numbers that are being read are returned first. Otherwise the next opening would reserve them, and they would be
   * returned after that.
   */
  #abandon(content: Content): void {
    const opening = this.#openings.get(content);
    if (opening === undefined) return;
    this.#openings.delete(content);
    opening.isAbandoned = true;
    void opening.numbering?.close();
    this.#closing.set(content, opening.done);
  }

  #becamePlayable(content: Content): void {
    const open = this.#renditions.get(content);
    if (open === undefined || open === null) return;
    open.isPlayable = true;
    this.#options.onPlayable();
  }

  #end(content: Content, open: OpenRendition): void {
    open.packager.published.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    open.packager.close();
    this.#closing.set(content, open.numbering.close());
  }
}
