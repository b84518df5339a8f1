/** Chooses how to play: HLS, or in real time where the link asks for it (`?realtime`) and the browser can. */

import { element, setText } from './dom.ts';
import type { OpenShare } from './open.ts';
import type { PlayIntent } from './play-intent.ts';
import type { LivePlayer, PlayerEvents } from './playback.ts';
import { startHlsPlayer } from './player.ts';
import { ProofNote } from './proof-note.ts';
import { canPlayRealTime, RealTimePlayer } from './real-time-player.ts';
import { showTalk } from './talk-note.ts';
import { type NoRealTime, noRealTimeText } from './wording.ts';

const isRealTimeWanted = new URLSearchParams(location.search).has('realtime');
/** It did not work: players that start before this time play HLS. */
let hlsUntilMs = 0;
/** A slow network may be another one by then. */
const SLOW_FOR_MS = 60_000;
const note = element('mode-note', HTMLElement);
const proof = new ProofNote();
/** The way back, without a reload. */
const retryButton = element('mode-retry', HTMLButtonElement);

/** People who asked for real time learn why they do not get it. */
function showHls(reason: NoRealTime): void {
  document.documentElement.dataset.player = 'hls';
  setText(note, noRealTimeText(reason));
}

/** Starts a player for `share` on `video`, of which `intent` says whether it plays. */
export function startPlayer(
  video: HTMLVideoElement,
  share: OpenShare,
  intent: PlayIntent,
  events: PlayerEvents,
): LivePlayer {
  const noted: PlayerEvents = { ...events, onProof: (state) => proof.show(state) };
  const player = playerOf(video, share, intent, noted);
  if (share.talkUrl !== undefined) void addTalk(video, share.talkUrl, player);
  return player;
}

/** Few links have it: its scripts are loaded then. */
async function addTalk(video: HTMLVideoElement, talkUrl: string, player: LivePlayer): Promise<void> {
  const { linkTalk } = await import('./link-talk.ts');
  linkTalk.open(talkUrl, video, player);
}

function playerOf(
  video: HTMLVideoElement,
  share: OpenShare,
  intent: PlayIntent,
  noted: PlayerEvents,
): LivePlayer {
  if (isRealTimeWanted && canPlayRealTime()) return new RealTimeOrHls(video, share, intent, noted);
  document.documentElement.dataset.player = 'hls';
  if (isRealTimeWanted) showHls(isSecureContext ? 'unsupported' : 'insecure');
  return startHlsPlayer(video, share, intent, noted);
}

/** One player to its owner: HLS takes over if real time turns out not to work, and gives way when the viewer says so. */
class RealTimeOrHls implements LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #share: OpenShare;
  readonly #intent: PlayIntent;
  readonly #events: PlayerEvents;
  readonly #onRetry = () => this.#retry();
  #player: LivePlayer;

  constructor(video: HTMLVideoElement, share: OpenShare, intent: PlayIntent, events: PlayerEvents) {
    this.#video = video;
    this.#share = share;
    this.#intent = intent;
    this.#events = events;
    retryButton.addEventListener('click', this.#onRetry);
    this.#player = performance.now() >= hlsUntilMs ? this.#startRealTime() : this.#startHls();
  }

  behindLiveSec(): number | null {
    return this.#player.behindLiveSec();
  }

  pictureEpochMs(): number | null {
    return this.#player.pictureEpochMs();
  }

  jumpToLive(): void {
    this.#player.jumpToLive();
  }

  stop(): void {
    retryButton.removeEventListener('click', this.#onRetry);
    this.#player.stop();
  }

  #startRealTime(): LivePlayer {
    document.documentElement.dataset.player = 'realtime';
    setText(note, '');
    retryButton.hidden = true;
    const events = { ...this.#events, onTalk: showTalk };
    return new RealTimePlayer(this.#video, this.#share, this.#intent, events, (obstacle) => {
      hlsUntilMs = obstacle === 'slow' ? performance.now() + SLOW_FOR_MS : Number.POSITIVE_INFINITY;
      showHls(obstacle);
      this.#player.stop();
      this.#player = this.#startHls();
    });
  }

  #startHls(): LivePlayer {
    document.documentElement.dataset.player = 'hls';
    retryButton.hidden = false;
    return startHlsPlayer(this.#video, this.#share, this.#intent, this.#events);
  }

  /** The obstacle may have passed: a network, a proxy, a decoder that others used. */
  #retry(): void {
    hlsUntilMs = 0;
    this.#player.stop();
    this.#player = this.#startRealTime();
    this.#intent.press(true);
  }
}
