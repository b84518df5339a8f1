/**
 * Talking from the page of a link whose owner allows it: a button to hold or to press, a level, and who talks. The camera's sound is off until
 * it no longer contains what was said here.
 */

import { element, setText } from './dom.ts';
import { hasMicrophones, microphoneProblem, openMicrophone } from './microphone.ts';
import { gatewayEpochMs } from './open.ts';
import type { LivePlayer } from './playback.ts';
import { type Cell, type SocketEvents, TalkLine, type TalkProblem, type TalkSocket } from './talk-line.ts';
import { t } from './words/plain-words.ts';

/** What was said is in the camera's sound until it is this much newer. */
const ECHO_MS = 1_500;
/** A player that shows no times has played what was said. */
const MAX_ECHO_MS = 15_000;
const LOOK_MS = 250;
/** The gateway does not let this viewer talk or listen anymore. */
const CLOSE_POLICY = 1_008;

class LinkTalk {
  readonly #section = element('talk', HTMLElement);
  readonly #button = element('talk-button', HTMLButtonElement);
  readonly #text = element('talk-text', HTMLElement);
  readonly #level = element('talk-level', HTMLMeterElement);
  readonly #says = element('talk-says', HTMLElement);
  readonly #keep = element('talk-keep', HTMLInputElement);
  #url: string | null = null;
  #line: TalkLine | null = null;
  #player: LivePlayer | null = null;
  #video: HTMLVideoElement | null = null;
  /** A talk turned the sound off. */
  #isSilencing = false;
  /** By the gateway's clock and this machine's. */
  #endedEpochMs = 0;
  #endedMonoMs = 0;

