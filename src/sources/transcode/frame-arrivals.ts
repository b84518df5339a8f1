/** When the frames inside a transcoder arrived: frames come out with their own presentation times, in that order. */

/** The most frames inside: more than decoder and encoder hold together. */
const MAX_FRAMES = 256;
/** Timestamps are rounded to the ticks of one clock and then of another. */
const TOLERANCE_TICKS = 2;

export class FrameArrivals {
  readonly #frames: { readonly ptsTicks: number; readonly arrivalMonoMs: number }[] = [];

  put(ptsTicks: number, arrivalMonoMs: number): void {
    this.#frames.push({ ptsTicks, arrivalMonoMs });
    if (this.#frames.length > MAX_FRAMES) this.#frames.shift();
  }

  /** Forgets frames that were shown before it; null if it is not known. */
  take(ptsTicks: number): number | null {
    const frames = this.#frames;
    const at = frames.findIndex((frame) => Math.abs(frame.ptsTicks - ptsTicks) <= TOLERANCE_TICKS);
    if (at < 0) return null;
    const { arrivalMonoMs } = frames[at]!;
    for (let index = frames.length - 1; index >= 0; index--) {
      if (frames[index]!.ptsTicks <= ptsTicks + TOLERANCE_TICKS) frames.splice(index, 1);
    }
    return arrivalMonoMs;
  }
}
