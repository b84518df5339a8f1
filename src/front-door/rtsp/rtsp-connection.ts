/**
 * One client's RTSP connection: requests are answered one after the other, and the media of its view follow them. What a client may
 * send is bounded; nothing that it sends reaches a camera.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { RtspRequest } from '../../rtsp/message.ts';
import { RtspMessageReader, type RtspReaderLimits } from '../../rtsp/message-reader.ts';
import { type PlayStep, ServerSession, type ServerStep } from '../../rtsp/server/server-session.ts';
import type { RtspCarrier } from './rtsp-carrier.ts';
import type { RtspDesk } from './rtsp-desk.ts';
import type { RtspView } from './rtsp-view.ts';

/** A client that sends nothing for this long has left. The Session header says so, and clients send something at half of it. */
export const SESSION_TIMEOUT_SEC = 60;
/** Before it has opened a link, a client has no reason to be silent. */
export const OPENING_TIMEOUT_MS = 15_000;
/** Requests that wait while a link is being opened. */
export const MAX_WAITING_REQUESTS = 16;
/** Clients send a few reports and requests a second. */
export const MAX_BYTES_PER_LOOK = 131_072;
export const MAX_REQUESTS_PER_LOOK = 60;
/** Clients send short requests without bodies. */
const READER_LIMITS: RtspReaderLimits = {
  headBytes: 8_192,
  headerCount: 64,
  bodyBytes: 1_024,
  strayLineEndBytes: 64,
};
const SESSION_ID_BYTES = 12;
const MS_PER_SEC = 1_000;

export interface RtspConnectionOptions {
  readonly desk: RtspDesk;
  readonly carrier: RtspCarrier;
  readonly clock: Clock;
  /** The client opened a link. */
  readonly onOpened: () => void;
}

export class RtspConnection {
  readonly #options: RtspConnectionOptions;
  readonly #session: ServerSession;
  readonly #reader: RtspMessageReader;
  readonly #waiting: RtspRequest[] = [];
  #view: RtspView | null = null;
  #isBusy = false;
  #isOver = false;
  #heardMonoMs: number;
  #bytesSinceLook = 0;
  #requestsSinceLook = 0;

  constructor(options: RtspConnectionOptions) {
    this.#options = options;
    this.#heardMonoMs = options.clock.monoMs();
    this.#session = new ServerSession({
      sessionId: randomBytes(SESSION_ID_BYTES).toString('hex'),
      timeoutSec: SESSION_TIMEOUT_SEC,
      serverPorts: options.carrier.datagrams?.ports ?? null,
    });
    this.#reader = new RtspMessageReader(
      {
        onRequest: (request) => this.#onRequest(request),
        // Nothing is requested of a client, and its reports change nothing.
        onResponse: () => undefined,
        onInterleaved: () => undefined,
      },
      READER_LIMITS,
    );
  }

  /** Borrowed until it returns. */
  received(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#heardMonoMs = this.#options.clock.monoMs();
    this.#bytesSinceLook += chunk.length;
    if (this.#bytesSinceLook > MAX_BYTES_PER_LOOK) {
      this.close();
      return;
    }
    try {
      this.#reader.push(chunk);
    } catch {
      // Its framing is lost: no response could be told apart from media.
      this.close();
    }
  }

  /** Call every second. */
  look(): void {
    this.#bytesSinceLook = 0;
    this.#requestsSinceLook = 0;
    const silentMs = this.#options.clock.monoMs() - this.#heardMonoMs;
    const timeoutMs = this.#view === null ? OPENING_TIMEOUT_MS : SESSION_TIMEOUT_SEC * MS_PER_SEC;
    if (!this.#isBusy && silentMs > timeoutMs) this.close();
  }

  /** Ends it now. */
  close(): void {
    this.lost();
    this.#options.carrier.reset();
  }

  /** The connection is closed. Idempotent. */
  lost(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.stop();
    this.#waiting.length = 0;
    this.#view?.leave();
    this.#view = null;
  }

  #onRequest(request: RtspRequest): void {
    this.#requestsSinceLook++;
    const isTooMuch =
      this.#requestsSinceLook > MAX_REQUESTS_PER_LOOK || this.#waiting.length >= MAX_WAITING_REQUESTS;
    if (isTooMuch) {
      this.close();
      return;
    }
    this.#waiting.push(request);
    if (!this.#isBusy) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      await this.#answer(this.#session.receive(request));
      if (this.#isOver) break;
    }
    this.#isBusy = false;
    this.#heardMonoMs = this.#options.clock.monoMs();
  }

  async #answer(step: ServerStep): Promise<void> {
    if (step.kind === 'present') {
      await this.#answer(await this.#present(step));
    } else if (step.kind === 'play') {
      await this.#play(step);
    } else this.#respond(step);
  }

  async #play({ deliveries, replay: order }: PlayStep): Promise<void> {
    const view = this.#view;
    if (view === null) return;
    if (order === null) {
      const refusal = this.#options.desk.liveRefusal(view);
      await this.#answer(this.#session.played(refusal ?? view.prepare(deliveries)));
      if (refusal === null) view.start();
      return;
    }
    const replay = this.#options.desk.replay(view, order);
    if ('statusCode' in replay) {
      await this.#answer(this.#session.played(replay));
      return;
    }
    await this.#answer(this.#session.played(view.prepare(deliveries, 0)));
    view.startReplay(replay, order.fromMs);
  }

  async #present({ path, request }: Extract<ServerStep, { kind: 'present' }>): Promise<ServerStep> {
    const { desk, carrier, onOpened } = this.#options;
    // It described something else before.
    const hadView = this.#view !== null;
    this.#view?.leave();
    this.#view = null;
    const opened = await desk.open(path, request, carrier, (why) => {
      if (why !== 'left') this.lost();
    });
    if ('statusCode' in opened) {
      const step = this.#session.presented(opened);
      // Nothing bounds connections that have opened a link and watch nothing.
      return hadView && step.kind === 'respond' ? { ...step, isEnd: true } : step;
    }
    if (this.#isOver) opened.leave();
    else this.#view = opened;
    onOpened();
    return this.#session.presented(opened.presentation());
  }

  #respond({ response, isEnd }: Extract<ServerStep, { kind: 'respond' }>): void {
    if (this.#isOver) return;
    this.#options.carrier.send(response);
    if (!isEnd) return;
    this.lost();
    this.#options.carrier.end();
  }
}
