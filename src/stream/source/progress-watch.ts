/**
 * Whether a stream makes progress: the media time of its published frames must advance. Bytes, packets and audio prove
 * nothing: timestamps that do not advance, a dead encoder under a live microphone, and frames that are all dropped on
 * the way keep a connection busy while viewers see a frozen image.
 *
 * The required pace is low on purpose. One tick per frame, which is what broken timestamps amount to, is 0.03% of real
 * time. A camera that loses nine frames out of ten, or whose clock runs at half speed, is bad but moves.
 */

/** Minimum media time of an interval, as a fraction of it. */
export const MIN_PACE = 1 / 20;

export class ProgressWatch {
  #sinceMonoMs: number;
  /** Published at `#sinceMonoMs`; null while there is nothing to judge by. */
  #publishedMs: number | null = null;
  /** The newest value. */
  #lastMs: number | null = null;
  #totalMs = 0;

  constructor(nowMonoMs: number) {
    this.#sinceMonoMs = nowMonoMs;
  }

  /** Media time published while this watch was judging; null if it never judged any. */
  get totalMs(): number | null {
    return this.#lastMs === null ? null : this.#totalMs;
  }

  /**
   * Call every second or so; rarely costs anything. `publishedMs`: media time of all published frames, null while none
   * can be expected. Returns for how long the video has been frozen by the measure of `intervalMs`: it grows until
   * `MIN_PACE` of that interval has been published.
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
