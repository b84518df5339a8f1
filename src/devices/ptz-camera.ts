/**
 * One camera that is moved: one request at a time, the newest move before everything else, and an end for each
 * continuous move, because many cameras ignore the time that a move carries.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { PtzMode, PtzVector } from '../onvif/ptz-messages.ts';
import type { OnvifPtz } from '../sources/onvif/onvif-ptz.ts';
import { DEVICE_ERRORS } from './errors.ts';

/** A conversation with a camera about its moves. */
export type CameraPtz = Pick<
  OnvifPtz,
  'state' | 'move' | 'stop' | 'gotoPreset' | 'setPreset' | 'removePreset'
>;

/** For all requests of one call. The first one of a camera asks for its services, profiles and mounts, too. */
const CALL_TIMEOUT_MS = 8_000;
const CLOSING_TIMEOUT_MS = 2_000;
/** Calls other than moves that wait for their turn. */
const MAX_WAITING = 4;
const STOP_ATTEMPTS = 3;
const STOP_RETRY_MS = 500;
/** Cameras lock accounts after some refused logins. */
const REFUSED_MS = 300_000;

export interface PtzCameraOptions {
  readonly clock: Clock;
  /** Begins a conversation. One that failed is not continued. */
  readonly open: () => CameraPtz;
  /** The camera may still be moving, until its own time is over. */
  readonly onNotStopped: (error: GatewayError) => void;
}

type Work<T> = (ptz: CameraPtz, signal: AbortSignal) => Promise<T>;

/** What has its turn; it never rejects. */
type Turn = (deadline: AbortController) => Promise<void>;

interface Waiting {
  readonly run: Turn;
  readonly fail: (error: GatewayError) => void;
}

