/** A request that waits for a playlist or for media, and is answered without Node's HTTP server. As WaitingReply. */

import type { Gone, PlainExchange } from '../../connections/plain-connection.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { LiveBody, LiveRendition, Waiter } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import {
  failureResponse,
  type RefusalResponse,
  refusalResponse,
  refusedResponse,
} from './refusal-response.ts';
import type { RoomGuest, WaitingRoom } from './waiting-reply.ts';

export interface WaitingExchangeOptions {
  readonly room: WaitingRoom;
  readonly session: ViewerSession;
  readonly source: LiveRendition;
  readonly exchange: PlainExchange;
  readonly isGzip: boolean;
  readonly keepAliveMs: number;
  readonly live: Delivery;
}

export interface Delivery {
  /** False: the viewer has too much in transit, and nothing was sent. */
  deliver(exchange: PlainExchange, session: ViewerSession, body: LiveBody, isGzip: boolean): boolean;
}

export class WaitingExchange implements Waiter, RoomGuest, Gone {
  readonly #options: WaitingExchangeOptions;
  #isOver = false;

  /** Waits from now on; the caller must still register with the producer. Fails as WaitingRoom.enter. */
  constructor(options: WaitingExchangeOptions) {
    this.#options = options;
    options.room.enter(this);
    options.exchange.onGone = this;
  }

  get session(): ViewerSession {
    return this.#options.session;
  }

  onClientGone(): void {
    this.#leave();
  }

  onReady(body: LiveBody): void {
    if (!this.#finish()) return;
    const { live, exchange, session, isGzip } = this.#options;
    try {
      if (live.deliver(exchange, session, body, isGzip)) return;
      this.#fail(new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
    } catch (thrown) {
      // The code that hands out the bytes has others to serve: a failure of this request stays here.
      this.#fail(toGatewayError(thrown));
    }
  }

  onGone(error: GatewayError): void {
    if (this.#finish()) this.#fail(error);
  }

  onCutOff(refusal: AccessRefused): void {
    if (this.#leave()) this.#refuse(refusedResponse(refusal, this.#options.room.clock.epochMs()));
  }

  giveUp(error: GatewayError): void {
    if (this.#leave()) this.#fail(error);
  }

  #fail(error: GatewayError): void {
    this.#refuse(failureResponse(error));
  }

  #refuse(response: RefusalResponse): void {
    const { exchange, keepAliveMs } = this.#options;
    exchange.send(refusalResponse(response, exchange.isLast ? null : keepAliveMs), null, null);
  }

  #leave(): boolean {
    if (!this.#finish()) return false;
    this.#options.source.cancelWait(this);
    return true;
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#options.exchange.onGone = null;
    this.#options.room.leave(this);
    return true;
  }
}
