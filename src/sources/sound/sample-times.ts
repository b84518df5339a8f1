/**
 * When what comes out of a coder was said. Samples go in with the time of the first of each payload, samples come out
 * in the same order: the position of one says which payload it was in. A pause of the camera is no sample.
 */

/** A time that differs from what the samples before lead to by more than this counts. */
const TOLERANCE_MS = 5;
/** Payloads that lie in the coder and each tell another time: seconds of them. */
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

  /** `samples` go in; the first of them is of `ms` on the timeline. */
  put(samples: number, ms: number): void {
    const last = this.#anchors.at(-1);
    const expectedMs = last === undefined ? Number.NaN : this.#msFrom(last, this.#position);
    if (!(Math.abs(ms - expectedMs) <= TOLERANCE_MS)) {
      this.#anchors.push({ position: this.#position, ms });
      if (this.#anchors.length > MAX_ANCHORS) this.#anchors.shift();
    }
    this.#position += samples;
  }

  /** Time of the sample that comes out at `sec` of the coder's output; null before anything went in. Call in order. */
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
