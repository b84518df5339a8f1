/**
 * Even times for audio frames. A frame lasts exactly its samples, but cameras stamp it when their software gets around
 * to it, and uneven times make decoders click. So frames follow each other without a gap and drift slowly toward the
 * timestamps. A difference of most of a frame is a lost frame: then the timestamps count.
 */

const RESYNC_FRAMES = 0.75;
const MAX_SLEW_PPM = 500;

export class AudioTimes {
  readonly #frameTicks: number;
  #isStarted = false;
  /** Fractional: correction steps are smaller than a tick. */
  #nextTicks = 0;
  #lastTicks = 0;

  /** `frameTicks`: samples per frame, unless `next` says otherwise; a tick is a sample. */
  constructor(frameTicks: number) {
    this.#frameTicks = frameTicks;
  }

  /**
   * Time of the next frame, of `frameTicks`, whose timestamp says `stampedTicks`. Strictly increasing. `stretch`: timestamps
   * are further apart than frames are long, by this share, because their clock is corrected.
   */
  next(stampedTicks: number, frameTicks = this.#frameTicks, stretch = 0): number {
    const error = stampedTicks - this.#nextTicks;
    if (!this.#isStarted || Math.abs(error) >= frameTicks * RESYNC_FRAMES) {
      this.#nextTicks = this.#isStarted ? Math.max(stampedTicks, this.#lastTicks + 1) : stampedTicks;
      this.#isStarted = true;
    } else {
      const maxStep = (frameTicks * MAX_SLEW_PPM) / 1_000_000;
      this.#nextTicks += Math.max(-maxStep, Math.min(maxStep, error));
    }
    const ticks = Math.round(this.#nextTicks);
    this.#lastTicks = ticks;
    this.#nextTicks += frameTicks * (1 + stretch);
    return ticks;
  }
}
