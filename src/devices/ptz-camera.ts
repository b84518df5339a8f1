/**
 * A camera and its moves: one request at a time, the newest move before all others, and an end for each continuous move, because many
 * cameras ignore the time that a move carries. In a cluster, the last move of all nodes decides when that is.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { withDeadline } from '../core/deadline.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { PtzMode, PtzVector } from '../onvif/ptz-messages.ts';
import { MOVE_CALL_MS, type MoveOutcome, type MoveToken } from './camera-moves.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { OnvifPtz } from './onvif/onvif-ptz.ts';

/** A conversation with a camera about its moves. */
export type CameraPtz = Pick<
  OnvifPtz,
  'state' | 'move' | 'stop' | 'gotoPreset' | 'setPreset' | 'removePreset'
>;

/** The time for all requests of one call. The first call of a camera also requests its services, profiles, and mounts. */
const CALL_TIMEOUT_MS = MOVE_CALL_MS;
const CLOSING_TIMEOUT_MS = 2_000;
/** Calls other than moves that wait for their turn. */
const MAX_WAITING = 4;
const STOP_ATTEMPTS = 3;
const STOP_RETRY_MS = 500;
/** Cameras lock accounts after some refused logins. */
const REFUSED_MS = 300_000;

/** CameraMoves, for one camera. */
export interface MovesOfCamera {
  begin(): Promise<MoveToken>;
  beginEnd(move: MoveToken): Promise<boolean>;
  settle(move: MoveToken, outcome: MoveOutcome): Promise<MoveToken>;
}

export interface PtzCameraOptions {
  readonly clock: Clock;
  /** null: no other node moves it. */
  readonly moves: MovesOfCamera | null;
  /** Begins a conversation. One that failed is not continued. */
  readonly open: () => CameraPtz;
  /** The camera may still be moving, until its own time is over. */
  readonly onNotStopped: (error: GatewayError) => void;
}

type Work<T> = (ptz: CameraPtz, signal: AbortSignal) => Promise<T>;

/** A call whose turn it is; it never rejects. */
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
  /** The end of a continuous move; null: none is running. */
  #end: TimerHandle | null = null;
  #isStopDue = false;
  /** The move that is to be ended. */
  #last: MoveToken = null;
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
    return this.#moved(timeoutMs, (ptz, signal) => ptz.move(mode, vector, timeoutMs ?? 0, signal));
  }

  /** The same, for any move. */
  stop(): Promise<void> {
    return this.#moved(null, (ptz, signal) => ptz.stop(signal));
  }

  gotoPreset(presetToken: string): Promise<void> {
    return this.#moved(null, (ptz, signal) => ptz.gotoPreset(presetToken, signal));
  }

  /** Another node began this move, and did not end it in time. */
  endOverdue(move: string): void {
    if (this.#isMoving || this.#isClosed) return;
    this.#last = move;
    this.#stopAttempts = 0;
    this.#isStopDue = true;
    this.#next();
  }

  /** Anything that does not move the camera. Fails like OnvifPtz, and PTZ_BUSY. */
  async ask<T>(work: Work<T>): Promise<T> {
    if (this.#others.length >= MAX_WAITING) throw new GatewayError(DEVICE_ERRORS.PTZ_BUSY);
    return this.#inTurn(work, (waiting) => this.#others.push(waiting));
  }

  /** Resolves when the camera does not move, does not answer, or has a later move of another node. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end?.cancel();
    const wasMoving = this.#isMoving;
    for (const { fail } of [...(this.#move === null ? [] : [this.#move]), ...this.#others.splice(0)]) {
      fail(new GatewayError(DEVICE_ERRORS.PTZ_BUSY));
    }
    this.#move = null;
    const running = this.#running;
    running?.deadline.abort();
    await running?.ended;
    const isMoving = wasMoving || this.#isMoving;
    this.#end?.cancel();
    const { moves, clock, onNotStopped } = this.#options;
    // A running call may have moved it. In a cluster, such a move is known.
    if (!isMoving && (running === null || moves !== null)) return;
    if (moves !== null && !(await moves.beginEnd(this.#last))) return;
    const stop = (signal: AbortSignal): Promise<void> => this.#ptz.stop(signal);
    const isStopped = await withDeadline(clock, CLOSING_TIMEOUT_MS, stop).then(
      () => true,
      (thrown) => {
        if (isMoving) onNotStopped(toGatewayError(thrown));
        return false;
      },
    );
    // Otherwise another node tries it.
    if (isStopped) await moves?.settle(this.#last, { kind: 'ends' });
  }

  get #isMoving(): boolean {
    return this.#end !== null || this.#isStopDue;
  }

  /** `timeoutMs`: null: the move ends automatically, or stops the camera. */
  #moved(timeoutMs: number | null, work: Work<void>): Promise<void> {
    const { moves } = this.#options;
    return this.#newest(async (ptz, signal) => {
      const move = moves === null ? null : await moves.begin();
      try {
        await work(ptz, signal);
      } catch (thrown) {
        if (timeoutMs !== null && mayHaveReached(thrown)) {
          await this.#movesUntil(move, timeoutMs, STOP_ATTEMPTS - 1);
        } else await moves?.settle(move, { kind: 'refused' });
        throw thrown;
      }
      await this.#movesUntil(move, timeoutMs);
    });
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

  /** `timeoutMs`: null: a move that ends automatically, or none. `stopAttempts`: as if so many had failed. */
  async #movesUntil(move: MoveToken, timeoutMs: number | null, stopAttempts = 0): Promise<void> {
    this.#isOver();
    this.#stopAttempts = stopAttempts;
    this.#last = move;
    if (timeoutMs !== null) this.#stopAfter(timeoutMs);
    const { moves } = this.#options;
    if (moves === null) return;
    const outcome =
      timeoutMs === null ? { kind: 'ends' as const } : { kind: 'moves' as const, endsInMs: timeoutMs };
    const known = await moves.settle(move, outcome);
    if (this.#last === move) this.#last = known;
  }

  #isOver(): void {
    this.#end?.cancel();
    this.#end = null;
    this.#isStopDue = false;
    this.#stopAttempts = 0;
    this.#last = null;
  }

  #stopAfter(delayMs: number): void {
    this.#end = this.#options.clock.after(delayMs, () => {
      this.#end = null;
      this.#isStopDue = true;
      this.#next();
    });
  }

  async #endMove(deadline: AbortController): Promise<void> {
    const { moves, onNotStopped } = this.#options;
    const move = this.#last;
    try {
      const isStopped = await this.#call(async (ptz, signal) => {
        // A later move of another node has an end of its own.
        if (moves !== null && !(await moves.beginEnd(move))) return false;
        await ptz.stop(signal);
        return true;
      }, deadline);
      if (isStopped) await this.#movesUntil(move, null);
      this.#isOver();
    } catch (thrown) {
      this.#isStopDue = false;
      this.#stopAttempts += 1;
      const isLeft = this.#stopAttempts >= STOP_ATTEMPTS;
      if (isLeft) this.#isOver();
      else this.#stopAfter(STOP_RETRY_MS);
      await moves?.settle(move, { kind: isLeft ? 'ends' : 'refused' });
      if (isLeft) onNotStopped(toGatewayError(thrown));
    }
  }
}

/** A camera whose answer is lost moves all the same. */
function mayHaveReached(thrown: unknown): boolean {
  const { code } = toGatewayError(thrown);
  return code === ONVIF_ERRORS.ONVIF_UNREACHABLE.code || code === ONVIF_ERRORS.ONVIF_BAD_ANSWER.code;
}
