/**
 * One viewer of what a camera sends, in real time: its access units, or its sound. Knows no WebSocket: messages go out
 * through a transport.
 *
 * A viewer never has a backlog. It is behind when more than MAX_QUEUED_BYTES wait in the gateway, or when it has not
 * answered a ping for MAX_BEHIND_MS: pings travel behind the frames, so this also covers what waits in the kernel and
 * in the network. Then frames are dropped up to the next key frame for which it has caught up.
 */

import { randomBytes } from 'node:crypto';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { ViewerSession, WaitingRequest } from '../../sharing/viewer-session.ts';
import { failureReasonOf } from '../response/refusal-response.ts';

/** As much as the longest group of pictures that is kept, with which a viewer starts. */
export const MAX_QUEUED_BYTES = 9 * 1_048_576;
export const MAX_BEHIND_MS = 1_500;
/** A viewer that answers nothing for this long has left without a word. */
export const PEER_TIMEOUT_MS = 20_000;
/** Longest wait for the first frame: that of a request for a cold camera. */
export const FIRST_MESSAGE_MS = 25_000;
/** Viewers need not send messages. */
export const MAX_MESSAGES_PER_LOOK = 60;
/** Frames of someone who talks: 50 per second, and those that were held up. */
const MAX_FRAMES_PER_LOOK = 150;
/** A client that has not read a ping cannot answer it. */
const QUESTION_BYTES = 8;
/** How long a client has to answer a close frame; frames in the kernel are recalled then. */
export const CLOSE_TIMEOUT_MS = 500;

/** RFC 6455 §7.4.1; 1013 is in the registry that it founded. */
export const CLOSE_GOING_AWAY = 1_001;
export const CLOSE_UNSUPPORTED_DATA = 1_003;
export const CLOSE_POLICY = 1_008;
export const CLOSE_TRY_AGAIN_LATER = 1_013;

/** The carrier of a viewer's messages. */
export interface SocketTransport {
  /** Borrows `bytes` until they are sent; they never change. */
  send(bytes: Buffer): void;
  /** A text message. */
  say(text: string): void;
  /** Sent, but not yet with the operating system. */
  bufferedBytes(): number;
  /** The answer, which repeats `question`, is reported through `noteAnswer`. */
  ping(question: Buffer): void;
  /** Closes in an orderly way, after the sent bytes. */
  close(code: number, reason: string): void;
  /** Resets the connection: bytes that have not left the machine are discarded. */
  reset(): void;
}

/** Takes the messages of a feed to one viewer. */
export interface MessageCarrier {
  /** False: it was left out, because the viewer is behind, or because what it needs is missing since then. `isKey`: it needs none before it. */
  carry(message: Buffer, isKey: boolean): boolean;
  /** A text message. */
  say(text: string): void;
  /** Nothing more comes. */
  onGone(error: GatewayError): void;
}

/** What a viewer gets. */
export interface SocketFeed {
  /** Messages come, synchronously and in order, until `detach`. */
  attach(carrier: MessageCarrier): void;
  /** Idempotent. */
  detach(): void;
  /** Bytes of the client. False: it sends what no client sends. Absent: nobody listens to clients. */
  takeBytes?(bytes: Buffer): boolean;
  /** Messages may never come, as long as everything is well. */
  readonly isQuiet?: boolean;
  /** A text message that asks the client to connect again, sent before the connection is closed for a while. Absent: clients know. */
  readonly reconnect?: string;
}

/** Totals of all viewers since the start. */
export interface SocketCounts {
  sentFrames: number;
  droppedFrames: number;
}

export interface LiveSocketOptions {
  readonly session: ViewerSession;
  readonly transport: SocketTransport;
  readonly feed: SocketFeed;
  readonly counts: SocketCounts;
  readonly clock: Clock;
  /** Called for the bytes of every message. */
  readonly onSent: (session: ViewerSession, bytes: number) => void;
  /** Called once. */
  readonly onEnd: (socket: LiveSocket) => void;
}

export class LiveSocket implements MessageCarrier, WaitingRequest {
  readonly session: ViewerSession;
  readonly #options: LiveSocketOptions;
  readonly #startedMonoMs: number;
  #isOver = false;
  #hasStarted = false;
  /** Deltas are of no use. */
  #needsKey = true;
  #hasSentSinceLook = false;
  #messagesSinceLook = 0;
  #framesSinceLook = 0;
  /** When the ping was sent that has no answer yet; null if all have. */
  #requestedMonoMs: number | null = null;
  #question: Buffer | null = null;
  #closeTimer: TimerHandle | null = null;

