/**
 * One camera on a wall: its two videos, the last frame of a lost stream, and the text over them. Keeps itself playing: it
 * reconnects on its own, and asks the page only when its grant no longer opens the camera.
 */

import { setText } from './dom.ts';
import { responds, silentMs } from './gateway-silence.ts';
import { gatewayEpochMs, type Refusal, retryWaitMs } from './open.ts';
import type { LossReason, PlayerEnd } from './playback.ts';
import { StillFrame } from './still-frame.ts';
import { TileLayer } from './tile-layer.ts';
import type { TileStream } from './tile-player.ts';
import {
  hasClock,
  isAlarming,
  type TileReading,
  type TileState,
  type TileText,
  tileText,
} from './tile-text.ts';
import type { WallCamera } from './wall-open.ts';
import { timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

export interface TileEvents {
  /** It was clicked, or its key was pressed. */
  onChoose(tile: WallTile): void;
  /** Its grant is over, or was never good for this: only the gateway knows what comes next. */
  onRefused(tile: WallTile): void;
  /** The tile's state has lasted long enough to announce it to people who do not see it. */
  announce(text: string): void;
}

/** Pauses between attempts double from the first to the last of these. */
const LAST_RETRY_MS = 5_000;
/** Video that moved for this long ends a row of failures. */
const STEADY_MS = 5_000;
/** A tile out of view keeps its connection this long: viewers scroll back. */
const OUT_OF_VIEW_MS = 5_000;
/** A stream that has not begun by then is tried again. Cameras may take long to wake. */
const MAX_START_MS = 40_000;
const PLACE_RETRY_SEC = 15;
/** They say nothing about the grant. */
const PASSING_REASONS: ReadonlySet<Refusal['reason']> = new Set([
  ...(['viewer-limit', 'camera-offline', 'sound-only', 'busy', 'restarting', 'too-many-opens'] as const),
]);
/** A substream that did not play is tried again after the first of these, and after up to the last. */
const FIRST_SUB_TRIAL_MS = 10_000;
const LAST_SUB_TRIAL_MS = 600_000;
/** Screen readers get only what lasts. */
const ANNOUNCE_AFTER_MS = 2_000;

export class WallTile {
  readonly root: HTMLElement;
  readonly #events: TileEvents;
  readonly #button: HTMLButtonElement;
  readonly #still: StillFrame;
  readonly #texts: Readonly<
    Record<'name' | 'key' | 'badge' | 'time' | 'delay' | 'title' | 'text', HTMLElement>
  >;
  readonly #timeFormat = timeFormat('seconds');
  readonly #pastFormat = timeFormat('zonedDate');
  /** `#front` is on the screen. */
  #front: TileLayer;
  #back: TileLayer;
  #camera: WallCamera | null = null;
  #refusal: Refusal | null = null;
  /** Until the next frame: a picture that is not live never looks as if it were. */
  #loss: LossReason | 'unplayable' | null = null;
  /** A place, a gateway that is less busy. */
  #waitingFor: Refusal | null = null;
  #isInView = true;
  #isEnlarged = false;
  #isLarge = false;
  #isPaused = false;
  /** When the recorded frame on it was taken; null: it is live. */
  #pastEpochMs: (() => number | null) | null = null;
  /** The substream did not play: the main stream takes its place until it has played for a while. */
  #isSubBroken = false;
  #subTrialAfterMs = FIRST_SUB_TRIAL_MS;
  #subTrialAtMs = 0;
  #failuresInRow = 0;
  #startedAtMs = 0;
  #pictureAtMs = Number.POSITIVE_INFINITY;
  #lastPictureEpochMs: number | null = null;
  #offlineSinceEpochMs: number | null = null;
  #retryTimer: number | undefined;
  #viewTimer: number | undefined;
  #state: TileState = 'loading';
  #spoken = '';
  #announced = '';
  #spokenSinceMs = performance.now();

  /** `root`: a copy of the page's template. */
  constructor(root: HTMLElement, events: TileEvents) {
    this.root = root;
    this.#events = events;
    const part = <T extends Element>(name: string, type: new () => T): T => {
      const found = root.querySelector(`[data-part="${name}"]`);
      if (!(found instanceof type)) throw new TypeError(`wall.html has no ${type.name} named ${name}`);
      return found;
    };
    this.#button = part('button', HTMLButtonElement);
    this.#still = new StillFrame(part('still', HTMLCanvasElement));
    this.#texts = {
      name: part('name', HTMLElement),
      key: part('key', HTMLElement),
      badge: part('badge', HTMLElement),
      time: part('time', HTMLElement),
      delay: part('delay', HTMLElement),
      title: part('title', HTMLElement),
      text: part('text', HTMLElement),
    };
    this.#front = this.#layer(part('video-a', HTMLVideoElement));
    this.#back = this.#layer(part('video-b', HTMLVideoElement));
    this.#showLayers();
    this.#button.addEventListener('click', () => events.onChoose(this));
  }

  get camera(): WallCamera | null {
    return this.#camera;
  }

  get state(): TileState {
    return this.#state;
  }

  focus(): void {
    this.#button.focus({ preventScroll: true });
  }

  /** Takes the gateway's current facts about the camera; null: the tile is free. Playback continues. */
  show(camera: WallCamera | null, number: number): void {
    const isOther = camera?.id !== this.#camera?.id;
    const hadShare = (this.#camera?.share ?? null) !== null;
    this.#camera = camera;
    this.root.hidden = camera === null;
    if (isOther) this.#forget();
    if (camera === null) {
      this.#erase();
      return;
    }
    setText(this.#texts.name, camera.name);
    setText(this.#texts.key, number <= 9 ? String(number) : '');
    if (number <= 9) this.#button.setAttribute('aria-keyshortcuts', String(number));
    else this.#button.removeAttribute('aria-keyshortcuts');
    const wasRefused = this.#refusal !== null;
    this.#refusal = camera.refusal;
    if (camera.share === null) this.#clear();
    else if (isOther || wasRefused || !hadShare) this.#start();
  }

  /** Whether anyone can see it. A tile out of view soon costs nothing. */
  setInView(isInView: boolean): void {
    if (isInView === this.#isInView) return;
    this.#isInView = isInView;
    clearTimeout(this.#viewTimer);
    if (!isInView) this.#viewTimer = setTimeout(() => this.#pause(), OUT_OF_VIEW_MS);
    else if (this.#isPaused) {
      this.#isPaused = false;
      this.#start();
    }
  }

  setEnlarged(isEnlarged: boolean): void {
    if (isEnlarged === this.#isEnlarged) return;
    this.#isEnlarged = isEnlarged;
    this.root.dataset.enlarged = String(isEnlarged);
    this.#label();
    if (this.#front.stream !== null || this.#back.stream !== null) this.#start();
  }

  /** Since when the gateway cannot reach the camera; null: it can, or the page does not know. */
  setOfflineSince(epochMs: number | null): void {
    this.#offlineSinceEpochMs = epochMs;
  }

  /** Whether its place is large enough for the main stream. */
  setLarge(isLarge: boolean): void {
    if (isLarge === this.#isLarge) return;
    this.#isLarge = isLarge;
    if (this.#front.stream !== null || this.#back.stream !== null) this.#start();
  }

  /** Whether it shows a recording instead, on a video that is not its own; `epochMs`: epoch of the frame there. */
  setPast(video: HTMLVideoElement | null, epochMs: (() => number | null) | null): void {
    this.#pastEpochMs = epochMs;
    if (video !== null) this.#still.canvas.after(video);
    this.refresh();
  }

  get isPast(): boolean {
    return this.#pastEpochMs !== null;
  }

  /** The network is back, or the page: does not wait any longer. */
  retryNow(): void {
    if (this.#loss !== null && this.#loss !== 'unplayable') this.#start();
    this.#front.jumpToLive();
  }

  /** Resumes videos that the browser paused: some browsers want a tap first. */
  resume(): void {
    for (const layer of [this.#front, this.#back]) layer.resume();
  }

  /** Shows how things are; called a few times per second. */
  refresh(): void {
    if (this.#camera === null) return;
    this.#watchStart();
    this.#trySubAgain();
    const reading = this.#reading();
    const text = tileText(reading);
    if (text.state !== this.#state) {
      this.#state = text.state;
      this.root.dataset.state = text.state;
      this.root.dataset.alarm = String(isAlarming(text.state));
    }
    const pictureEpochMs = this.#pictureEpochMs();
    const liveEpochMs = this.#front.pictureEpochMs();
    if (this.#front.hasPicture && liveEpochMs !== null) this.#lastPictureEpochMs = liveEpochMs;
    const { badge, time, delay, title, text: more } = this.#texts;
    setText(badge, text.badge);
    setText(title, text.title);
    setText(more, text.text);
    const format = this.isPast ? this.#pastFormat : this.#timeFormat;
    const isTimed = pictureEpochMs !== null && hasClock(text.state);
    setText(time, isTimed ? format.format(pictureEpochMs) : '');
    setText(delay, text.delay);
    this.#say(text);
  }

  /** Epoch of the frame on the screen, or of the last one that was. */
  #pictureEpochMs(): number | null {
    if (this.#pastEpochMs !== null) return this.#pastEpochMs();
    return this.#front.pictureEpochMs() ?? this.#lastPictureEpochMs;
  }

  #reading(): TileReading {
    const pictureEpochMs = this.#pictureEpochMs();
    const nowEpochMs = gatewayEpochMs();
    const isPlaying = this.#front.hasPicture;
    const ageMs = pictureEpochMs === null ? null : nowEpochMs - pictureEpochMs;
    return {
      loss: this.#loss,
      refusal: this.#refusal ?? this.#waitingFor,
      message: this.#camera?.message ?? '',
      isBlocked: this.#isBlocked(),
      isPast: this.isPast,
      frozenMs: isPlaying ? this.#front.frames.frozenMs(ageMs) : null,
      behindSec: isPlaying ? this.#front.behindLiveSec() : null,
      ageSec: ageMs === null ? null : ageMs / 1_000,
      lastPictureEpochMs: this.#lastPictureEpochMs,
      offlineSinceEpochMs: this.#offlineSinceEpochMs,
      nowEpochMs,
    };
  }

  /** The button's name says the state and counts nothing: readers say it at every change while it has the focus. */
  #say({ spoken }: TileText): void {
    const nowMs = performance.now();
    if (spoken !== this.#spoken) {
      this.#spoken = spoken;
      this.#spokenSinceMs = nowMs;
      this.#label();
    }
    if (spoken === this.#announced || nowMs - this.#spokenSinceMs < ANNOUNCE_AFTER_MS) return;
    const isNews = this.#announced !== '' && this.#isInView;
    this.#announced = spoken;
    if (isNews) this.#events.announce(`${this.#camera?.name ?? ''}: ${spoken}`);
  }

  #label(): void {
    const action = this.#isEnlarged ? t('Back to all cameras') : t('Enlarge');
    this.#button.setAttribute('aria-label', `${this.#camera?.name ?? ''}. ${this.#spoken}. ${action}`);
    this.#button.setAttribute('aria-pressed', String(this.#isEnlarged));
  }

  #layer(video: HTMLVideoElement): TileLayer {
    const layer: TileLayer = new TileLayer(video, {
      onPicture: () => this.#onPicture(layer),
      onEnd: (end) => this.#onEnd(layer, end),
    });
    return layer;
  }

  #isBlocked(): boolean {
    return this.#front.isBlocked || this.#back.isBlocked;
  }

  #wanted(): TileStream {
    return this.#isEnlarged || this.#isLarge || this.#isSubBroken ? 'main' : 'sub';
  }

  /** Brings the wanted stream onto the screen. What plays stays there until the other has a frame. */
  #start(): void {
    clearTimeout(this.#retryTimer);
    const share = this.#camera?.share ?? null;
    if (share === null || this.#isPaused) return;
    const stream = share.hasSubStream ? this.#wanted() : 'main';
    if (this.#front.stream === stream) {
      this.#back.stop();
      return;
    }
    if (this.#back.stream === stream) return;
    this.#startedAtMs = performance.now();
    const layer = this.#front.stream === null ? this.#front : this.#back;
    layer.start(share, stream);
  }

  #onPicture(layer: TileLayer): void {
    this.#pictureAtMs = performance.now();
    this.#loss = null;
    this.#waitingFor = null;
    if (layer === this.#back) {
      [this.#front, this.#back] = [this.#back, this.#front];
      this.#showLayers();
      this.#back.stop();
    }
    this.#still.drop();
  }

  #onEnd(layer: TileLayer, end: PlayerEnd): void {
    const wasSteady = layer.hasPicture && performance.now() - this.#pictureAtMs > STEADY_MS;
    if (wasSteady) this.#failuresInRow = 0;
    if (end.kind === 'refused') {
      const share = this.#camera?.share ?? null;
      const hasNewGrant = share !== null && !layer.isWith(share);
      if (end.refusal?.reason === 'grant-expired' && hasNewGrant) this.#changeOver(layer);
      else this.#refuse(end.refusal);
      return;
    }
    if (!layer.hasPicture) this.#noteFailedStart(layer);
    if (layer === this.#front) {
      this.#still.keep(this.#front.video);
      this.#lastPictureEpochMs = layer.pictureEpochMs() ?? this.#lastPictureEpochMs;
      if (this.#back.stream === null) this.#loss = end.kind === 'lost' ? end.reason : 'unplayable';
    }
    layer.stop();
    this.#retryLater(end);
  }

  /** The page has opened the link again in the meantime. The last frame stays until the next. */
  #changeOver(layer: TileLayer): void {
    if (layer === this.#front) this.#still.keep(this.#front.video);
    layer.stop();
    this.#start();
  }

  /** A camera whose substream is missing still has a picture; an offline camera has neither. */
  #noteFailedStart({ stream }: TileLayer): void {
    this.#isSubBroken = stream === 'sub';
    if (stream !== 'sub') return;
    this.#subTrialAfterMs = Math.min(LAST_SUB_TRIAL_MS, this.#subTrialAfterMs * 2);
    this.#subTrialAtMs = performance.now() + this.#subTrialAfterMs;
  }

  /** The main stream is too much for a tile: tries the substream again from time to time. */
  #trySubAgain(): void {
    const isDue = this.#isSubBroken && this.#front.hasPicture && performance.now() > this.#subTrialAtMs;
    if (!isDue || this.#isEnlarged || this.#isLarge) return;
    this.#isSubBroken = false;
    this.#start();
  }

  #retryLater(end: PlayerEnd): void {
    const requestedSec = end.kind === 'lost' ? end.retryAfterSec : LAST_RETRY_MS / 1_000;
    const isFirst = this.#failuresInRow === 0 && end.kind === 'lost' && end.reason !== 'camera-offline';
    const retryMs = retryWaitMs(this.#failuresInRow++, requestedSec, LAST_RETRY_MS);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#startWhenResponse(), isFirst ? 0 : retryMs);
  }

  /** A player against a gateway that hangs would take long to notice. All tiles share one request. */
  async #startWhenResponse(): Promise<void> {
    const share = this.#camera?.share ?? null;
    const isSilent = silentMs() !== null && share !== null;
    const hasResponse = !isSilent || (await responds(share.statusUrl));
    if (this.#camera?.share !== share || this.#front.stream !== null) return;
    if (hasResponse) this.#start();
    else this.#retryLater({ kind: 'lost', reason: 'unanswered', retryAfterSec: null });
  }

  /**
   * If time alone can lift the refusal, the tile tries again; otherwise the page asks the gateway, and the
   * response reaches `show`.
   */
  #refuse(refusal: Refusal | null): void {
    if (refusal !== null && PASSING_REASONS.has(refusal.reason)) {
      this.#clear();
      this.#waitingFor = refusal;
      const retryAfterSec = refusal.retryAfterSec ?? PLACE_RETRY_SEC;
      this.#retryLater({ kind: 'lost', reason: 'busy', retryAfterSec });
      return;
    }
    this.#refusal = refusal ?? { reason: 'busy', untilEpochMs: null, retryAfterSec: null };
    this.#clear();
    this.#events.onRefused(this);
  }

  /** A connection that neither plays nor fails. */
  #watchStart(): void {
    const isWaiting = this.#front.stream !== null && !this.#front.hasPicture;
    if (!isWaiting || this.#isBlocked() || performance.now() - this.#startedAtMs < MAX_START_MS) return;
    this.#onEnd(this.#front, { kind: 'lost', reason: 'stalled', retryAfterSec: null });
  }

  #pause(): void {
    this.#isPaused = true;
    this.#stopAll();
  }

  #clear(): void {
    this.#stopAll();
    this.#still.drop();
    this.#lastPictureEpochMs = null;
  }

  #forget(): void {
    this.#clear();
    this.#failuresInRow = 0;
    this.#isSubBroken = false;
    this.#announced = '';
    this.#spoken = '';
  }

  /** Not even a name is left. */
  #erase(): void {
    for (const text of Object.values(this.#texts)) setText(text, '');
    this.#button.removeAttribute('aria-label');
    this.root.dataset.alarm = 'false';
    this.#state = 'loading';
    this.root.dataset.state = 'loading';
  }

  #stopAll(): void {
    clearTimeout(this.#retryTimer);
    this.#loss = null;
    this.#waitingFor = null;
    this.#front.stop();
    this.#back.stop();
  }

  #showLayers(): void {
    this.#front.video.dataset.layer = 'front';
    this.#back.video.dataset.layer = 'back';
  }
}
