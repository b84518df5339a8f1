/**
 * Where samples belong on the timeline: the timestamps of their payloads, without their unevenness. A tick is a sample.
 */

/** A payload that is further than this from where the samples before it lead does not follow them. */
const MAX_JITTER_MS = 60;
/** After lost packets, a payload follows a hole if it is later by this share of its length. */
const MIN_HOLE_SHARE = 0.5;
/** Limit of the average error. Below it nothing is corrected, so that a camera with a good clock is passed on unchanged. */
const TOLERANCE_MS = 2;
/** The average takes one part in this many from each payload's error. */
const AVERAGED_PAYLOADS = 32;
/** A sample is added or left out at most this often: twice what a camera's timestamps are corrected by (TrackClock). */
const SAMPLES_PER_CORRECTION = 1_000;

export class SampleClock {
  readonly #maxJitterTicks: number;
  readonly #toleranceTicks: number;
  #isStarted = false;
  /** The last payload was for time that had its samples: what follows it is too, up to the end of that time. */
  #isBehind = false;
  #ticks = 0;
  /** How much later than `#ticks` the payloads say they are, on average. */
  #errorTicks = 0;
  #sinceCorrection = 0;

  constructor(sampleRateHz: number) {
    this.#maxJitterTicks = (sampleRateHz * MAX_JITTER_MS) / 1_000;
    this.#toleranceTicks = (sampleRateHz * TOLERANCE_MS) / 1_000;
  }

  /** The next sample's time. */
  get ticks(): number {
    return this.#ticks;
  }

  /**
   * A payload of `count` samples comes, and says that it begins at `stampedTicks`. Returns how many samples are missing
   * before it; negative for how many of it are for time that already has its samples.
   */
  place(stampedTicks: number, count: number, isAfterGap: boolean): number {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#ticks = stampedTicks;
      return 0;
    }
    const error = stampedTicks - this.#ticks;
    const isHole = isAfterGap ? error >= count * MIN_HOLE_SHARE : error > this.#maxJitterTicks;
    this.#isBehind = error < (this.#isBehind ? 0 : -this.#maxJitterTicks);
    if (isHole || this.#isBehind) {
      this.#errorTicks = 0;
      return error;
    }
    this.#errorTicks += (error - this.#errorTicks) / AVERAGED_PAYLOADS;
    return 0;
  }

  /** 1: add a sample to the `count` that come; -1: leave one out; 0: neither. */
  takeCorrection(count: number): number {
    this.#sinceCorrection += count;
    if (Math.abs(this.#errorTicks) < this.#toleranceTicks) return 0;
    if (this.#sinceCorrection < SAMPLES_PER_CORRECTION) return 0;
    const correction = Math.sign(this.#errorTicks);
    this.#sinceCorrection = 0;
    this.#errorTicks -= correction;
    return correction;
  }

  advance(samples = 1): void {
    this.#ticks += samples;
  }
}
