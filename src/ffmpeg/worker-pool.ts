/**
 * How many ffmpeg processes run at once. A start that finds all slots busy waits in line, first come, first served.
 * The line has a limit, and no start waits in it forever.
 *
 * Some work yields: audio that is separate from video which plays without it. It waits in a line of its own, for as
 * long as it takes, behind everything else; its worker is ended when work that does not yield needs the slot.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { Jail } from './jail.ts';
import { Worker, type WorkerSpec } from './worker.ts';

/** Longest line by default: more would wait longer than a viewer does. */
export const DEFAULT_MAX_WAITING = 64;
/** Waiting costs a few hundred bytes; there is at most one per stream. */
export const MAX_YIELDING_WAITING = 4_096;

export interface WorkerPoolOptions {
  readonly maxWorkers: number;
  readonly maxWaiting?: number;
  /** Longest wait for a slot. */
  readonly waitTimeoutMs: number;
  readonly jail: Jail;
  readonly clock: Clock;
}

interface WaitingStart {
  readonly spec: WorkerSpec;
  readonly resolve: (worker: Worker) => void;
  readonly reject: (error: unknown) => void;
  /** null: waits indefinitely. */
  readonly timer: TimerHandle | null;
  readonly isYielding: boolean;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #maxWaiting: number;
  /** With whether they yield, oldest first. */
  readonly #running = new Map<Worker, boolean>();
  readonly #waiting = new Set<WaitingStart>();
  readonly #yieldingWaiting = new Set<WaitingStart>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING;
  }

  /** Whether workers are allowed at all. */
  get isAllowed(): boolean {
    return this.#options.maxWorkers > 0;
  }

  /** For metrics. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.size, waiting: this.#waiting.size + this.#yieldingWaiting.size };
  }

  /**
   * Starts a worker as soon as there is a slot. The slot is free again when the process is gone. Fails
   * FFMPEG_POOL_FULL if the line is full or the wait is too long, FFMPEG_CLOSED if `signal` aborts the wait or the
   * pool is closed. `signal` has no effect on a worker that has started.
   */
  start(spec: WorkerSpec, signal: AbortSignal): Promise<Worker> {
    if (this.#isClosed || signal.aborted) {
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    return new Promise((resolve, reject) => {
      if (this.#options.maxWorkers === 0) reject(this.#full('none allowed'));
      else if (this.#running.size < this.#options.maxWorkers) this.#launch(spec, false, resolve, reject);
      else if (this.#waiting.size < this.#maxWaiting) {
        this.#enqueue(spec, false, signal, resolve, reject);
        this.#endYielding();
      } else reject(this.#full('too many wait'));
    });
  }

  /**
   * Like `start`, for work that yields: it waits until `signal` aborts, and its worker may be ended to make room.
   * Fails FFMPEG_POOL_FULL if MAX_YIELDING_WAITING starts are waiting, or no worker is allowed at all.
   */
  startYielding(spec: WorkerSpec, signal: AbortSignal): Promise<Worker> {
    if (this.#isClosed || signal.aborted) {
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    return new Promise((resolve, reject) => {
      if (this.#options.maxWorkers === 0) reject(this.#full('none allowed'));
      else if (this.#running.size < this.#options.maxWorkers) this.#launch(spec, true, resolve, reject);
      else if (this.#yieldingWaiting.size < MAX_YIELDING_WAITING)
        this.#enqueue(spec, true, signal, resolve, reject);
      else reject(this.#full('too many wait'));
    });
  }

  /** Ends all workers and refuses waiting starts; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of [...this.#waiting, ...this.#yieldingWaiting]) {
      this.#leaveLine(waiting);
      waiting.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    await Promise.all(Array.from(this.#running.keys(), (worker) => worker.kill()));
  }

  #enqueue(
    spec: WorkerSpec,
    isYielding: boolean,
    signal: AbortSignal,
    resolve: (worker: Worker) => void,
    reject: (error: unknown) => void,
  ): void {
    const refuse = (error: GatewayError): void => {
      this.#leaveLine(waiting);
      reject(error);
    };
    const waiting: WaitingStart = {
      spec,
      resolve,
      reject,
      signal,
      isYielding,
      timer: isYielding
        ? null
        : this.#options.clock.after(this.#options.waitTimeoutMs, () => refuse(this.#full('waited too long'))),
      onAbort: () => refuse(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED)),
    };
    signal.addEventListener('abort', waiting.onAbort, { once: true });
    (isYielding ? this.#yieldingWaiting : this.#waiting).add(waiting);
  }

  /** One worker that yields makes room for each start that does not; the newest first, and none twice. */
  #endYielding(): void {
    const yielding = Array.from(this.#running)
      .filter(([, isYielding]) => isYielding)
      .map(([worker]) => worker);
    const ending = yielding.filter((worker) => worker.isEnding).length;
    if (ending < this.#waiting.size) void yielding.findLast((worker) => !worker.isEnding)?.kill();
  }

  #leaveLine(waiting: WaitingStart): void {
    (waiting.isYielding ? this.#yieldingWaiting : this.#waiting).delete(waiting);
    waiting.timer?.cancel();
    waiting.signal.removeEventListener('abort', waiting.onAbort);
  }

  #launch(
    spec: WorkerSpec,
    isYielding: boolean,
    resolve: (worker: Worker) => void,
    reject: (error: unknown) => void,
  ): void {
    let worker: Worker;
    try {
      worker = new Worker(spec, this.#options.jail, this.#options.clock);
    } catch (error) {
      reject(error);
      return;
    }
    this.#running.set(worker, isYielding);
    void worker.exited.then(() => {
      this.#running.delete(worker);
      this.#admit();
    });
    resolve(worker);
  }

  #admit(): void {
    while (!this.#isClosed && this.#running.size < this.#options.maxWorkers) {
      const [first] = this.#waiting.size > 0 ? this.#waiting : this.#yieldingWaiting;
      if (first === undefined) return;
      this.#leaveLine(first);
      this.#launch(first.spec, first.isYielding, first.resolve, first.reject);
    }
  }

  #full(reason: string): GatewayError {
    const { maxWorkers, waitTimeoutMs } = this.#options;
    const retryAfterSec = Math.max(1, Math.ceil(waitTimeoutMs / 1_000));
    return new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, { reason, maxWorkers, retryAfterSec });
  }
}
