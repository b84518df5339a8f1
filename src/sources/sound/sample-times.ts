/**
 * The time at which a coder's output was spoken. Samples go in with the time of the first one of each payload, and come
 * out in the same order: a sample's position shows which payload it was in. A pause of the camera contains no samples.
 */

/** A time counts if it differs by more than this from what the earlier samples lead to. */
const TOLERANCE_MS = 5;
/** Limit on payloads inside the coder that each set a new time: seconds of them. */
const MAX_ANCHORS = 512;

interface Anchor {
  readonly position: number;
  readonly ms: number;
}

export class SampleTimes {
  readonly #sampleRateHz: number;
  readonly #anchors: Anchor[] = [];
  /** Samples that went in. */
  #position = 0;

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
  }

  /** `samples` go in; the first one is at `ms` on the timeline. */
  put(samples: number, ms: number): void {
    const last = this.#anchors.at(-1);
    const expectedMs = last === undefined ? Number.NaN : this.#msFrom(last, this.#position);
    if (!(Math.abs(ms - expectedMs) <= TOLERANCE_MS)) {
      this.#anchors.push({ position: this.#position, ms });
      if (this.#anchors.length > MAX_ANCHORS) this.#anchors.shift();
    }
    this.#position += samples;
  }

  /** Time of the sample at `sec` of the coder's output; null before anything went in. Call in order. */
  msAt(sec: number): number | null {
    const position = sec * this.#sampleRateHz;
    while (this.#anchors.length > 1 && this.#anchors[1]!.position <= position) this.#anchors.shift();
    const [anchor] = this.#anchors;
    return anchor === undefined ? null : this.#msFrom(anchor, position);
  }

  #msFrom(anchor: Anchor, position: number): number {
    return anchor.ms + ((position - anchor.position) * 1_000) / this.#sampleRateHz;
  }
}
