/** Threads of one kind: starts them, ends those that hang, and replaces those that end. */

import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Backoff } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { whenEnded } from './spawn-thread.ts';

/** Pauses before a thread that ended is replaced: they double until one lives for a while. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 10_000;
const WATCH_MS = 1_000;
/** A thread that has not started by then hangs. It is not heard meanwhile: a machine under load takes long to load its modules. */
const START_MS = 60_000;
/**
 * Of this time, requests get three seconds. Data that a thread has not written by then remains unfinished until the next
 * start.
 */
const CLOSE_MS = 5_000;

/** One of them, as the code knows it that made it. */
export interface GroupThread<Started> {
  readonly worker: Worker;
  /** Resolves when it does its work. */
  start(): Promise<Started>;
  /** Finishes its work. */
  close(): Promise<void>;
  /** Since it was last heard. */
  readonly silentMs: number;
  /** It could not be heard. */
  forgive(): void;
  /** It has ended. Called once. */
  onEnded(error: GatewayError): void;
}

export interface ThreadGroupOptions<Thread> {
  /** Name in the log: `viewer thread`, `API`. */
  readonly kind: string;
  /** The error with which a thread that ends fails. */
  readonly failure: ErrorDefinition;
  /** A thread that is silent for so long hangs. Infinity: none does. */
  readonly maxSilenceMs: number;
  /** The first pause before a thread that ended is replaced. Default: FIRST_RESTART_MS. */
  readonly firstRestartMs?: number;
  /** Runs before a thread that ended is replaced; if it fails, it is tried again after the next pause. */
  readonly beforeRestart?: () => Promise<void>;
  /** The thread with this index, for the first time or again. */
  readonly spawn: (index: number) => Thread;
  /** It started again. */
  readonly onReplaced?: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A thread that has not ended. */
interface Running<Thread> {
  readonly thread: Thread;
  readonly ended: Promise<never>;
  readonly spawnedMonoMs: number;
  /** Whether it does its work. */
  isStarted: boolean;
}

export class ThreadGroup<Started, Thread extends GroupThread<Started>> {
  readonly #options: ThreadGroupOptions<Thread>;
  readonly #running: (Running<Thread> | null)[] = [];
  readonly #backoffs: Backoff[] = [];
  readonly #restarts = new Set<TimerHandle>();
  #starts = 0;
  #watch: TimerHandle | null = null;
  #isClosing = false;

  constructor(options: ThreadGroupOptions<Thread>) {
    this.#options = options;
  }

  /** Those that have not ended. */
  get threads(): readonly Thread[] {
    return this.#running.flatMap((running) => running?.thread ?? []);
  }

  /** Threads started so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Starts the thread with this index; the next ones are watched, too. Fails as its start does, or with `failure`. */
  async start(index: number): Promise<Started> {
    const started = await this.#launch(index);
    if (Number.isFinite(this.#options.maxSilenceMs)) this.#watch ??= this.#watchLater();
    return started;
  }

  /** Lets the thread load its module before its start. */
  prepare(index: number): void {
    this.#running[index] ??= this.#spawn(index);
  }

  /** Each thread finishes its work, and ends. */
  async close(): Promise<void> {
    const { clock, log, kind } = this.#options;
    this.#isClosing = true;
    this.#watch?.cancel();
    for (const restart of this.#restarts) restart.cancel();
    const ends = this.threads.map(async (thread) => {
      const exited = once(thread.worker, 'exit');
      const timer = clock.after(CLOSE_MS, () => {
        log.error({ afterMs: CLOSE_MS }, `${kind} shutdown timed out`);
        void thread.worker.terminate();
      });
      await Promise.race([thread.close().catch(() => undefined), exited]);
      timer.cancel();
      await thread.worker.terminate();
      await exited;
    });
    await Promise.all(ends);
  }

  /** Terminates a thread that fails before it does its work. */
  async #launch(index: number): Promise<Started> {
    const running = this.#running[index] ?? this.#spawn(index);
    this.#running[index] = running;
    try {
      const started = await Promise.race([running.thread.start(), running.ended]);
      running.isStarted = true;
      running.thread.forgive();
      this.#backoffOf(index).started(this.#options.clock.monoMs());
      running.ended.catch((error) => this.#onFailure(index, error));
      return started;
    } catch (error) {
      this.#running[index] = null;
      await running.thread.worker.terminate();
      throw error;
    }
  }

  #spawn(index: number): Running<Thread> {
    const { spawn, failure, clock } = this.#options;
    const thread = spawn(index);
    this.#starts++;
    const spawnedMonoMs = clock.monoMs();
    const ended = new Promise<never>((_resolve, reject) => {
      whenEnded(thread.worker, (cause, exitCode) => {
        const error = new GatewayError(failure, { exitCode }, cause);
        thread.onEnded(error);
        if (this.#running[index] === running) this.#running[index] = null;
        reject(error);
      });
    });
    // The code that launches it gets the error.
    ended.catch(() => undefined);
    const running: Running<Thread> = { thread, ended, spawnedMonoMs, isStarted: false };
    return running;
  }

  #backoffOf(index: number): Backoff {
    const { firstRestartMs = FIRST_RESTART_MS } = this.#options;
    this.#backoffs[index] ??= new Backoff({ firstMs: firstRestartMs, lastMs: MAX_RESTART_MS });
    return this.#backoffs[index];
  }

  #onFailure(index: number, error: unknown): void {
    if (this.#isClosing) return;
    const { clock, log, kind } = this.#options;
    const retryMs = this.#backoffOf(index).ended(clock.monoMs());
    log.error({ thread: index + 1, err: toGatewayError(error), retryMs }, `${kind} failed, restarting`);
    const restart = clock.after(retryMs, () => {
      this.#restarts.delete(restart);
      this.#relaunch(index).catch((thrown) => this.#onFailure(index, thrown));
    });
    this.#restarts.add(restart);
  }

  async #relaunch(index: number): Promise<void> {
    const { beforeRestart, onReplaced } = this.#options;
    await beforeRestart?.();
    if (this.#isClosing) return;
    await this.#launch(index);
    onReplaced?.();
  }

  #watchLater(): TimerHandle {
    const { clock } = this.#options;
    const dueMonoMs = clock.monoMs() + WATCH_MS;
    return clock.after(WATCH_MS, () => {
      // This thread was held up, or the machine slept: the others had no chance to be heard.
      const isLate = clock.monoMs() - dueMonoMs > WATCH_MS;
      for (const [index, running] of this.#running.entries()) {
        if (running === null || running === undefined) continue;
        if (isLate) running.thread.forgive();
        else this.#endIfItHangs(index, running);
      }
      this.#watch = this.#watchLater();
    });
  }

  #endIfItHangs(index: number, { thread, spawnedMonoMs, isStarted }: Running<Thread>): void {
    const { clock, log, kind, maxSilenceMs } = this.#options;
    const afterMs = isStarted ? maxSilenceMs : START_MS;
    const silentMs = isStarted ? thread.silentMs : clock.monoMs() - spawnedMonoMs;
    if (silentMs <= afterMs) return;
    log.error({ thread: index + 1, afterMs }, isStarted ? `${kind} hangs` : `${kind} does not start`);
    void thread.worker.terminate();
  }
}
