/**
 * Even times for audio frames. A frame lasts exactly its samples, but cameras stamp it when their software gets around
 * to it, and uneven times make decoders click. So frames follow each other without a gap and drift slowly toward the
 * timestamps. Timestamps that are further apart than frames are long, all of them, are those of a sound card that is slow: their
 * rate is learned. A difference of most of a frame is a lost frame: then the timestamps count.
 */

const RESYNC_FRAMES = 0.75;
const MAX_SLEW_PPM = 1_000;
/** A smaller difference is jitter: less than a third of a frame and than some milliseconds, which is more of short frames. */
const JITTER_FRAMES = 1 / 3;
const JITTER_MS = 10;
/** The part of the excess over jitter that each frame corrects, so that no learning ends with a lost frame at 2 %. */
const FOLLOWED = 1 / 20;
/** How much of that, in frames, changes the rate. A quarter of the square of `FOLLOWED`: nothing swings. */
const LEARNED = FOLLOWED ** 2 / 4;
/** A larger rate is a wrong timestamp rather than a wrong clock: it would make voices unrecognizable. */
const MAX_RATE = 0.05;

export class AudioTimes {
  readonly #frameTicks: number;
  readonly #jitterTicks: number;
  #isStarted = false;
  /** Fractional: correction steps are smaller than a tick. */
  #nextTicks = 0;
  #lastTicks = 0;
  /** By how much timestamps are further apart than frames are long, as a share of it. */
  #rate = 0;

  /** `frameTicks`: samples per frame, unless `next` says otherwise; a tick is a sample, of which a second has `rateHz`. */
  constructor(frameTicks: number, rateHz: number) {
    this.#frameTicks = frameTicks;
    this.#jitterTicks = (rateHz * JITTER_MS) / 1_000;
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
      this.#nextTicks += within(maxStep, error);
      const excess = error - within(Math.min(this.#jitterTicks, frameTicks * JITTER_FRAMES), error);
      if (excess !== 0) this.#learn(excess, frameTicks);
    }
    const ticks = Math.round(this.#nextTicks);
    this.#lastTicks = ticks;
    this.#nextTicks += frameTicks * (1 + stretch + this.#rate);
    return ticks;
  }

  /** The difference is `excess` more than jitter. */
  #learn(excess: number, frameTicks: number): void {
    this.#rate = within(MAX_RATE, this.#rate + (excess / frameTicks) * LEARNED);
    this.#nextTicks += excess * FOLLOWED;
  }
}

function within(limit: number, value: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
