/**
 * Talking to one camera, and knowing who does (docs/guide/real-time-view.md#talk). The socket is open while someone listens or talks here,
 * and a minute longer; the microphone only while someone talks.
 */

import { loudness, TALK_CONTROL, TalkFrames } from './talk-frames.ts';

/** Why one is not heard, or no longer. The first six come from the gateway. */
export type TalkProblem =
  | 'not-authorized'
  | 'capability-unavailable'
  | 'device-unavailable'
  | 'busy'
  | 'silence'
  | 'not-recorded'
  | 'microphone-refused'
  | 'microphone-missing'
  | 'microphone-failed'
  | 'connection-failed';

export type TalkState =
  | { readonly kind: 'quiet' }
  /** Wanted; the microphone or the connection is not there yet. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'talking' }
  /** The button was let go before the microphone was there. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly problem: TalkProblem };

export interface Microphone {
  close(): void;
}

/** The part of a WebSocket that is used. */
export interface TalkSocket {
  readonly bufferedAmount: number;
  send(message: ArrayBuffer | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface SocketEvents {
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** A value that its owner shows: a signal of the console, or one that the page of a link follows. */
export interface Cell<Value> {
  value: Value;
}

export interface TalkParts {
  readonly cell: <Value>(value: Value) => Cell<Value>;
  /** What the gateway sends, as values. Throws for anything else. */
  readonly parse: (json: string) => unknown;
  /** Resolves once it is open. Rejects if it cannot be opened. */
  readonly openSocket: (events: SocketEvents) => Promise<TalkSocket>;
  readonly openMicrophone: (
    onSamples: (samples: Float32Array, rateHz: number) => void,
    onEnd: () => void,
  ) => Promise<Microphone>;
  readonly microphoneProblem: (error: unknown) => TalkProblem;
}

/** Half a second of frames: what waits longer is not worth to be heard. */
export const MAX_WAITING_BYTES = 48_000;
/** In a conversation, the next press does not wait for a connection. */
export const LINGER_MS = 60_000;
/** A listener whose connection was lost tries again. */
export const RETRY_MS = 5_000;

const GATEWAY_PROBLEMS: readonly unknown[] = [
  'not-authorized',
  'capability-unavailable',
  'device-unavailable',
  'busy',
  'silence',
  'not-recorded',
] satisfies TalkProblem[];

interface Connection {
  socket: TalkSocket | null;
  hasControl: boolean;
}

export class TalkLine {
  readonly state: Cell<TalkState>;
  /** Level of this viewer's microphone, 0 to 1. */
  readonly level: Cell<number>;
  /** Who else talks; empty: someone without a name; null: no one. */
  readonly other: Cell<string | null>;
  readonly #parts: TalkParts;
  #connection: Connection | null = null;
  /** Until the socket is opened again, or is of no more use. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isListening = false;
  #isClosed = false;
  #microphone: Microphone | null = null;
  #frames: TalkFrames | null = null;
  /** Tells apart what was opened for an earlier press. */
  #press = 0;

  constructor(parts: TalkParts) {
    this.#parts = parts;
    this.state = parts.cell<TalkState>({ kind: 'quiet' });
    this.level = parts.cell(0);
    this.other = parts.cell<string | null>(null);
  }

  get isHeld(): boolean {
    const { kind } = this.state.value;
    return kind === 'opening' || kind === 'talking';
  }

  /** Someone hears the camera here, and is to know who talks. */
  listen(isListening: boolean): void {
    this.#isListening = isListening;
    if (isListening) this.#connect();
    else this.#leaveUnused();
  }

  /** Talks until `release`. Browsers allow a microphone in a press. */
  hold(): void {
    if (this.isHeld || this.#isClosed) return;
    const press = ++this.#press;
    this.state.value = { kind: 'opening' };
    this.#connect();
    this.#parts
      .openMicrophone(
        (samples, rateHz) => {
          if (press === this.#press) this.#send(samples, rateHz);
        },
        () => {
          if (press === this.#press) this.#fail('microphone-failed');
        },
      )
      .then(
        (microphone) => {
          if (press === this.#press && this.isHeld) {
            this.#microphone = microphone;
            return;
          }
          microphone.close();
          if (press === this.#press && this.state.value.kind === 'quiet' && !this.#isClosed) {
            this.state.value = { kind: 'ready' };
          }
        },
        (error: unknown) => {
          if (press === this.#press) this.#fail(this.#parts.microphoneProblem(error));
        },
      );
  }

  release(): void {
    if (this.isHeld) this.#stop({ kind: 'quiet' });
  }

  close(): void {
    this.#isClosed = true;
    this.#isListening = false;
    this.release();
    this.#leave();
  }

  #stop(state: TalkState): void {
    this.state.value = state;
    this.#microphone?.close();
    this.#microphone = null;
    this.#frames = null;
    this.level.value = 0;
    this.#leaveUnused();
  }

  #fail(problem: TalkProblem): void {
    this.#stop({ kind: 'failed', problem });
  }

  #connect(): void {
    this.#wait(null);
    if (this.#connection !== null) return;
    const connection: Connection = { socket: null, hasControl: false };
    this.#connection = connection;
    const lost = () => {
      if (this.#connection === connection) this.#lose();
    };
    this.#parts
      .openSocket({
        onText: (text) => {
          if (this.#connection === connection) this.#told(text);
        },
        onClose: lost,
      })
      .then((socket) => {
        if (this.#connection === connection) connection.socket = socket;
        else socket.close();
      }, lost);
  }

  #lose(): void {
    this.#leave();
    if (this.isHeld) this.#fail('connection-failed');
    if (this.#isListening) this.#wait(setTimeout(() => this.#connect(), RETRY_MS));
  }

  #leaveUnused(): void {
    if (this.#isListening || this.isHeld || this.#connection === null) return;
    this.#wait(setTimeout(() => this.#leave(), LINGER_MS));
  }

  #wait(timer: ReturnType<typeof setTimeout> | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = timer;
  }

  #leave(): void {
    this.#wait(null);
    const { socket = null } = this.#connection ?? {};
    this.#connection = null;
    this.other.value = null;
    socket?.close();
  }

  #send(samples: Float32Array, rateHz: number): void {
    if (!this.isHeld) return;
    this.level.value = loudness(samples);
    const { socket = null } = this.#connection ?? {};
    if (socket === null) return;
    this.#frames ??= new TalkFrames(rateHz);
    if (!this.#connection!.hasControl) socket.send(TALK_CONTROL);
    this.#connection!.hasControl = true;
    for (const frame of this.#frames.push(samples)) {
      if (socket.bufferedAmount < MAX_WAITING_BYTES) socket.send(frame);
    }
  }

  #told(text: string): void {
    const { state, reason, isOwn = false, by = '' } = talkNews(text, this.#parts.parse) ?? {};
    if (state === 'ended') this.other.value = null;
    if (state === 'talking' && isOwn !== true) this.other.value = String(by);
    if (state === 'talking' && isOwn === true && this.isHeld) this.state.value = { kind: 'talking' };
    if (state !== 'refused' || !this.isHeld) return;
    const problem = GATEWAY_PROBLEMS.includes(reason) ? (reason as TalkProblem) : 'device-unavailable';
    const { value: other } = this.other;
    this.#fail(problem);
    // The gateway hears whom it refused only after a pause, except on a new connection.
    this.#leave();
    if (this.#isListening) this.#connect();
    this.other.value = problem === 'busy' ? other : null;
  }
}

/** null: the text says nothing about a talk. */
function talkNews(text: string, parse: TalkParts['parse']): Readonly<Record<string, unknown>> | null {
  let message: unknown;
  try {
    message = parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const news = message as Readonly<Record<string, unknown>>;
  return news.action === 'talk' ? news : null;
}