  constructor(options: LiveSocketOptions) {
    this.session = options.session;
    this.#options = options;
    this.#startedMonoMs = options.clock.monoMs();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Its viewer counts as present from now on. */
  start(): void {
    this.session.waiting.add(this);
    this.#options.feed.attach(this);
  }

  /** Hot: once per message and viewer. */
  carry(message: Buffer, isKey: boolean): boolean {
    if (this.#isOver) return false;
    const { transport, counts } = this.#options;
    if (this.#needsKey && !isKey) {
      if (this.#hasStarted) counts.droppedFrames++;
      return false;
    }
    if (this.#isBehind(message.length)) {
      this.#needsKey = true;
      counts.droppedFrames++;
      return false;
    }
    this.#needsKey = false;
    this.#hasStarted = true;
    this.#hasSentSinceLook = true;
    counts.sentFrames++;
    transport.send(message);
    this.#options.onSent(this.session, message.length);
    return true;
  }

  onGone(error: GatewayError): void {
    const code = error.kind === 'not-found' ? CLOSE_POLICY : CLOSE_TRY_AGAIN_LATER;
    this.#end(code, failureReasonOf(error));
  }

  /** The viewer may no longer watch. Bytes that have not reached the network are not sent. */
  onCutOff(refusal: AccessRefused): void {
    const { transport } = this.#options;
    if (transport.bufferedBytes() === 0) this.#end(CLOSE_POLICY, refusal.reason);
    else if (this.#finish()) transport.reset();
  }

  /** The gateway is stopping. */
  goAway(): void {
    this.#end(CLOSE_GOING_AWAY, 'restarting');
  }

  /** The client sent bytes, as one does who talks to someone at the camera. */
  noteBytes(bytes: Buffer): void {
    if (this.#isOver) return;
    const { feed } = this.#options;
    this.#framesSinceLook++;
    if (feed.takeBytes === undefined) this.#end(CLOSE_UNSUPPORTED_DATA, 'no-talk-back');
    else if (this.#framesSinceLook > MAX_FRAMES_PER_LOOK) this.#end(CLOSE_POLICY, 'too-many-messages');
    else if (!feed.takeBytes(bytes)) this.#end(CLOSE_UNSUPPORTED_DATA, 'bad-request');
  }

  say(text: string): void {
    if (!this.#isOver) this.#options.transport.say(text);
  }

  /** The client said something. */
  noteMessage(): void {
    this.#messagesSinceLook++;
    if (this.#messagesSinceLook > MAX_MESSAGES_PER_LOOK) this.#end(CLOSE_POLICY, 'too-many-messages');
  }

  /** The client answered a ping: all bytes before it have arrived. Other answers mean nothing (RFC 6455 §5.5.3). */
  noteResponse(response: Buffer): void {
    if (this.#question?.equals(response) !== true) {
      this.noteMessage();
      return;
    }
    this.#requestedMonoMs = null;
    this.#question = null;
  }

  /** The connection is closed. */
  lost(): void {
    this.#closeTimer?.cancel();
    this.#finish();
  }

  /** Call every second. Returns whether anything was sent to it since the last call. */
  look(): boolean {
    if (this.#isOver) return false;
    const { clock, transport, feed } = this.#options;
    const nowMonoMs = clock.monoMs();
    this.#messagesSinceLook = 0;
    this.#framesSinceLook = 0;
    if (this.#requestedMonoMs === null) {
      this.#requestedMonoMs = nowMonoMs;
      this.#question = randomBytes(QUESTION_BYTES);
      transport.ping(this.#question);
    } else if (nowMonoMs - this.#requestedMonoMs > PEER_TIMEOUT_MS) {
      if (this.#finish()) transport.reset();
    }
    const isExpected = !this.#hasStarted && feed.isQuiet !== true;
    if (isExpected && nowMonoMs - this.#startedMonoMs > FIRST_MESSAGE_MS) {
      this.#end(CLOSE_TRY_AGAIN_LATER, 'camera-offline');
    }
    const hasSent = this.#hasSentSinceLook;
    this.#hasSentSinceLook = false;
    return hasSent;
  }

  #isBehind(moreBytes: number): boolean {
    const { clock, transport } = this.#options;
    if (transport.bufferedBytes() + moreBytes > MAX_QUEUED_BYTES) return true;
    return this.#requestedMonoMs !== null && clock.monoMs() - this.#requestedMonoMs > MAX_BEHIND_MS;
  }

  #end(code: number, reason: string): void {
    if (!this.#finish()) return;
    const { clock, transport, feed } = this.#options;
    if (feed.reconnect !== undefined && code !== CLOSE_POLICY && code !== CLOSE_UNSUPPORTED_DATA) {
      transport.say(feed.reconnect);
    }
    transport.close(code, reason);
    this.#closeTimer = clock.after(CLOSE_TIMEOUT_MS, () => transport.reset());
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.session.waiting.delete(this);
    this.#options.feed.detach();
    this.#options.onEnd(this);
    return true;
  }
}
