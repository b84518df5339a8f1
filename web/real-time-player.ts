/**
 * Plays a camera's frames as they leave it, from the gateway's WebSocket: a few frames behind the camera instead of a
 * second. Its sound has a WebSocket of its own, and is fetched only while it is heard. Like every player, it is never repaired; where it cannot play at all, it says so, and HLS takes
 * its place (docs/design/real-time.md).
 */

import { type FrameScreen, hasFrameScreen, openFrameScreen } from './frame-screen.ts';
import { noteResponse } from './gateway-silence.ts';
import { HeldFrames } from './held-frames.ts';
import { LIVE_TOLERANCE_SEC } from './live-sign.ts';
import { gatewayEpochMs, type OpenShare, parseRefusal, type Refusal, readStatus } from './open.ts';
import { PictureDecoder } from './picture-decoder.ts';
import { readPictureMessage } from './picture-message.ts';
import type { PlayIntent } from './play-intent.ts';
import {
  emptyVideo,
  type LivePlayer,
  type LossReason,
  PlaybackWatch,
  type PlayerEnd,
  type PlayerEvents,
  type RealTimeObstacle,
} from './playback.ts';
import { canPlaySound, RealTimeSound } from './real-time-sound.ts';
import { SlowNetwork, StreamChoice, type StreamPick } from './stream-choice.ts';

/** Proxies that do not pass WebSockets answer late or never. */
const OPEN_TIMEOUT_MS = 4_000;
/** Frames older than this against the newest one are decoded, because others need them, and not shown. */
const MAX_SHOWN_AGE_MS = 250;
/** Unless nothing was shown for this long. */
const LONGEST_BLANK_MS = 500;
/** Pictures that are shown this much after their sound, all of some, are out of step: one is if the page was busy. */
const MAX_OUT_OF_STEP_MS = 20;
const PICTURES_IN_STEP = 12;

/** Close codes of the gateway (docs/guide/real-time-view.md). */
const CLOSE_GOING_AWAY = 1_001;
const CLOSE_POLICY = 1_008;
const CLOSE_TRY_AGAIN_LATER = 1_013;

/** It worked on this page: what fails from now on is the network, the gateway or the camera. */
let hasWorked = false;
/** A player that replaces another starts from what the other learned about the network. */
const sharedChoice = new StreamChoice();
const slowNetwork = new SlowNetwork();

export function canPlayRealTime(): boolean {
  return 'VideoDecoder' in globalThis && 'WebSocket' in globalThis && hasFrameScreen();
}

