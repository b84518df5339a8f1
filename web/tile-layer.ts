/**
 * One of the two videos of a tile. While one shows a stream, the other can get the next one ready: enlarging a tile
 * never shows a black frame.
 */

import { FrameClock } from './frame-clock.ts';
import type { OpenShare } from './open.ts';
import { PlayIntent } from './play-intent.ts';
import type { LivePlayer, PlayerEnd } from './playback.ts';
import { startTilePlayer, type TileStream } from './tile-player.ts';

export interface LayerEvents {
  onPicture(): void;
  /** The player has ended; its last frame stays on the video. */
  onEnd(end: PlayerEnd): void;
}

export class TileLayer {
  readonly video: HTMLVideoElement;
  readonly frames: FrameClock;
  readonly #events: LayerEvents;
  readonly #intent: PlayIntent;
  #player: LivePlayer | null = null;
  #stream: TileStream | null = null;
  #share: OpenShare | null = null;
  #hasPicture = false;

  /** Attached for the life of the page: players come and go beneath it. */
  constructor(video: HTMLVideoElement, events: LayerEvents) {
    this.video = video;
    this.#events = events;
    this.frames = new FrameClock(video);
    this.#intent = new PlayIntent(video, () => undefined);
  }

  /** The stream that it plays, or is about to; null: none. */
  get stream(): TileStream | null {
    return this.#stream;
  }

  /** Whether it plays with this grant. */
  isWith(share: OpenShare): boolean {
    return this.#share?.playlistUrl === share.playlistUrl;
  }

  /** The browser wants a press before it plays. */
  get isBlocked(): boolean {
    return this.#stream !== null && this.#intent.isBlocked;
  }

  get hasPicture(): boolean {
    return this.#hasPicture;
  }

  start(share: OpenShare, stream: TileStream): void {
    this.stop();
    this.#share = share;
    this.#stream = stream;
    const player = startTilePlayer(this.video, share, stream, this.#intent, {
      onPicture: () => {
        this.#hasPicture = true;
        this.#events.onPicture();
      },
      onSound: () => undefined,
      onEnd: (end) => {
        if (this.#player === player) this.#events.onEnd(end);
      },
    });
    this.#player = player;
  }

  stop(): void {
    this.#player?.stop();
    this.#player = null;
    this.#stream = null;
    this.#share = null;
    this.#hasPicture = false;
    this.frames.reset();
  }

  /** When the frame on the screen was taken, by the gateway's clock; null: unknown. */
  pictureEpochMs(): number | null {
    return this.#hasPicture ? (this.#player?.pictureEpochMs() ?? null) : null;
  }

  behindLiveSec(): number | null {
    return this.#hasPicture ? (this.#player?.behindLiveSec() ?? null) : null;
  }

  /** After a press: some browsers want one before they play. */
  resume(): void {
    this.#intent.retry();
  }

  /** A tab that returns to the foreground continues live. */
  jumpToLive(): void {
    this.#player?.jumpToLive();
  }
}
