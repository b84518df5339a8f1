/**
 * Whether a stream makes progress: the media time of its published pictures has to advance. Bytes, packets and sound
 * prove nothing: timestamps that stand still, a dead encoder under a live microphone, and pictures that are all dropped
 * on the way keep a connection busy and viewers in front of a still picture.
 *
 * The pace asked for is low on purpose. One tick a frame, which is what broken timestamps come to, is 0.03 % of real time.
 * A camera that loses nine pictures of ten, or counts its clock at half speed, is bad but moves.
 */

/** Least media time of an interval: this part of it. */
export const MIN_PACE = 1 / 20;

export class ProgressWatch {
  #sinceMonoMs: number;
  /** At `#sinceMonoMs`; null while there is nothing to judge by. */
  #publishedMs: number | null = null;
  /** The newest one. */
  #lastMs: number | null = null;
  #totalMs = 0;

  constructor(nowMonoMs: number) {
    this.#sinceMonoMs = nowMonoMs;
  }

  /** Media time that was published while this watch looked; null when it never saw any judged. */
  get totalMs(): number | null {
    return this.#lastMs === null ? null : this.#totalMs;
  }

  /**
   * To be called every second or so, and rarely costs anything. `publishedMs`: media time of all pictures published,
   * null while nothing can be expected. Returns for how long the pictures have stood still by the measure of `intervalMs`:
   * it grows until `MIN_PACE` of that interval has been published.
   */
  stillMs(nowMonoMs: number, publishedMs: number | null, intervalMs: number): number {
    if (publishedMs !== null && this.#lastMs !== null) this.#totalMs += publishedMs - this.#lastMs;
    if (publishedMs !== null) this.#lastMs = publishedMs;
    const hasMoved =
      publishedMs === null ||
      this.#publishedMs === null ||
      publishedMs - this.#publishedMs >= intervalMs * MIN_PACE;
    if (hasMoved) {
      this.#sinceMonoMs = nowMonoMs;
      this.#publishedMs = publishedMs;
    }
    return nowMonoMs - this.#sinceMonoMs;
  }
}