export class RealTimePlayer implements LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #share: OpenShare;
  readonly #events: PlayerEvents;
  readonly #onUnavailable: (obstacle: RealTimeObstacle) => void;
  readonly #watch: PlaybackWatch;
  readonly #decoder: PictureDecoder;
  readonly #hasSubStream: boolean;
  readonly #choice: StreamPick;
  #openTimer: number | undefined;
  #screen: FrameScreen | null = null;
  #sound: RealTimeSound | null = null;
  readonly #held = new HeldFrames(
    (epochMs) => this.#sound?.dueAtMs(epochMs) ?? null,
    (frame, epochMs) => this.#show(frame, epochMs),
  );
  /** How much later than their sound pictures were shown, at least, and how many. */
  #leastLateMs = Number.POSITIVE_INFINITY;
  #comparedPictures = 0;
  #socket: WebSocket | null = null;
  /** Epoch of the newest message. */
  #newestEpochMs = 0;
  #arrivalLagMs = 0;
  /** Epoch of the frame on the screen; null before the first frame. */
  #shownEpochMs: number | null = null;
  #shownAtMs = performance.now();
  #ended = false;

  /**
   * `onUnavailable`: called at most once, later, instead of `onEnd`: real time does not work here, but others might.
   * `choice`: by default, the stream that the network carries.
   */
  constructor(
    video: HTMLVideoElement,
    share: OpenShare,
    intent: PlayIntent,
    events: PlayerEvents,
    onUnavailable: (obstacle: RealTimeObstacle) => void,
    choice: StreamPick = sharedChoice,
  ) {
    this.#choice = choice;
    this.#video = video;
    this.#share = share;
    this.#events = events;
    this.#onUnavailable = onUnavailable;
    this.#watch = new PlaybackWatch(
      video,
      share,
      intent,
      events,
      (reason) => {
        if (reason === 'unanswered') this.#lose(reason);
        else if (hasWorked && this.#isChoosing && slowNetwork.noteStall()) this.#giveUp('slow');
        else this.#lose('stalled');
      },
      () => this.#shownAtMs,
    );
    this.#decoder = new PictureDecoder({
      onFrame: (frame, epochMs) => this.#onFrame(frame, epochMs),
      // A new decoder ends damage in the middle of a stream; a decoder that never showed a frame cannot play this stream.
      onBroken: () => (this.#shownEpochMs === null ? this.#giveUp('undecodable') : this.#lose('stalled')),
    });
    // Only then is there a choice of streams.
    this.#hasSubStream = share.hasSubStream;
    this.#connect();
    events.onSound(false);
    this.#screen = openFrameScreen(video);
  }

  behindLiveSec(): number | null {
    if (this.#shownEpochMs === null) return null;
    return Math.max(0, this.#arrivalLagMs + this.#newestEpochMs - this.#shownEpochMs) / 1_000;
  }

  pictureEpochMs(): number | null {
    return this.#shownEpochMs;
  }

  /** Frames are shown when they arrive. If they arrive late, a new connection gets the newest ones. */
  jumpToLive(): void {
    if (this.#arrivalLagMs >= LIVE_TOLERANCE_SEC * 1_000) this.#lose('stalled');
  }

  stop(): void {
    this.#release();
    this.#screen?.close();
    emptyVideo(this.#video);
  }

  /** Leaves the connection before, if there is one. */
  #connect(): void {
    clearTimeout(this.#openTimer);
    this.#openTimer = setTimeout(() => this.#onOpenTimeout(), OPEN_TIMEOUT_MS);
    const url = new URL(this.#hasSubStream ? this.#choice.name : 'ws', this.#share.playlistUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    try {
      const socket = new WebSocket(url);
      const isCurrent = (): boolean => this.#socket === socket && !this.#ended;
      this.#socket?.close();
      this.#socket = socket;
      this.#choice.restart();
      socket.binaryType = 'arraybuffer';
      socket.addEventListener('open', () => {
        if (isCurrent()) clearTimeout(this.#openTimer);
      });
      socket.addEventListener('message', ({ data }) => {
        if (isCurrent()) this.#onMessage(data);
      });
      socket.addEventListener('close', ({ code, reason }) => {
        if (isCurrent()) void this.#onClose(code, reason);
      });
    } catch {
      // The page may not connect there; the timer gives up.
    }
  }

  #onMessage(data: unknown): void {
    const picture = data instanceof ArrayBuffer ? readPictureMessage(data) : null;
    if (picture === null) return;
    noteResponse();
    hasWorked = true;
    this.#watch.expectPicture();
    this.#newestEpochMs = picture.epochMs;
    this.#arrivalLagMs = gatewayEpochMs() - picture.epochMs;
    try {
      this.#decoder.decode(picture);
    } catch {
      this.#giveUp('undecodable');
      return;
    }
    const nowMs = performance.now();
    const isSmallest = !this.#hasSubStream || this.#choice.name === 'wsl';
    if (isSmallest && this.#isChoosing && slowNetwork.note(this.#arrivalLagMs, nowMs)) {
      this.#giveUp('slow');
      return;
    }
    if (!this.#hasSubStream || !this.#choice.note(picture.epochMs, nowMs)) return;
    this.#decoder.startOver();
    this.#connect();
  }

  #onFrame(frame: VideoFrame, epochMs: number): void {
    const nowMs = performance.now();
    const isOld = this.#newestEpochMs - epochMs > MAX_SHOWN_AGE_MS;
    if (this.#ended || this.#screen === null || (isOld && nowMs - this.#shownAtMs < LONGEST_BLANK_MS)) {
      frame.close();
      return;
    }
    this.#held.put(frame, epochMs);
  }

  #show(frame: VideoFrame, epochMs: number): void {
    const nowMs = performance.now();
    this.#compare(epochMs, nowMs);
    this.#shownAtMs = nowMs;
    if (this.#shownEpochMs === null && canPlaySound() && this.#isChoosing) void this.#offerSound();
    if (!this.#video.paused || this.#shownEpochMs === null) this.#shownEpochMs = epochMs;
    if (this.#screen === null) frame.close();
    else this.#screen.show(frame);
  }

  /** Sound waits for pictures that come later, as these wait for it. */
  #compare(epochMs: number, nowMs: number): void {
    const dueAtMs = this.#sound?.dueAtMs(epochMs) ?? null;
    if (dueAtMs === null) return;
    this.#leastLateMs = Math.min(this.#leastLateMs, nowMs - dueAtMs);
    this.#comparedPictures++;
    if (this.#comparedPictures < PICTURES_IN_STEP) return;
    if (this.#leastLateMs > MAX_OUT_OF_STEP_MS) this.#sound?.wait(this.#leastLateMs);
    this.#leastLateMs = Number.POSITIVE_INFINITY;
    this.#comparedPictures = 0;
  }

  /** The button for it appears if there is sound for this viewer. */
  async #offerSound(): Promise<void> {
    const status = await readStatus(this.#share.statusUrl);
    if (this.#ended || status.kind !== 'camera' || !status.hasSound) return;
    const url = new URL('opus/ws', this.#share.playlistUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    this.#sound = new RealTimeSound(this.#video, url, (isTalking) => this.#events.onTalk?.(isTalking));
    this.#events.onSound(true);
  }

  async #onClose(code: number, reason: string): Promise<void> {
    clearTimeout(this.#openTimer);
    this.#choice.giveUpSub();
    const named = parseRefusal(0, JSON.stringify({ reason }), null);
    if (named.reason === 'sound-only') this.#giveUp('no-picture');
    else if (code === CLOSE_GOING_AWAY) this.#lose('restarting');
    else if (code === CLOSE_TRY_AGAIN_LATER) this.#lose(lossOf(named));
    else if (code === CLOSE_POLICY && isWholeStory(named)) this.#end({ kind: 'refused', refusal: named });
    else await this.#ask();
  }

  /** The browser does not say why a handshake failed, or until when a schedule hides the stream. */
  async #ask(): Promise<void> {
    const status = await readStatus(this.#share.statusUrl);
    if (this.#ended) return;
    if (status.kind === 'unreachable') this.#lose('network');
    else if (status.kind === 'refused') {
      const { refusal } = status;
      if (refusal.reason === 'busy' || refusal.reason === 'restarting') {
        this.#lose(lossOf(refusal), refusal.retryAfterSec);
      } else this.#end({ kind: 'refused', refusal });
    } else if (status.isSoundOnly) this.#giveUp('no-picture');
    else if (status.state === 'offline') this.#lose('camera-offline', null, status.nextTryEpochMs);
    else this.#onNoConnection();
  }

  /** Tiles of a wall do not choose: they stay with real time, whatever the network carries. */
  get #isChoosing(): boolean {
    return this.#choice === sharedChoice;
  }

  /** A gateway that is down fails sooner; data that a slow network still carries delays a new connection. */
  #onOpenTimeout(): void {
    const isSlow = hasWorked && navigator.onLine && this.#isChoosing && slowNetwork.noteStall();
    if (isSlow) this.#giveUp('slow');
    else this.#onNoConnection();
  }

  #onNoConnection(): void {
    if (hasWorked) this.#lose('network');
    else this.#giveUp('no-connection');
  }

  /** The obstacle is in the browser or between the browser and the gateway. */
  #giveUp(obstacle: RealTimeObstacle): void {
    if (this.#ended) return;
    this.#release();
    this.#onUnavailable(obstacle);
  }

  #lose(reason: LossReason, retryAfterSec: number | null = null, nextTryEpochMs?: number): void {
    this.#end({ kind: 'lost', reason, retryAfterSec, nextTryEpochMs });
  }

  #end(end: PlayerEnd): void {
    if (this.#ended) return;
    this.#release();
    this.#events.onEnd(end);
  }

  #release(): void {
    this.#ended = true;
    clearTimeout(this.#openTimer);
    this.#watch.stop();
    this.#socket?.close();
    this.#decoder.close();
    this.#sound?.stop();
    this.#held.clear();
  }
}

/** Whether the page can say everything about it. */
function isWholeStory({ reason }: Refusal): boolean {
  return reason !== 'busy' && reason !== 'hidden-by-schedule';
}

function lossOf({ reason }: Refusal): LossReason {
  return reason === 'camera-offline' || reason === 'restarting' ? reason : 'busy';
}
