/**
 * Whether a video is meant to play. Only the viewer's own press changes that. Everything else that leaves the video paused
 * (a new source, a browser that saves power, a source that hls.js sets up again) is undone; if the browser insists, the
 * page says that it needs a press. Nothing else on the page calls `play` or `pause`.
 */

/** A browser that pauses again within this time means it: the viewer may use a control of the browser's own. */
const INSISTS_WITHIN_MS = 10_000;
/** iPhones pause the video when the viewer leaves their full screen. */
const LEAVES_WITHIN_MS = 1_000;

/** iPhones show the video itself in full screen, with controls of their own. */
interface OwnScreenVideo {
  readonly webkitDisplayingFullscreen?: boolean;
}

export class PlayIntent {
  readonly #video: HTMLVideoElement & OwnScreenVideo;
  readonly #onChange: () => void;
  #wantsPlay = true;
  #isHeld = false;
  #isBlocked = false;
  /** When the browser paused it last. */
  #browserPausedAtMs = Number.NEGATIVE_INFINITY;
  #ownScreenPausedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Follows `video` for the life of the page; players come and go beneath it. `onChange`: what the viewer wants, or whether
   * the browser does it, is different now.
   */
  constructor(video: HTMLVideoElement, onChange: () => void) {
    this.#video = video;
    this.#onChange = onChange;
    video.addEventListener('loadstart', () => this.retry());
    for (const event of ['loadedmetadata', 'loadeddata', 'seeked']) {
      video.addEventListener(event, () => this.#follow());
    }
    video.addEventListener('play', () => this.#onPlay());
    video.addEventListener('pause', () => this.#onPause());
    video.addEventListener('webkitendfullscreen', () => this.#onOwnScreenLeft());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.retry();
    });
  }

  /** The viewer has paused it, or the browser wants a press before it plays. */
  get isPaused(): boolean {
    return !this.#wantsPlay || this.#isBlocked;
  }

  /** The browser wants a press before it plays. */
  get isBlocked(): boolean {
    return this.#wantsPlay && this.#isBlocked;
  }

  /** Frames should change. Whether the browser calls the video paused says nothing about that. */
  get isDue(): boolean {
    return !this.isPaused && !this.#isHeld;
  }

  /** The viewer pressed something: browsers allow more during a press. */
  press(wantsPlay: boolean): void {
    const isChange = wantsPlay !== this.#wantsPlay || this.#isBlocked;
    this.#wantsPlay = wantsPlay;
    this.#browserPausedAtMs = Number.NEGATIVE_INFINITY;
    this.retry();
    if (isChange) this.#onChange();
  }

  /** The viewer looks for a time: the video is frozen until it is found. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#follow();
  }

  /** A browser that wanted a press may have changed its mind, or there was a press elsewhere. */
  retry(): void {
    this.#isBlocked = false;
    this.#follow();
  }

  #follow(): void {
    const video = this.#video;
    if (!this.isDue) {
      if (!video.paused) video.pause();
      return;
    }
    if (!video.paused || video.ended || !this.#canPlay()) return;
    video.play().catch((error: unknown) => {
      // Anything else is a new source, or a source that does not play: its player says so.
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || !this.isDue) return;
      if (video.muted) {
        this.#block();
        return;
      }
      // Without audio, most browsers do play.
      video.muted = true;
      this.#follow();
    });
  }

  /** There is a source, and it has not failed. Chromium pauses a video that fails; its player gives it another source. */
  #canPlay(): boolean {
    const { networkState, error } = this.#video;
    const { NETWORK_EMPTY, NETWORK_NO_SOURCE } = HTMLMediaElement;
    return error === null && networkState !== NETWORK_EMPTY && networkState !== NETWORK_NO_SOURCE;
  }

  #block(): void {
    this.#isBlocked = true;
    this.#onChange();
  }

  /** Only the page and controls of the browser's own begin to play. */
  #onPlay(): void {
    if (this.#video.paused || this.#isHeld || !this.isPaused) return;
    this.#wantsPlay = true;
    this.#isBlocked = false;
    this.#onChange();
  }

  #onPause(): void {
    const video = this.#video;
    if (!this.isDue || !video.paused || video.ended || !this.#canPlay()) return;
    const nowMs = performance.now();
    if (video.webkitDisplayingFullscreen === true) {
      this.#ownScreenPausedAtMs = nowMs;
      this.press(false);
      return;
    }
    const isSeen = document.visibilityState === 'visible' || document.pictureInPictureElement === video;
    if (!isSeen) return;
    const insists = nowMs - this.#browserPausedAtMs < INSISTS_WITHIN_MS;
    this.#browserPausedAtMs = nowMs;
    if (insists) this.#block();
    else this.#follow();
  }

  #onOwnScreenLeft(): void {
    if (performance.now() - this.#ownScreenPausedAtMs < LEAVES_WITHIN_MS) this.press(true);
  }
}
