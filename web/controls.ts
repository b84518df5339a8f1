/**
 * The video's controls: buttons, keys, taps, and when they hide. They act on the video element and nothing else on
 * the page.
 */

import { delayText } from './delay-text.ts';
import { element, setText } from './dom.ts';
import { FrameClock, LOOK_MS } from './frame-clock.ts';
import { LIVE_TOLERANCE_SEC, LiveSign } from './live-sign.ts';
import { gatewayEpochMs } from './open.ts';
import { PlayIntent } from './play-intent.ts';
import type { LivePlayer } from './playback.ts';
import { SoundOnlySign } from './sound-only.ts';
import { timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

const HIDE_AFTER_MS = 3_000;
/** Clicks on these are theirs. */
const CONTROLS = 'button, input, select, [role="slider"]';
const VOLUME_STEP = 0.1;

/**
 * Older Safari's substitutes for the standard full screen: iPhones can only show the video element itself.
 */
interface WebkitVideo {
  webkitEnterFullscreen?(): void;
  webkitExitFullscreen?(): void;
  readonly webkitDisplayingFullscreen?: boolean;
}
interface WebkitElement {
  webkitRequestFullscreen?(): void;
}
interface WebkitDocument {
  readonly webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?(): void;
}

/** Binds the controls once for the life of the page; players come and go beneath them. */
export class Controls {
  readonly intent: PlayIntent;
  readonly #video: HTMLVideoElement & WebkitVideo;
  readonly #stage: HTMLElement & WebkitElement = element('stage', HTMLElement);
  readonly #play = element('play', HTMLButtonElement);
  readonly #mute = element('mute', HTMLButtonElement);
  readonly #volume = element('volume', HTMLInputElement);
  readonly #pip = element('pip', HTMLButtonElement);
  readonly #fullscreen = element('fullscreen', HTMLButtonElement);
  readonly #pictureTime = element('picture-time', HTMLElement);
  readonly #timeFormat = timeFormat('zonedDate');
  readonly #frames: FrameClock;
  readonly #sign: LiveSign;
  #player: LivePlayer | null = null;
  #isOpen = false;
  #hideTimer: number | undefined;

  /** `announce`: tells screen readers. `onIntent`: as of `PlayIntent`. */
  constructor(video: HTMLVideoElement, announce: (text: string) => void, onIntent: () => void) {
    this.#video = video;
    this.intent = new PlayIntent(video, () => {
      this.#showPlaying();
      onIntent();
    });
    this.#frames = new FrameClock(video);
    this.#sign = new LiveSign(() => this.#playLive(), announce);
    new SoundOnlySign(video, announce, () => this.#toggleMute());
    this.#bindButtons();
    this.#bindVideo();
    this.#bindPointer();
    this.#bindMediaKeys();
    document.addEventListener('keydown', this.#onKey);
    setInterval(() => this.#refresh(), LOOK_MS);
    this.#offerFullscreenAndPip();
    this.#showVolume();
  }

  /** Follows `player`; null if there is none. */
  attach(player: LivePlayer | null): void {
    this.#player = player;
    this.#frames.reset();
    this.#refresh();
  }

  /** Whether the stage is on the page: keys act only then. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (isOpen) this.#reveal();
  }

  setHasSound(hasSound: boolean): void {
    this.#mute.hidden = !hasSound;
    this.#volume.hidden = !hasSound;
  }

  /** Leaves full screen and picture in picture, which would cover the page's notices. */
  leaveOtherScreens(): void {
    if (this.#video.webkitDisplayingFullscreen === true) this.#video.webkitExitFullscreen?.();
    if (document.pictureInPictureElement !== null) ignoreRefusal(document.exitPictureInPicture());
    if (this.#isFullscreen()) this.#exitFullscreen();
  }

  togglePlay(): void {
    if (this.intent.isPaused) this.play();
    else this.intent.press(false);
  }

  #bindButtons(): void {
    this.#play.addEventListener('click', () => this.togglePlay());
    this.#mute.addEventListener('click', () => this.#toggleMute());
    this.#volume.addEventListener('input', () => this.#setVolume(this.#volume.valueAsNumber));
    this.#pip.addEventListener('click', () => this.#togglePip());
    this.#fullscreen.addEventListener('click', () => this.#toggleFullscreen());
  }

  #bindVideo(): void {
    const video = this.#video;
    video.addEventListener('volumechange', () => this.#showVolume());
    const showPip = () => setPressed(this.#pip, document.pictureInPictureElement === video);
    video.addEventListener('enterpictureinpicture', showPip);
    video.addEventListener('leavepictureinpicture', showPip);
    const showFullscreen = () => setPressed(this.#fullscreen, this.#isFullscreen());
    document.addEventListener('fullscreenchange', showFullscreen);
    document.addEventListener('webkitfullscreenchange', showFullscreen);
  }

  /** A mouse click on the video pauses it; a finger tap shows or hides the controls. */
  #bindPointer(): void {
    const stage = this.#stage;
    stage.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse') this.#reveal();
    });
    stage.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') this.#hide();
    });
    stage.addEventListener('focusin', () => this.#reveal());
    stage.addEventListener('click', (event) => {
      const isOnControl = event.target instanceof Element && event.target.closest(CONTROLS) !== null;
      if (isOnControl) {
        this.#reveal();
        return;
      }
      const isMouse = event instanceof PointerEvent && event.pointerType === 'mouse';
      if (isMouse) this.togglePlay();
      else if (stage.dataset.chrome === 'hidden') this.#reveal();
      else this.#hide();
    });
    stage.addEventListener('dblclick', (event) => {
      const isOnControl = event.target instanceof Element && event.target.closest(CONTROLS) !== null;
      if (!isOnControl) this.#toggleFullscreen();
    });
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    // A dialog has keys of its own.
    if (document.querySelector('dialog[open]') !== null) return;
    if (!this.#isOpen || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = event.target;
    const isOnButton = target instanceof HTMLButtonElement;
    const isOnSlider =
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLElement && target.role === 'slider');
    if (event.key === ' ' && isOnButton) return;
    if (event.key.startsWith('Arrow') && isOnSlider) return;
    const action = this.#actionOf(event.key);
    if (action === null) return;
    event.preventDefault();
    if (event.repeat && !event.key.startsWith('Arrow')) return;
    action();
    this.#reveal();
  };

  #actionOf(key: string): (() => void) | null {
    switch (key) {
      case ' ':
      case 'k':
      case 'K':
        return () => this.togglePlay();
      case 'm':
      case 'M':
        return () => this.#toggleMute();
      case 'f':
      case 'F':
        return () => this.#toggleFullscreen();
      case 'l':
      case 'L':
        return () => this.#playLive();
      case 'ArrowUp':
        return () => this.#setVolume(this.#audibleVolume() + VOLUME_STEP);
      case 'ArrowDown':
        return () => this.#setVolume(this.#audibleVolume() - VOLUME_STEP);
      default:
        return null;
    }
  }

  /** The viewer wants it to play: a recording from where it is, live video at the live edge. */
  play(): void {
    if (this.#player?.isRecorded) this.intent.press(true);
    else this.#playLive();
  }

  #playLive(): void {
    this.catchUp();
    this.intent.press(true);
  }

  /** Continues at the live edge. */
  catchUp(): void {
    if ((this.#player?.behindLiveSec() ?? 0) >= LIVE_TOLERANCE_SEC) this.#player?.jumpToLive();
    this.#refresh();
  }

  /** Keys of headphones and keyboards, lock screens, and windows of pictures in pictures. */
  #bindMediaKeys(): void {
    if (!('mediaSession' in navigator)) return;
    navigator.mediaSession.setActionHandler('play', () => this.play());
    navigator.mediaSession.setActionHandler('pause', () => this.intent.press(false));
  }

  sound(): 'none' | 'muted' | 'on' {
    if (this.#mute.hidden) return 'none';
    return this.#audibleVolume() === 0 ? 'muted' : 'on';
  }

  setSound(isOn: boolean): void {
    if (isOn === (this.sound() !== 'on')) this.#toggleMute();
  }

  #toggleMute(): void {
    if (this.#mute.hidden) return;
    if (this.#video.muted && this.#video.volume === 0) this.#video.volume = 0.5;
    this.#video.muted = !this.#video.muted;
  }

  #audibleVolume(): number {
    return this.#video.muted ? 0 : this.#video.volume;
  }

  #setVolume(volume: number): void {
    if (this.#mute.hidden) return;
    const bounded = Math.round(Math.min(1, Math.max(0, volume)) * 100) / 100;
    this.#video.volume = bounded;
    this.#video.muted = bounded === 0;
  }

  #showVolume(): void {
    setPressed(this.#mute, this.#video.muted);
    this.#volume.valueAsNumber = this.#audibleVolume();
    this.#volume.setAttribute('aria-valuetext', `${Math.round(this.#audibleVolume() * 100)} %`);
  }

  #showPlaying(): void {
    const { isPaused } = this.intent;
    this.#play.dataset.state = isPaused ? 'paused' : 'playing';
    this.#play.setAttribute('aria-label', isPaused ? t('Play') : t('Pause'));
    if (isPaused) this.#reveal();
    this.#refresh();
  }

  #refresh(): void {
    const behindSec = this.#player?.behindLiveSec() ?? null;
    const pictureEpochMs = this.#player?.pictureEpochMs() ?? null;
    setText(this.#pictureTime, pictureEpochMs === null ? '' : this.#pictureText(pictureEpochMs));
    const ageMs = pictureEpochMs === null ? null : gatewayEpochMs() - pictureEpochMs;
    this.#sign.show({ isPaused: this.intent.isPaused, behindSec, frozenMs: this.#frames.frozenMs(ageMs) });
  }

  /** In real time, with the delay: an operator who turns a camera wants to know it. */
  #pictureText(pictureEpochMs: number): string {
    const time = this.#timeFormat.format(pictureEpochMs);
    const isRealTime = document.documentElement.dataset.player === 'realtime' && !this.intent.isPaused;
    if (!isRealTime) return time;
    const delay = delayText((gatewayEpochMs() - pictureEpochMs) / 1_000);
    return t('{time} · {delay} delay', { time, delay });
  }

  #reveal(): void {
    this.#stage.dataset.chrome = 'shown';
    clearTimeout(this.#hideTimer);
    this.#hideTimer = setTimeout(() => this.#hide(), HIDE_AFTER_MS);
  }

  /** Stays while something is paused or missing, and while a key press has put the focus on a control. */
  #hide(): void {
    const isOnKeyboard =
      this.#stage.querySelector(
        'button:focus-visible, input:focus-visible, select:focus-visible, [role="slider"]:focus-visible',
      ) !== null;
    const isStill = this.intent.isPaused || this.#video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    clearTimeout(this.#hideTimer);
    if (isStill || isOnKeyboard) this.#hideTimer = setTimeout(() => this.#hide(), HIDE_AFTER_MS);
    else this.#stage.dataset.chrome = 'hidden';
  }

  #offerFullscreenAndPip(): void {
    const isPossible =
      document.fullscreenEnabled ||
      this.#stage.webkitRequestFullscreen !== undefined ||
      this.#video.webkitEnterFullscreen !== undefined;
    this.#fullscreen.hidden = !isPossible;
    this.#pip.hidden = document.pictureInPictureEnabled !== true;
  }

  #isFullscreen(): boolean {
    const page: Document & WebkitDocument = document;
    return (page.fullscreenElement ?? page.webkitFullscreenElement ?? null) !== null;
  }

  #exitFullscreen(): void {
    const page: Document & WebkitDocument = document;
    if (page.exitFullscreen !== undefined) ignoreRefusal(page.exitFullscreen());
    else page.webkitExitFullscreen?.();
  }

  #toggleFullscreen(): void {
    if (this.#fullscreen.hidden) return;
    if (this.#isFullscreen()) this.#exitFullscreen();
    else if (document.fullscreenEnabled) ignoreRefusal(this.#stage.requestFullscreen());
    else if (this.#stage.webkitRequestFullscreen !== undefined) this.#stage.webkitRequestFullscreen();
    else this.#video.webkitEnterFullscreen?.();
  }

  #togglePip(): void {
    if (document.pictureInPictureElement === this.#video) ignoreRefusal(document.exitPictureInPicture());
    else ignoreRefusal(this.#video.requestPictureInPicture());
  }
}

function setPressed(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute('aria-pressed', String(isPressed));
}

/**
 * The browser may refuse a viewer's action (no permission in a frame, no video yet); the button then shows that nothing
 * happened.
 */
function ignoreRefusal(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