export class PtzCamera {
  readonly #options: PtzCameraOptions;
  #ptz: CameraPtz;
  #running: { readonly deadline: AbortController; readonly ended: Promise<void> } | null = null;
  #move: Waiting | null = null;
  readonly #others: Waiting[] = [];
  /** Until when a continuous move goes on; null: none does. */
  #end: TimerHandle | null = null;
  #isStopDue = false;
  #stopAttempts = 0;
  #refusedUntilMonoMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: PtzCameraOptions) {
    this.#options = options;
    this.#ptz = options.open();
  }

  /** Nothing of it is under way. */
  get isIdle(): boolean {
    return this.#running === null && !this.#isMoving;
  }

  /** Replaces a move that waits. `timeoutMs`: null unless CONTINUOUS. Fails like OnvifPtz, and PTZ_MOVE_REPLACED. */
  move(mode: PtzMode, vector: PtzVector, timeoutMs: number | null): Promise<void> {
    return this.#newest(async (ptz, signal) => {
      try {
        await ptz.move(mode, vector, timeoutMs ?? 0, signal);
      } catch (thrown) {
        if (timeoutMs !== null && mayHaveReached(thrown)) this.#movesUntil(timeoutMs, STOP_ATTEMPTS - 1);
        throw thrown;
      }
      this.#movesUntil(timeoutMs);
    });
  }

  /** The same, for any move. */
  stop(): Promise<void> {
    return this.#newest(async (ptz, signal) => {
      await ptz.stop(signal);
      this.#movesUntil(null);
    });
  }

  gotoPreset(presetToken: string): Promise<void> {
    return this.#newest(async (ptz, signal) => {
      await ptz.gotoPreset(presetToken, signal);
      this.#movesUntil(null);
    });
  }

  /** Anything that does not move the camera. Fails like OnvifPtz, and PTZ_BUSY. */
  async ask<T>(work: Work<T>): Promise<T> {
    if (this.#others.length >= MAX_WAITING) throw new GatewayError(DEVICE_ERRORS.PTZ_BUSY);
    return this.#inTurn(work, (waiting) => this.#others.push(waiting));
  }

  /** Resolves when the camera stands still, or does not answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end?.cancel();
    const isMoving = this.#isMoving;
    for (const { fail } of [...(this.#move === null ? [] : [this.#move]), ...this.#others.splice(0)]) {
      fail(new GatewayError(DEVICE_ERRORS.PTZ_BUSY));
    }
    this.#move = null;
    const running = this.#running;
    running?.deadline.abort();
    await running?.ended;
    if (!isMoving && running === null) return;
    const deadline = new AbortController();
    const timer = this.#options.clock.after(CLOSING_TIMEOUT_MS, () => deadline.abort());
    await this.#ptz.stop(deadline.signal).catch((thrown) => {
      if (isMoving) this.#options.onNotStopped(toGatewayError(thrown));
    });
    timer.cancel();
  }

  get #isMoving(): boolean {
    return this.#end !== null || this.#isStopDue;
  }

  #newest(work: Work<void>): Promise<void> {
    this.#move?.fail(new GatewayError(DEVICE_ERRORS.PTZ_MOVE_REPLACED));
    return this.#inTurn(work, (waiting) => {
      this.#move = waiting;
    });
  }

  #inTurn<T>(work: Work<T>, enqueue: (waiting: Waiting) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const run: Turn = (deadline) => this.#call(work, deadline).then(resolve, reject);
    enqueue({ run, fail: reject });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#running !== null || this.#isClosed) return;
    const turn = this.#takeNext();
    if (turn === null) return;
    const deadline = new AbortController();
    const ended = turn(deadline).then(() => {
      this.#running = null;
      this.#next();
    });
    this.#running = { deadline, ended };
  }

  #takeNext(): Turn | null {
    const move = this.#move;
    this.#move = null;
    if (move !== null) return move.run;
    if (this.#isStopDue) return (deadline) => this.#endMove(deadline);
    return this.#others.shift()?.run ?? null;
  }

  async #call<T>(work: Work<T>, deadline: AbortController): Promise<T> {
    const { clock, open } = this.#options;
    if (clock.monoMs() < this.#refusedUntilMonoMs) {
      throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED);
    }
    const timer = clock.after(CALL_TIMEOUT_MS, () => deadline.abort());
    try {
      return await work(this.#ptz, deadline.signal);
    } catch (thrown) {
      const { code, kind } = toGatewayError(thrown);
      if (code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code) {
        this.#refusedUntilMonoMs = clock.monoMs() + REFUSED_MS;
      }
      // It may have restarted, with its services elsewhere.
      if (kind === 'peer-protocol') this.#ptz = open();
      throw thrown;
    } finally {
      timer.cancel();
    }
  }

  /** `timeoutMs`: null: a move that ends by itself, or none. `stopAttempts`: as if so many had failed. */
  #movesUntil(timeoutMs: number | null, stopAttempts = 0): void {
    this.#end?.cancel();
    this.#end = null;
    this.#isStopDue = false;
    this.#stopAttempts = stopAttempts;
    if (timeoutMs !== null) this.#stopAfter(timeoutMs);
  }

  #stopAfter(delayMs: number): void {
    this.#end = this.#options.clock.after(delayMs, () => {
      this.#end = null;
      this.#isStopDue = true;
      this.#next();
    });
  }

  async #endMove(deadline: AbortController): Promise<void> {
    try {
      await this.#call((ptz, signal) => ptz.stop(signal), deadline);
      this.#movesUntil(null);
    } catch (thrown) {
      this.#isStopDue = false;
      this.#stopAttempts += 1;
      if (this.#stopAttempts < STOP_ATTEMPTS) {
        this.#stopAfter(STOP_RETRY_MS);
        return;
      }
      this.#movesUntil(null);
      this.#options.onNotStopped(toGatewayError(thrown));
    }
  }
}

/** A camera whose answer is lost moves all the same. */
function mayHaveReached(thrown: unknown): boolean {
  const { code } = toGatewayError(thrown);
  return code === ONVIF_ERRORS.ONVIF_UNREACHABLE.code || code === ONVIF_ERRORS.ONVIF_BAD_ANSWER.code;
}
