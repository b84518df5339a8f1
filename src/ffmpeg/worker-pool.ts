/**
 * How many ffmpeg processes there are at once. Who comes when all are busy waits in line, first come first served;
 * the line has an end, and nobody waits in it for ever.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { Jail } from './jail.ts';
import { Worker, type WorkerSpec } from './worker.ts';

/** Longest line by default: more would wait longer than a viewer does. */
export const DEFAULT_MAX_WAITING = 64;

export interface WorkerPoolOptions {
  readonly maxWorkers: number;
  readonly maxWaiting?: number;
  /** Longest wait for a place. */
  readonly waitTimeoutMs: number;
  readonly jail: Jail;
  readonly clock: Clock;
}

interface WaitingStart {
  readonly spec: WorkerSpec;
  readonly resolve: (worker: Worker) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: TimerHandle;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #maxWaiting: number;
  readonly #running = new Set<Worker>();
  readonly #waiting = new Set<WaitingStart>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING;
  }

  /** For metrics. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.size, waiting: this.#waiting.size };
  }

  /**
   * Starts a worker as soon as there is a place. The place is free again when the process is gone. Fails
   * FFMPEG_POOL_FULL when the line is full or the wait too long, FFMPEG_CLOSED when `signal` aborts the wait or the
   * pool is closed. `signal` has no effect on a worker that has started.
   */
  start(spec: WorkerSpec, signal: AbortSignal): Promise<Worker> {
    if (this.#isClosed || signal.aborted) {
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    return new Promise((resolve, reject) => {
      if (this.#options.maxWorkers === 0) reject(this.#full('none allowed'));
      else if (this.#running.size < this.#options.maxWorkers) this.#launch(spec, resolve, reject);
      else if (this.#waiting.size < this.#maxWaiting) this.#enqueue(spec, signal, resolve, reject);
      else reject(this.#full('too many wait'));
    });
  }

  /** Ends all workers and refuses who waits; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting) {
      this.#leaveLine(waiting);
      waiting.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    await Promise.all(Array.from(this.#running, (worker) => worker.kill()));
  }

  #enqueue(
    spec: WorkerSpec,
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
      timer: this.#options.clock.after(this.#options.waitTimeoutMs, () =>
        refuse(this.#full('waited too long')),
      ),
      onAbort: () => refuse(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED)),
    };
    signal.addEventListener('abort', waiting.onAbort, { once: true });
    this.#waiting.add(waiting);
  }

  #leaveLine(waiting: WaitingStart): void {
    this.#waiting.delete(waiting);
    waiting.timer.cancel();
    waiting.signal.removeEventListener('abort', waiting.onAbort);
  }

  #launch(spec: WorkerSpec, resolve: (worker: Worker) => void, reject: (error: unknown) => void): void {
    let worker: Worker;
    try {
      worker = new Worker(spec, this.#options.jail, this.#options.clock);
    } catch (error) {
      reject(error);
      return;
    }
    this.#running.add(worker);
    void worker.exited.then(() => {
      this.#running.delete(worker);
      this.#admit();
    });
    resolve(worker);
  }

  #admit(): void {
    while (!this.#isClosed && this.#running.size < this.#options.maxWorkers) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      this.#leaveLine(first);
      this.#launch(first.spec, first.resolve, first.reject);
    }
  }

  #full(reason: string): GatewayError {
    const { maxWorkers, waitTimeoutMs } = this.#options;
    const retryAfterSec = Math.max(1, Math.ceil(waitTimeoutMs / 1_000));
    return new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, { reason, maxWorkers, retryAfterSec });
  }
}
