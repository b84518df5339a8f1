/**
 * The windows of this thread's cameras that one other thread mirrors. The feed holds the blocks that it sent until the
 * other thread gives them back, or ends.
 */

import { BlockLender } from '../cmaf/block-lender.ts';
import type { PackagedTracks } from '../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../cmaf/part.ts';
import type { PackedBytes } from '../cmaf/part-bytes.ts';
import { SentTracks } from '../cmaf/sent-tracks.ts';
import type { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import type { RenditionName } from '../stream/media/live-media.ts';
import type { FollowedWindow, WindowFollower } from '../stream/window/followed-window.ts';
import type { MirrorEvents, MirroredBytes, WindowAddress } from './mirror-events.ts';
import { OTHER_RENDITIONS } from './other-renditions.ts';

/** Where the windows are. The hub has them. */
export interface PublishedWindows {
  get(cameraUuid: Ruuid): { published(name: RenditionName): FollowedWindow | null } | undefined;
}

export class WindowFeed {
  readonly #cameras: PublishedWindows;
  readonly #events: MirrorEvents;
  readonly #lender: BlockLender;
  readonly #followed = new Map<number, Followed>();
  readonly #byWindow = new Map<FollowedWindow, Followed>();
  #nextWindowId = 0;

  constructor(cameras: PublishedWindows, events: MirrorEvents) {
    this.#cameras = cameras;
    this.#events = events;
    this.#lender = new BlockLender(events);
  }

  /** Parts and segments that the other thread can still read. */
  get holds(): number {
    return this.#lender.holds;
  }

  /** Mirrors the rendition, and the one that its playlists report on, as long as they are open. False: it has no part. */
  follow(cameraUuid: Ruuid, rendition: RenditionName): boolean {
    const isThere = this.#follow(cameraUuid, rendition);
    if (isThere) this.#followOther(cameraUuid, rendition);
    return isThere;
  }

  /** The other thread needs it no longer. */
  unfollow(windowId: number): void {
    const followed = this.#followed.get(windowId);
    if (followed === undefined) return;
    this.#forget(followed);
    followed.window.unfollow(followed);
  }

  /** The other thread has read these for the last time. */
  release(holds: readonly number[]): void {
    this.#lender.release(holds);
  }

  /** The other thread has ended. */
  close(): void {
    for (const windowId of [...this.#followed.keys()]) this.unfollow(windowId);
    this.#lender.close();
  }

  #follow(cameraUuid: Ruuid, rendition: RenditionName): boolean {
    const window = this.#cameras.get(cameraUuid)?.published(rendition) ?? null;
    if (window === null) return false;
    if (this.#byWindow.has(window)) return true;
    const address = { cameraUuid, rendition, windowId: this.#nextWindowId++ };
    const followed: Followed = new Followed(address, window, {
      events: this.#events,
      mirrored: (bytes) => this.#mirrored(bytes),
      onPart: () => this.#followOther(cameraUuid, rendition),
      onClosed: () => this.#forget(followed),
    });
    this.#followed.set(address.windowId, followed);
    this.#byWindow.set(window, followed);
    const state = window.follow(followed);
    followed.tracks = new SentTracks(state.segments.at(-1)?.tracks);
    const segments = state.segments.map((segment) => ({
      ...segment,
      parts: segment.parts.map((bytes) => this.#mirrored(bytes)),
    }));
    this.#events.windowOpened(address, { ...state, segments });
    return true;
  }

  /** The other rendition may be opened later, and more than once. */
  #followOther(cameraUuid: Ruuid, rendition: RenditionName): void {
    const other = OTHER_RENDITIONS[rendition];
    if (other !== undefined) this.#follow(cameraUuid, other.name);
  }

  #forget({ window, address }: Followed): void {
    this.#followed.delete(address.windowId);
    this.#byWindow.delete(window);
  }

  #mirrored(bytes: PackedBytes | Buffer): MirroredBytes {
    return Buffer.isBuffer(bytes) ? bytes : this.#lender.lend(bytes);
  }
}

interface FeedCalls {
  readonly events: MirrorEvents;
  readonly mirrored: (bytes: PackedBytes) => MirroredBytes;
  readonly onPart: () => void;
  readonly onClosed: () => void;
}

class Followed implements WindowFollower {
  readonly address: WindowAddress;
  readonly window: FollowedWindow;
  tracks = new SentTracks<PackagedTracks>();
  readonly #feed: FeedCalls;

  constructor(address: WindowAddress, window: FollowedWindow, feed: FeedCalls) {
    this.address = address;
    this.window = window;
    this.#feed = feed;
  }

  /** Hot: once per part and thread. */
  onPart(part: CmafPart, partTargetMs: number): void {
    const { bytes, tracks, keySample: _ofStills, ...fields } = part;
    const mirrored = this.#feed.mirrored(bytes.again());
    const news = this.tracks.newsOf(tracks);
    this.#feed.events.partPublished(
      this.address.windowId,
      { ...fields, tracks: news, bytes: mirrored },
      partTargetMs,
    );
    this.#feed.onPart();
  }

  onFailed(error: GatewayError): void {
    this.#feed.events.waitsFailed(this.address.windowId, wireErrorOf(error));
  }

  onClosed(): void {
    this.#feed.onClosed();
    this.#feed.events.windowClosed(this.address.windowId);
  }
}
