/** Lines about a bad camera, merged: failed attempts and dropped frames cost one line now and then. */

import type { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isAbsent } from './source/retry-pause.ts';
import { JOINING_CODE } from './source/source-events.ts';

/** A camera that stays offline is reported this often; attempts in between are debug lines. */
const OUTAGE_INTERVAL_MS = 30_000;
const DROP_INTERVAL_MS = 10_000;

/** Attempts that failed. */
export class OutageLog {
  #code = '';
  /** Instances that had streamed at the last report: another one has streamed since then if it grew. */
  #instances = 0;
  #reportMonoMs = Number.NEGATIVE_INFINITY;

  /** `instances`: that have streamed so far. */
  write(log: Log, err: GatewayError, retryInMs: number, instances: number, nowMonoMs: number): void {
    const isRepeated = err.code === this.#code && instances === this.#instances;
    if (isRepeated && isAbsent(err) && nowMonoMs - this.#reportMonoMs < OUTAGE_INTERVAL_MS) {
      log.debug({ err, retryInMs }, 'camera offline');
      return;
    }
    this.#code = err.code;
    this.#instances = instances;
    this.#reportMonoMs = nowMonoMs;
    log.warn({ err, retryInMs }, 'camera offline');
  }
}

/** Frames that were left out. */
export class DropLog {
  #joiningFrames = 0;
  #lostFrames = 0;
  #sinceReport = 0;
  #reportMonoMs = Number.NEGATIVE_INFINITY;

  /** Those that arrived before the first key frame of their connection, which are no loss. */
  get joiningFrames(): number {
    return this.#joiningFrames;
  }

  /** The others, as the source reports them. */
  get lostFrames(): number {
    return this.#lostFrames;
  }

  add(log: Log, frames: number, code: string, nowMonoMs: number): void {
    if (code === JOINING_CODE) {
      this.#joiningFrames += frames;
      return;
    }
    this.#lostFrames += frames;
    this.#sinceReport += frames;
    if (nowMonoMs - this.#reportMonoMs < DROP_INTERVAL_MS) return;
    this.#reportMonoMs = nowMonoMs;
    log.warn({ frames: this.#sinceReport, code }, 'frames dropped');
    this.#sinceReport = 0;
  }
}
