/**
 * Requests that are answered later: when the bytes exist, when they will not come, when the viewer is cut off, or not
 * at all when the viewer went away.
 */

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { AccessRefused } from '../sharing/access-decision.ts';
import type { ViewerSession, WaitingRequest } from '../sharing/viewer-session.ts';
import type { LiveBody, Waiter } from '../stream/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { sendFailure, sendRefused } from './refusal-answer.ts';

/** Requests that wait at once, over all streams; each stream has a bound of its own. */
export const MAX_WAITING_REQUESTS = 20_000;
/** Of one viewer: playlists and parts of two renditions, twice over. */
export const MAX_WAITING_PER_VIEWER = 8;

/** Whoever the bytes are awaited from. */
interface Awaited {
  cancelWait(waiter: Waiter): void;
}

/** Sends the bytes that came. Shared by all requests of a kind. */
export type Deliver = (waiting: WaitingReply, body: LiveBody) => void;

/** Everyone who waits. */
export class WaitingRoom {
  readonly #waiting = new Set<WaitingReply>();
  readonly #maxWaiting: number;
  #isClosed = false;
  readonly clock: Clock;

  constructor(clock: Clock, maxWaiting = MAX_WAITING_REQUESTS) {
    this.clock = clock;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The gateway stops. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Fails TOO_MANY_WAITING, SHUTTING_DOWN. */
  enter(waiting: WaitingReply): void {
    if (this.#isClosed) throw new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN);
    const ofViewer = waiting.session?.waiting.size ?? 0;
    if (this.#waiting.size >= this.#maxWaiting || ofViewer >= MAX_WAITING_PER_VIEWER) {
      throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_WAITING);
    }
    this.#waiting.add(waiting);
    waiting.session?.waiting.add(waiting);
  }

  leave(waiting: WaitingReply): void {
    this.#waiting.delete(waiting);
    waiting.session?.waiting.delete(waiting);
  }

  /** Answers everyone with 503, also who would enter later: the gateway stops. */
  dismiss(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) {
      waiting.giveUp(new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
    }
  }
}

export interface WaitingReplyOptions {
  readonly room: WaitingRoom;
  readonly reply: FastifyReply;
  /** null: the viewer has none yet; `deliver` must then look at the access again. */
  readonly session: ViewerSession | null;
  readonly source: Awaited;
  readonly deliver: Deliver;
  /** null: whoever is awaited knows when it has taken too long. */
  readonly maxWaitMs: number | null;
}

/** A response knows the wait it belongs to. */
const WAITING_REPLY = Symbol('waiting reply');

interface WaitingResponse extends ServerResponse {
  [WAITING_REPLY]?: WaitingReply;
}

export class WaitingReply implements Waiter, WaitingRequest {
  readonly reply: FastifyReply;
  readonly session: ViewerSession | null;
  readonly #room: WaitingRoom;
  readonly #source: Awaited;
  readonly #deliver: Deliver;
  #timer: TimerHandle | null = null;
  #isOver = false;

  /** Waits from now on; whoever is awaited has yet to be told. Fails TOO_MANY_WAITING, SHUTTING_DOWN. */
  constructor({ room, reply, session, source, deliver, maxWaitMs }: WaitingReplyOptions) {
    this.reply = reply;
    this.session = session;
    this.#room = room;
    this.#source = source;
    this.#deliver = deliver;
    room.enter(this);
    (reply.raw as WaitingResponse)[WAITING_REPLY] = this;
    reply.raw.on('close', leaveOnClose);
    if (maxWaitMs !== null) {
      this.#timer = room.clock.after(maxWaitMs, () =>
        this.giveUp(new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START)),
      );
    }
  }

  /** Nobody is left to be answered. */
  onClientGone(): void {
    this.#leave();
  }

  onReady(body: LiveBody): void {
    if (!this.#finish()) return;
    try {
      this.#deliver(this, body);
    } catch (thrown) {
      // Whoever hands out the bytes has others to serve: this request's failure is its own.
      sendFailure(this.reply, toGatewayError(thrown));
    }
  }

  onGone(error: GatewayError): void {
    if (this.#finish()) sendFailure(this.reply, error);
  }

  onCutOff(refusal: AccessRefused): void {
    if (this.#leave()) sendRefused(this.reply, refusal, this.#room.clock.epochMs());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the wait from this side, with an answer that `send` makes. */
  endWith(send: (reply: FastifyReply) => void): void {
    if (this.#leave()) send(this.reply);
  }

  /** Ends the wait from this side. */
  giveUp(error: GatewayError): void {
    if (this.#leave()) sendFailure(this.reply, error);
  }

  #leave(): boolean {
    if (!this.#finish()) return false;
    this.#source.cancelWait(this);
    return true;
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#room.leave(this);
    this.reply.raw.off('close', leaveOnClose);
    return true;
  }
}

/** One listener for all responses: a wait costs no closure. */
function leaveOnClose(this: WaitingResponse): void {
  this[WAITING_REPLY]?.onClientGone();
}
