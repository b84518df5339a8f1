/**
 * The renditions of one stream that are open: for each content that someone wants a packager with its numbers, and how far they
 * have come together.
 */

import type { PackagedContent } from '../cmaf/packaged-tracks.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CameraOwnership } from './camera-ownership.ts';
import { STREAM_ERRORS } from './errors.ts';
import type { Content, RenditionName } from './live-media.ts';
import type { NumberingStore } from './numbering.ts';
import { OwnedNumbering } from './owned-numbering.ts';
import type { CreatePackager, RenditionPackager } from './packaging.ts';
import type { OtherRendition } from './playlist-texts.ts';

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

const PACKAGED: Readonly<Record<Content, PackagedContent>> = {
  sound: 'video-and-audio',
  silent: 'video',
  audio: 'audio',
};

export class OpenRenditions {
  readonly #options: OpenRenditionsOptions;
  /** `null` while the numbering is being read. */
  readonly #renditions = new Map<Content, OpenRendition | null>();
  /** Numbers still being written: a content reopens only after them. */
  readonly #closing = new Map<Content, Promise<void>>();
  /** Those whose role is not known yet. */
  readonly #opened = new Set<OwnedNumbering>();
  #packagers: readonly RenditionPackager[] = [];
  #opening = 0;
  #publishedMs = 0;

  constructor(options: OpenRenditionsOptions) {
    this.#options = options;
  }

  /** In the order in which they were opened; for the loop that runs once per frame. Never changes in place. */
  get packagers(): readonly RenditionPackager[] {
    return this.#packagers;
  }

  /** What is open, or is being opened. */
  get contents(): readonly Content[] {
    return [...this.#renditions.keys()];
  }

  get isAnyPlayable(): boolean {
    return this.#renditions.values().some((open) => open?.isPlayable ?? false);
  }

  packager(content: Content): RenditionPackager | null {
    return this.#renditions.get(content)?.packager ?? null;
  }

  isPlayable(content: Content): boolean {
    return this.#renditions.get(content)?.isPlayable ?? false;
  }

  /** For metrics. */
  *named(): Iterable<{ name: RenditionName; packager: RenditionPackager }> {
    for (const [content, open] of this.#renditions) {
      if (open !== null) yield { name: this.#options.nameOf(content), packager: open.packager };
    }
  }

  /** Packages `content` from the next key frame on. False: it is open already. */
  want(content: Content): boolean {
    if (this.#renditions.has(content)) return false;
    this.#renditions.set(content, null);
    void this.#open(content, this.#opening);
    return true;
  }

  /** Stops packaging `content`. */
  drop(content: Content): void {
    const open = this.#renditions.get(content);
    this.#renditions.delete(content);
    if (open === undefined || open === null) return;
    this.#packagers = this.#packagers.filter((packager) => packager !== open.packager);
    this.#end(content, open);
  }

  /** Frees all windows. Resolves when numbers are saved. */
  async close(): Promise<void> {
    this.#opening++;
    for (const numbering of this.#opened) void numbering.close();
    for (const [content, open] of this.#renditions) if (open !== null) this.#end(content, open);
    this.#renditions.clear();
    this.#packagers = [];
    await Promise.all(this.#closing.values());
  }

  /** How far the stream is, counting on across renditions and instances. */
  get reachedMs(): number {
    return this.#publishedMs;
  }

  /**
   * The packagers publish the same frames, so the most advanced one shows how far the stream is. A content opened in the
   * middle of a long group of pictures gets the time that a camera has to start. null: no one is expected to publish.
   */
  publishedMs(): number | null {
    const { clock, startMs } = this.#options;
    const longAgoMonoMs = clock.monoMs() - startMs;
    let advancedMs = -1;
    for (const open of this.#renditions.values()) {
      if (open === null || !open.packager.timing.isFed) continue;
      const publishedMs = open.packager.publishedMs();
      if (publishedMs === 0 && open.openedMonoMs > longAgoMonoMs) continue;
      advancedMs = Math.max(advancedMs, publishedMs - open.seenMs);
      open.seenMs = publishedMs;
    }
    if (advancedMs < 0) return null;
    this.#publishedMs += advancedMs;
    return this.#publishedMs;
  }

  async #open(content: Content, opening: number): Promise<void> {
    const { cameraUuid, numberingStore, log, createPackager, clock, nameOf, otherOf } = this.#options;
    const name = nameOf(content);
    await this.#closing.get(content);
    if (!this.#isOpening(content, opening)) return;
    const numbering = new OwnedNumbering({
      ...{ store: numberingStore, cameraUuid, rendition: name, clock, log },
      ownership: this.#options.ownership ?? null,
      onOwned: (numbers) => this.#renditions.get(content)?.packager.own(numbers),
      onEnding: () => this.#renditions.get(content)?.packager.discontinuity(),
    });
    this.#opened.add(numbering);
    await numbering.open();
    this.#opened.delete(numbering);
    if (!this.#isOpening(content, opening)) {
      this.#closing.set(content, numbering.close());
      return;
    }
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
    this.#options.onOpened(packager);
  }

  /** It was wanted, and has not been dropped since. */
  #isOpening(content: Content, opening: number): boolean {
    return opening === this.#opening && this.#renditions.get(content) === null;
  }

  #becamePlayable(content: Content): void {
    const open = this.#renditions.get(content);
    if (open === undefined || open === null) return;
    open.isPlayable = true;
    this.#options.onPlayable();
  }

  #end(content: Content, open: OpenRendition): void {
    open.packager.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    open.packager.close();
    this.#closing.set(content, open.numbering.close());
  }
}
