/**
 * Starts the thread of uploads (spool-worker.ts) when it is needed. One that fails is started again with a later call, after a pause
 * that grows if it keeps failing; calls fail until then.
 */

import { Backoff } from '../core/backoff.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { type MessageThread, spawnMessageThread, type ThreadEvents } from '../threads/spawn-thread.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type {
  Spool,
  SpoolAnswer,
  SpoolCall,
  SpoolRequest,
  SpoolResults,
  SpoolWorkerData,
} from './spool-protocol.ts';

type SpoolPort = MessageThread<SpoolRequest>;

export interface SpoolThreadOptions {
  readonly launch: (events: ThreadEvents<SpoolAnswer>) => SpoolPort;
  readonly clock: Clock;
  readonly log: Log;
}

/** As for the recorder. */
const FIRST_RESTART_MS = 250;
const MAX_RESTART_MS = 10_000;

export class SpoolThread implements Spool {
  readonly #options: SpoolThreadOptions;
  readonly #calls = new PendingCalls<SpoolResults[keyof SpoolResults]>();
  readonly #backoff = new Backoff({ firstMs: FIRST_RESTART_MS, lastMs: MAX_RESTART_MS });
  /** Until then, no thread is started. */
  #restartMonoMs = Number.NEGATIVE_INFINITY;
  #worker: SpoolPort | null = null;
  #isClosed = false;

  constructor(options: SpoolThreadOptions) {
    this.#options = options;
  }

  call<Call extends SpoolCall>(call: Call): Promise<SpoolResults[Call['name']]> {
    if (this.#isClosed) return Promise.reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {}));
    if (this.#worker === null && this.#options.clock.monoMs() < this.#restartMonoMs) {
      return Promise.reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}));
    }
    this.#worker ??= this.#launch();
    const worker = this.#worker;
    const { id, result } = this.#calls.add();
    worker.post({ id, call }, call.name === 'append' ? [call.bytes.buffer as ArrayBuffer] : []);
    return result as Promise<SpoolResults[Call['name']]>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #launch(): SpoolPort {
    const { launch, clock } = this.#options;
    this.#backoff.started(clock.monoMs());
    const worker: SpoolPort = launch({
      onNotice: (answer) => this.#answered(answer),
      onEnd: (cause) => this.#ended(worker, cause),
    });
    return worker;
  }

  #answered(answer: SpoolAnswer): void {
    if ('value' in answer) this.#calls.resolve(answer.id, answer.value);
    else this.#calls.fail(answer.id, answer.failure);
  }

  #ended(worker: SpoolPort, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const { clock, log } = this.#options;
    const err = new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}, cause);
    if (!this.#isClosed) {
      const retryMs = this.#pauseMs(clock.monoMs());
      this.#restartMonoMs = clock.monoMs() + retryMs;
      log.error({ err, retryMs }, 'uploads thread failed');
    }
    this.#calls.rejectAll(() => err);
  }

  /** None after the first failure, so that what cleans up after it is not refused. */
  #pauseMs(nowMonoMs: number): number {
    const pauseMs = this.#backoff.ended(nowMonoMs);
    return pauseMs === FIRST_RESTART_MS ? 0 : pauseMs;
  }
}

/** The thread of uploads, with its files in a folder. It does not keep the process alive. */
export function spoolPort(data: SpoolWorkerData): SpoolThreadOptions['launch'] {
  const module = new URL('./spool-worker.ts', import.meta.url);
  return (events) => spawnMessageThread({ name: 'sluice-uploads', module, data, isDaemon: true }, events);
}
