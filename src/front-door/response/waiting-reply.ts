/**
 * Requests that get their response later: when the bytes exist, when they will not arrive, when the viewer is cut off,
 * or never if the viewer left.
 */

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { Pool } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { ViewerSession, WaitingRequest } from '../../sharing/viewer-session.ts';
import type { LiveBody, LiveState, Waiter } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { sendFailure, sendRefused } from './refusal-response.ts';
import { viewerHolders } from './viewer-holders.ts';

/** The producer of the bytes that a request waits for. */
interface Awaited {
  /** Only if the producer is a camera. */
  status?(): LiveState;
  cancelWait(waiter: Waiter): void;
}

/** Sends the bytes. Shared by all requests of a kind. */
export type Deliver = (waiting: WaitingReply, body: LiveBody) => void;

/** A waiting request, as the room sees it. */
export interface RoomGuest extends WaitingRequest {
  /** null: the viewer has none yet. */
  readonly session: ViewerSession | null;
  /** Ends the wait. */
  giveUp(error: GatewayError): void;
}

const STRANGERS = 'strangers';

/** All waiting requests. */
export class WaitingRoom {
  /** Each with what gives its place back. */
  readonly #waiting = new Map<RoomGuest, () => void>();
  readonly #places: Pool<typeof LIMITS.waitingRequests>;
  #isClosed = false;
  #strangers = 0;
  readonly clock: Clock;

  /** `places`: default: the limit of the registry. */
  constructor(clock: Clock, places?: number) {
    this.clock = clock;
    this.#places = new Pool(LIMITS.waitingRequests, places);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The gateway is stopping. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Fails with TOO_MANY_WAITING or SHUTTING_DOWN. */
  enter(waiting: RoomGuest): void {
    if (this.#isClosed) throw new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN);
    const { session } = waiting;
    const place = this.#places.take(session === null ? this.#stranger() : viewerHolders(session));
    if (!place.isTaken) throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_WAITING, { boundOf: place.level });
    this.#waiting.set(waiting, place.giveBack);
    waiting.session?.waiting.add(waiting);
  }

  /** Someone without a session; together, they have what one organization may have. */
  #stranger(): ReturnType<typeof viewerHolders> {
    this.#strangers += 1;
    return { organization: STRANGERS, link: STRANGERS, viewer: `${STRANGERS} ${this.#strangers}` };
  }

  leave(waiting: RoomGuest): void {
    this.#waiting.get(waiting)?.();
    this.#waiting.delete(waiting);
    waiting.session?.waiting.delete(waiting);
  }

  /** Sends 503 to all waiting requests, and to any that enter later: the gateway is stopping. */
  dismiss(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.keys()) {
      waiting.giveUp(new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
    }
  }
}

export interface WaitingReplyOptions {
  readonly room: WaitingRoom;
  readonly reply: FastifyReply;
  /** null: the viewer has no session yet; `deliver` must then check the access again. */
  readonly session: ViewerSession | null;
  readonly source: Awaited;
  readonly deliver: Deliver;
  /** null: the producer itself knows when it has taken too long. */
  readonly maxWaitMs: number | null;
}

/** Links a response to its wait. */
const WAITING_REPLY = Symbol('waiting reply');

interface WaitingResponse extends ServerResponse {
  [WAITING_REPLY]?: WaitingReply;
}

export class WaitingReply implements Waiter, RoomGuest {
  readonly reply: FastifyReply;
  readonly session: ViewerSession | null;
  readonly #room: WaitingRoom;
  readonly #source: Awaited;
  readonly #deliver: Deliver;
  #timer: TimerHandle | null = null;
  #isOver = false;

  /**
   * Waits from now on; the caller must still register with the producer. Fails with TOO_MANY_WAITING or SHUTTING_DOWN.
   */
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
      this.#timer = room.clock.after(maxWaitMs, () => this.giveUp(slowStartError(source.status?.())));
    }
  }

  /** The client has left. */
  onClientGone(): void {
    this.#leave();
  }

  onReady(body: LiveBody): void {
    if (!this.#finish()) return;
    try {
      this.#deliver(this, body);
    } catch (thrown) {
      // The code that hands out the bytes has others to serve: a failure of this request stays here.
      this.#fail(toGatewayError(thrown));
    }
  }

  onGone(error: GatewayError): void {
    if (this.#finish()) this.#fail(error);
  }

  onCutOff(refusal: AccessRefused): void {
    if (!this.#leave()) return;
    if (this.reply.raw.headersSent) this.reply.raw.destroy();
    else sendRefused(this.reply, refusal, this.#room.clock.epochMs());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the wait from this side, with a response that `send` makes. */
  endWith(send: (reply: FastifyReply) => void): void {
    if (this.#leave()) send(this.reply);
  }

  /** Ends the wait from this side. */
  giveUp(error: GatewayError): void {
    if (this.#leave()) this.#fail(error);
  }

  /** A response that has begun can only be broken off: its client must not take it for complete. */
  #fail(error: GatewayError): void {
    if (this.reply.raw.headersSent) this.reply.raw.destroy();
    else sendFailure(this.reply, error);
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

/** One listener for all responses, so that a wait costs no closure. */
function leaveOnClose(this: WaitingResponse): void {
  this[WAITING_REPLY]?.onClientGone();
}

/** The camera may be slow, or not opened yet: it waits for a worker. */
function slowStartError(state: LiveState | undefined): GatewayError {
  if (state?.state !== 'starting' || state.waiting === undefined) {
    return new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START);
  }
  return new GatewayError(FRONT_DOOR_ERRORS.NO_WORKER, { ...state.waiting });
}
