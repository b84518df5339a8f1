/** A log line at most once a second, with the count of those left out: strangers cannot fill the log. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';

const INTERVAL_MS = 1_000;

export class CountedLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #nextMonoMs = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  warn(fields: object, message: string): void {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs < this.#nextMonoMs) {
      this.#leftOut++;
      return;
    }
    this.#log.warn({ ...fields, leftOut: this.#leftOut }, message);
    this.#leftOut = 0;
    this.#nextMonoMs = nowMonoMs + INTERVAL_MS;
  }
}
