/**
 * The past of the camera that is enlarged on a wall, if the share shows it: the timeline under the wall, and a player on
 * the tile. Another camera shows the same instant (docs/design/viewer-page.md#video-walls).
 */

import { element } from './dom.ts';
import type { OpenShare } from './open.ts';
import { canPlayPast, PastPlayer } from './past-player.ts';
import { PastTimeline } from './past-timeline.ts';
import { PlayIntent } from './play-intent.ts';
import type { PlayerEnd } from './playback.ts';
import type { WallTile } from './wall-tile.ts';
import { t } from './words/plain-words.ts';

const RETRY_MS = 2_000;

export class WallPast {
  readonly #bar = element('wall-bar', HTMLElement);
  readonly #video = element('past-video', HTMLVideoElement);
  readonly #play = element('past-play', HTMLButtonElement);
  readonly #live = element('past-live', HTMLButtonElement);
  readonly #onChange: () => void;
  readonly #intent = new PlayIntent(this.#video, () => this.#showPlaying());
  readonly #timeline = new PastTimeline(() => this.#player?.pictureEpochMs() ?? null, {
    onSeek: (epochMs, isDragging) => this.#seek(epochMs, isDragging),
    onLive: () => this.leave(),
    onSpeed: (rate) => {
      this.#video.playbackRate = rate;
    },
  });
  #tile: WallTile | null = null;
  #player: PastPlayer | null = null;
  #retryTimer: number | undefined;

  /** `onChange`: called when a tile changes between live and the past. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#live.addEventListener('click', () => this.leave());
    this.#play.addEventListener('click', () => this.togglePlay());
  }

  /**
   * Shows the enlarged tile's past; null: no tile is enlarged. A camera that shows its past continues at the
   * instant of the previous one.
   */
  show(tile: WallTile | null): void {
    const atMs = this.#player?.pictureEpochMs() ?? null;
    this.#stop();
    this.#timeline.close();
    this.#tile = tile;
    const share = this.#share();
    this.#bar.hidden = share === null;
    if (share === null) return;
    this.#timeline.open(share);
    if (atMs !== null) this.#start(share, atMs);
  }

  /** The wall may show something else now, or with other grants. */
  update(): void {
    const share = this.#share();
    if ((share === null) !== this.#bar.hidden) this.show(this.#tile);
    else if (share !== null) this.#timeline.open(share);
  }

  /** Back to live. */
  leave(): void {
    if (this.#player === null) return;
    const hadFocus = document.activeElement === this.#live || document.activeElement === this.#play;
    this.#stop();
    if (hadFocus) this.#tile?.focus();
  }

  togglePlay(): void {
    if (this.#player === null) return;
    this.#intent.press(this.#intent.isPaused);
  }

  #share(): OpenShare | null {
    const share = this.#tile?.camera?.share ?? null;
    return share !== null && share.pastUrl !== null && canPlayPast() ? share : null;
  }

  #seek(epochMs: number, isDragging: boolean): void {
    const share = this.#share();
    if (share === null) return;
    this.#intent.hold(isDragging);
    if (this.#player === null) this.#start(share, epochMs);
    this.#player?.seek(epochMs);
  }

  #start(share: OpenShare, epochMs: number): void {
    clearTimeout(this.#retryTimer);
    this.#player?.stop();
    const player: PastPlayer = new PastPlayer(
      this.#video,
      share,
      this.#intent,
      {
        onPicture: () => undefined,
        onSound: () => undefined,
        onEnd: (end) => this.#onEnd(player, end),
        onCaughtUp: () => this.leave(),
        nextRecorded: (atMs) => this.#timeline.nextRecorded(atMs),
      },
      epochMs,
    );
    this.#player = player;
    this.#video.playbackRate = this.#timeline.speed;
    this.#showPast(true);
    this.#tile?.setPast(this.#video, () => this.#player?.pictureEpochMs() ?? null);
    this.#onChange();
  }

  /**
   * When the past is no longer shown, the page returns to live video; a past that is lost is retried where it
   * was.
   */
  #onEnd(player: PastPlayer, end: PlayerEnd): void {
    if (player !== this.#player) return;
    const atMs = player.pictureEpochMs();
    if (end.kind !== 'lost' || atMs === null) {
      this.leave();
      return;
    }
    const waitMs = Math.max(RETRY_MS, (end.retryAfterSec ?? 0) * 1_000);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      const share = this.#share();
      if (share === null) this.leave();
      else this.#start(share, atMs);
    }, waitMs);
  }

  #stop(): void {
    clearTimeout(this.#retryTimer);
    const player = this.#player;
    if (player === null) return;
    this.#player = null;
    player.stop();
    this.#intent.hold(false);
    this.#intent.press(true);
    this.#showPast(false);
    this.#tile?.setPast(null, null);
    this.#onChange();
  }

  #showPast(isPast: boolean): void {
    this.#bar.dataset.past = String(isPast);
    this.#video.hidden = !isPast;
    this.#play.hidden = !isPast;
    this.#live.hidden = !isPast;
    this.#timeline.setPast(isPast);
    this.#showPlaying();
  }

  #showPlaying(): void {
    const isPaused = this.#player === null || this.#intent.isPaused;
    this.#play.dataset.state = isPaused ? 'paused' : 'playing';
    this.#play.setAttribute('aria-label', isPaused ? t('Play') : t('Pause'));
  }
}
