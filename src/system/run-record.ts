/**
 * Records in the store that the gateway is running, now and then and when it ends. So in a time without any record, the gateway did not
 * watch the cameras, also after a crash.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { GatewayRun } from '../store/gateway-run.ts';
import type { Store } from '../store/store.ts';

export const RECORD_INTERVAL_MS = 30_000;
/** A longer pause between two records is one in which the machine was suspended, or its clock was set. */
const MAX_PAUSE_MS = 4 * RECORD_INTERVAL_MS;

export interface RunRecordOptions {
  readonly store: Pick<Store, 'gatewayRuns'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class RunRecord {
  readonly #options: RunRecordOptions;
  #run: GatewayRun;
  #timer: TimerHandle | null = null;
  #isFailing = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: RunRecordOptions) {
    this.#options = options;
    this.#run = newRun(options.clock.epochMs());
    this.#record();
  }

  /** Resolves when the end is recorded, or failed to be. */
  close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#work = this.#work.then(() => this.#note());
    return this.#work;
  }

  #record(): void {
    this.#timer = this.#options.clock.after(RECORD_INTERVAL_MS, () => this.#record());
    this.#work = this.#work.then(() => this.#note());
  }

  async #note(): Promise<void> {
    const { store, clock, log } = this.#options;
    const nowMs = clock.epochMs();
    const isNext = nowMs - this.#run.lastSeenAtMs > MAX_PAUSE_MS || nowMs < this.#run.startedAtMs;
    this.#run = isNext ? newRun(nowMs) : { ...this.#run, lastSeenAtMs: nowMs };
    try {
      await store.gatewayRuns.note(this.#run);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) log.warn({ err: toGatewayError(thrown) }, 'run of the gateway not recorded');
      this.#isFailing = true;
    }
  }
}

function newRun(nowMs: number): GatewayRun {
  return { uuid: newRuuid(), startedAtMs: nowMs, lastSeenAtMs: nowMs };
}
