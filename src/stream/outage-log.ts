/** The lines about attempts that failed. A camera that is away is looked for often, and mentioned now and then. */

import type { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isAbsent } from './source/retry-pause.ts';

/** A camera that stays away is reported this often; attempts in between are debug lines. */
const REPORT_INTERVAL_MS = 30_000;

export class OutageLog {
  #code = '';
  /** Instances that had streamed at the last report: another one has streamed since then if it grew. */
  #instances = 0;
  #reportMonoMs = Number.NEGATIVE_INFINITY;

  /** `instances`: that have streamed so far. */
  write(log: Log, err: GatewayError, retryInMs: number, instances: number, nowMonoMs: number): void {
    const isRepeated = err.code === this.#code && instances === this.#instances;
    if (isRepeated && isAbsent(err) && nowMonoMs - this.#reportMonoMs < REPORT_INTERVAL_MS) {
      log.debug({ err, retryInMs }, 'camera offline');
      return;
    }
    this.#code = err.code;
    this.#instances = instances;
    this.#reportMonoMs = nowMonoMs;
    log.warn({ err, retryInMs }, 'camera offline');
  }
}
