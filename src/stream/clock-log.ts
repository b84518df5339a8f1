/** The newest reading of a camera's clocks, and when it is worth telling. */

import type { Log } from '../core/log.ts';
import type { ClockReading, ClockVerdict } from '../rtp/camera-clock.ts';

/** Readings come every few seconds and change slowly; another verdict is reported at once. */
const REPORT_INTERVAL_MS = 30_000;

export class ClockLog {
  #reading: ClockReading | null = null;
  #reportMonoMs = Number.NEGATIVE_INFINITY;
  /** In the log; a verdict that goes back and forth costs one line per interval. */
  #loggedVerdict: ClockVerdict | null = null;
  #logMonoMs = Number.NEGATIVE_INFINITY;

  /** null while the camera is not open, and in its first seconds. */
  get reading(): ClockReading | null {
    return this.#reading;
  }

  /** Returns whether whoever follows the camera should hear of it now. */
  take(reading: ClockReading | null, nowMonoMs: number): boolean {
    const isNews = reading?.verdict !== this.#reading?.verdict;
    this.#reading = reading;
    if (!isNews && nowMonoMs - this.#reportMonoMs < REPORT_INTERVAL_MS) return false;
    this.#reportMonoMs = nowMonoMs;
    return true;
  }

  /** Writes a line about another verdict. */
  write(log: Log, reading: ClockReading, nowMonoMs: number): void {
    const { verdict, offsetMs, driftPpm, jumps } = reading;
    if (verdict === 'settling' || verdict === this.#loggedVerdict) return;
    if (nowMonoMs - this.#logMonoMs < REPORT_INTERVAL_MS) return;
    this.#loggedVerdict = verdict;
    this.#logMonoMs = nowMonoMs;
    const dates = reading.cameraTime === null ? 'arrival' : 'camera';
    log.info({ verdict, dates, offsetMs, driftPpm, jumps }, 'camera clock judged');
  }
}
