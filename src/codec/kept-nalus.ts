/** NAL units of a sample after lengths of four bytes (ISO/IEC 14496-15 §4.3.2), and the rest when some are left out. */

export const LENGTH_BYTES = 4;

/** First byte after the NAL unit at `at`; -1 if its length is 0 or exceeds the sample. */
export function naluEnd(sample: Uint8Array, at: number): number {
  const start = at + LENGTH_BYTES;
  if (start > sample.length) return -1;
  const length =
    sample[at]! * 0x1000000 + ((sample[at + 1]! << 16) | (sample[at + 2]! << 8) | sample[at + 3]!);
  return length === 0 || length > sample.length - start ? -1 : start + length;
}

/** Hot. The sample stays where it is as long as everything is kept. Each NAL unit is passed once, in order. */
export class KeptNalus {
  #sample: Uint8Array = new Uint8Array(0);
  #isWhole = true;
  #scratch = new Uint8Array(0);
  #scratchLength = 0;

  /** `sample` is borrowed until the next call. */
  begin(sample: Uint8Array): void {
    this.#sample = sample;
    this.#isWhole = true;
    this.#scratchLength = 0;
  }

  /** The NAL unit with its length is from `at` to `end`. */
  keep(at: number, end: number): void {
    if (!this.#isWhole) this.#copy(at, end);
  }

  /** The one that begins at `at`. */
  leaveOut(at: number): void {
    // Moves everything so far to the scratch buffer; later NAL units join it there.
    if (this.#isWhole) this.#copy(0, at);
    this.#isWhole = false;
  }

  /** The sample itself, or a view of a buffer that the next sample reuses. */
  get data(): Uint8Array {
    return this.#isWhole ? this.#sample : this.#scratch.subarray(0, this.#scratchLength);
  }

  #copy(from: number, to: number): void {
    const length = this.#scratchLength + to - from;
    if (length > this.#scratch.length) {
      const grown = new Uint8Array(Math.max(this.#sample.length, this.#scratch.length * 2));
      grown.set(this.#scratch.subarray(0, this.#scratchLength));
      this.#scratch = grown;
    }
    this.#scratch.set(this.#sample.subarray(from, to), this.#scratchLength);
    this.#scratchLength = length;
  }
}
