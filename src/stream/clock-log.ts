/** The newest reading of a camera's clocks, and when it is news. */

import type { Log } from '../core/log.ts';
import type { ClockReading, ClockVerdict } from '../rtp/camera-clock.ts';

/** Readings arrive every few seconds and change slowly. A new verdict is reported immediately. */
const REPORT_INTERVAL_MS = 30_000;

export class ClockLog {
  #reading: ClockReading | null = null;
  #reportMonoMs = Number.NEGATIVE_INFINITY;
  /** In the log; a verdict that goes back and forth costs one line per interval. */
  #loggedVerdict: ClockVerdict | null = null;
  #hasLoggedSound = false;
  #logMonoMs = Number.NEGATIVE_INFINITY;

  /** null while the camera is not open, and in its first seconds. */
  get reading(): ClockReading | null {
    return this.#reading;
  }

  /** Returns whether to report the reading now. */
  take(reading: ClockReading | null, nowMonoMs: number): boolean {
    const isSound = (of: ClockReading | null) => (of?.soundDriftPpm ?? null) !== null;
    const isNews = reading?.verdict !== this.#reading?.verdict || isSound(reading) !== isSound(this.#reading);
    this.#reading = reading;
    if (!isNews && nowMonoMs - this.#reportMonoMs < REPORT_INTERVAL_MS) return false;
    this.#reportMonoMs = nowMonoMs;
    return true;
  }

  /**
   * Writes a line about another verdict, and when it is known by how much the sound is corrected: by how much the clock of the
   * pictures runs fast against ours, and that of the sound against the pictures.
   */
  write(log: Log, reading: ClockReading, nowMonoMs: number): void {
    const { verdict, offsetMs, driftPpm, soundDriftPpm, jumps } = reading;
    const isSoundNews = soundDriftPpm !== null && !this.#hasLoggedSound;
    if (!isSoundNews) {
      if (verdict === 'settling' || verdict === this.#loggedVerdict) return;
      if (nowMonoMs - this.#logMonoMs < REPORT_INTERVAL_MS) return;
    }
    this.#hasLoggedSound ||= isSoundNews;
    this.#loggedVerdict = verdict;
    this.#logMonoMs = nowMonoMs;
    const dates = reading.cameraTime === null ? 'arrival' : 'camera';
    const [picturesFastPpm, soundFastPpm] = [whole(driftPpm), whole(soundDriftPpm)];
    log.info({ verdict, dates, offsetMs, picturesFastPpm, soundFastPpm, jumps }, 'camera clock judged');
  }
}

function whole(ppm: number | null): number | null {
  return ppm === null ? null : Math.round(ppm);
}
