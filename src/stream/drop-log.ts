/** Frames that were left out, counted and reported together: a bad camera costs one log line, not one per frame. */

import type { Log } from '../core/log.ts';
import { JOINING_CODE } from './source/source-events.ts';

const REPORT_INTERVAL_MS = 10_000;

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
    if (nowMonoMs - this.#reportMonoMs < REPORT_INTERVAL_MS) return;
    this.#reportMonoMs = nowMonoMs;
    log.warn({ frames: this.#sinceReport, code }, 'frames dropped');
    this.#sinceReport = 0;
  }
}
