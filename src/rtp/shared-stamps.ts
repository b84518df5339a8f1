/**
 * Pictures with the timestamp of the one before: encoders that stamp pairs, or stamp in whole milliseconds of a slow
 * clock. A player would show each of them for no time at all. So they are spread over half of the usual distance, each in
 * the middle of the rest: pairs become even, and the next timestamp is not reached.
 */

/** In usual distances: a pause before is not one. */
const MAX_DISTANCE = 4;

export class SharedStamps {
  #lastTicks = Number.NaN;
  #usualTicks: number;
  #count = 0;

  /** `frameTicks`: the distance of pictures until the stream shows it. */
  constructor(frameTicks: number) {
    this.#usualTicks = frameTicks;
  }

  /** How much later than `stampedTicks` the next picture should be; 0 unless it has the timestamp of the one before. Hot. */
  lift(stampedTicks: number): number {
    if (stampedTicks === this.#lastTicks) {
      this.#count += 1;
      return Math.floor(this.#usualTicks * (1 - 0.5 ** this.#count));
    }
    const distanceTicks = stampedTicks - this.#lastTicks;
    if (distanceTicks > 0) this.#usualTicks = Math.min(distanceTicks, MAX_DISTANCE * this.#usualTicks);
    this.#lastTicks = stampedTicks;
    this.#count = 0;
    return 0;
  }
}
