/** How long to wait before an audio worker that ended on its own is replaced: longer each time, with jitter. */

const MIN_MS = 1_000;
const MAX_MS = 30_000;
/** A worker that lived this long proves that the audio works; one that hangs is ended earlier. */
const HEALTHY_AFTER_MS = 60_000;
/** Doublings beyond this change nothing. */
const MAX_DOUBLINGS = 30;

export class RestartPause {
  readonly #random: () => number;
  #failuresInRow = 0;

  /** `random` in [0, 1): the jitter. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Milliseconds to wait after a worker that ran for `livedMs`; negative if it did not start. */
  after(livedMs: number): number {
    this.#failuresInRow = livedMs >= HEALTHY_AFTER_MS ? 1 : this.#failuresInRow + 1;
    const ceilingMs = Math.min(MAX_MS, MIN_MS * 2 ** Math.min(this.#failuresInRow - 1, MAX_DOUBLINGS));
    return Math.max(MIN_MS, ceilingMs * (0.5 + this.#random() / 2));
  }
}