  constructor() {
    this.#bindButton();
    addEventListener('pagehide', () => this.#line?.release());
    document.addEventListener('visibilitychange', () => this.#line?.release());
    addEventListener('blur', () => this.#releaseHeld());
    setInterval(() => this.#followSound(), LOOK_MS);
  }

  /** `player` plays on `video` what the link shows; `url`: of the WebSocket. */
  open(url: string, video: HTMLVideoElement, player: LivePlayer): void {
    [this.#video, this.#player] = [video, player];
    if (this.#url === url) return;
    this.#line?.close();
    this.#url = url;
    const line = new TalkLine({
      openSocket: (events) => this.#openSocket(url, events),
      openMicrophone: (...events) =>
        openMicrophone(new URL(this.#section.dataset.capture!, location.href), ...events),
      microphoneProblem,
      parse: JSON.parse,
      cell: (value) => new ShownCell(value, () => this.#show()),
    });
    this.#line = line;
    this.#section.hidden = false;
    line.listen(true);
    this.#show();
  }

  #close(): void {
    this.#line?.close();
    [this.#line, this.#url] = [null, null];
    this.#section.hidden = true;
  }

  async #openSocket(talkUrl: string, { onText, onClose }: SocketEvents): Promise<TalkSocket> {
    const url = new URL(talkUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    socket.addEventListener('message', ({ data }) => onText(String(data)));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('close', () => reject(new Error('closed')));
    });
    socket.addEventListener('close', ({ code }) => {
      onClose();
      if (code === CLOSE_POLICY && this.#url === talkUrl) this.#close();
    });
    return socket;
  }

  #bindButton(): void {
    const button = this.#button;
    button.addEventListener('pointerdown', (event) => {
      if (this.#keep.checked || event.button !== 0) return;
      // A finger would otherwise belong to the button wherever it goes.
      button.releasePointerCapture(event.pointerId);
      this.#line?.hold();
    });
    for (const type of ['pointerup', 'pointerleave', 'pointercancel', 'blur']) {
      button.addEventListener(type, () => this.#releaseHeld());
    }
    button.addEventListener('contextmenu', (event) => event.preventDefault());
    button.addEventListener('keydown', (event) => {
      if (this.#keep.checked || (event.key !== ' ' && event.key !== 'Enter')) return;
      event.preventDefault();
      if (!event.repeat) this.#line?.hold();
    });
    button.addEventListener('keyup', (event) => {
      if (event.key === ' ' || event.key === 'Enter') this.#releaseHeld();
    });
    button.addEventListener('click', () => {
      if (!this.#keep.checked) return;
      if (this.#line?.isHeld === true) this.#line.release();
      else this.#line?.hold();
    });
    this.#keep.addEventListener('change', () => {
      this.#line?.release();
      this.#show();
    });
  }

  #releaseHeld(): void {
    if (!this.#keep.checked) this.#line?.release();
  }

  #show(): void {
    const line = this.#line;
    if (line === null) return;
    const { isHeld } = line;
    const hindrance = hindranceOf(line.other.value);
    const isKept = this.#keep.checked;
    setText(this.#text, isKept ? (isHeld ? t('Stop talking') : t('Start talking')) : t('Hold to talk'));
    this.#button.setAttribute('aria-pressed', String(isHeld));
    this.#button.disabled = hindrance !== null && !isHeld;
    this.#level.value = line.level.value;
    this.#section.dataset.state = line.state.value.kind;
    setText(this.#says, hindrance ?? stateText(line, isKept));
    this.#followSound();
  }

  /** Half duplex: what is said here comes back with the camera's sound. */
  #followSound(): void {
    const [line, video] = [this.#line, this.#video];
    if (video === null) return;
    if (line?.isHeld === true) {
      if (!video.muted) {
        video.muted = true;
        this.#isSilencing = true;
      }
      [this.#endedEpochMs, this.#endedMonoMs] = [gatewayEpochMs(), performance.now()];
      return;
    }
    if (!this.#isSilencing) return;
    const shownEpochMs = this.#player?.pictureEpochMs() ?? 0;
    const isEcho = shownEpochMs < this.#endedEpochMs + ECHO_MS;
    if (isEcho && performance.now() - this.#endedMonoMs < MAX_ECHO_MS) return;
    this.#isSilencing = false;
    video.muted = false;
  }
}

class ShownCell<Value> implements Cell<Value> {
  #value: Value;
  readonly #onChange: () => void;

  constructor(value: Value, onChange: () => void) {
    this.#value = value;
    this.#onChange = onChange;
  }

  get value(): Value {
    return this.#value;
  }

  set value(value: Value) {
    this.#value = value;
    this.#onChange();
  }
}

/** Why no one can talk now; null: they can. */
function hindranceOf(other: string | null): string | null {
  if (!hasMicrophones()) {
    return t(
      'You cannot talk here: browsers allow the microphone only on pages with https. Ask for a link that begins with https.',
    );
  }
  return other === null ? null : t('Someone is talking through this camera.');
}

function stateText({ state }: TalkLine, isKept: boolean): string {
  const { value } = state;
  switch (value.kind) {
    case 'quiet':
      return t('People at the camera hear you. Its sound is off meanwhile.');
    case 'opening':
      return t('Connecting…');
    case 'talking':
      return isKept ? t('You are talking.') : t('You are talking. Let go to stop.');
    case 'ready':
      return t('The microphone is ready. Hold the button while you talk.');
    case 'failed':
      return problemText(value.problem);
  }
}

function problemText(problem: TalkProblem): string {
  switch (problem) {
    case 'not-authorized':
      return t('This link no longer lets you talk.');
    case 'capability-unavailable':
      return t('This camera has no speaker that can be used.');
    case 'device-unavailable':
      return t('The camera’s speaker cannot be reached now. Try again in a moment.');
    case 'busy':
      return t('You were not heard, because someone else is talking. Try again when they have finished.');
    case 'silence':
      return t('Stopped after a minute of silence.');
    case 'not-recorded':
      return t('No one can talk now, because the gateway cannot record who does. Try again in a moment.');
    case 'microphone-refused':
      return t(
        'The browser does not let this page use the microphone. Allow it next to the address, and try again.',
      );
    case 'microphone-missing':
      return t('No microphone was found. Connect one, and try again.');
    case 'microphone-failed':
      return t('The microphone cannot be used. Another program may be using it.');
    case 'connection-failed':
      return t('The connection was lost. Try again.');
  }
}

export const linkTalk = new LinkTalk();
