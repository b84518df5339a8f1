/** Bits of one FLAC frame after the other, most significant first, in a buffer that every frame reuses. */

/** With the 7 bits that may be pending, they fit into an integer. */
const MAX_PUT_BITS = 24;

export class FrameBits {
  readonly bytes: Uint8Array;
  /** Whole bytes in `bytes`. */
  length = 0;
  /** Bits that do not make a byte yet, right-aligned: fewer than 8 between calls. */
  #pending = 0;
  #pendingBits = 0;

  /** `capacityBytes`: what no frame exceeds. */
  constructor(capacityBytes: number) {
    this.bytes = new Uint8Array(capacityBytes);
  }

  clear(): void {
    this.length = 0;
    this.#pending = 0;
    this.#pendingBits = 0;
  }

  /** The lowest `count` bits of `value`, 0 to 24. */
  put(value: number, count: number): void {
    this.#pending = (this.#pending << count) | (value & ((1 << count) - 1));
    this.#pendingBits += count;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.bytes[this.length++] = this.#pending >>> this.#pendingBits;
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }

  /** `zeros` zero bits and a one. */
  unary(zeros: number): void {
    let left = zeros;
    for (; left >= MAX_PUT_BITS; left -= MAX_PUT_BITS) this.put(0, MAX_PUT_BITS);
    this.put(1, left + 1);
  }

  /** A Rice code. RFC 9639 §9.2.7.3. `parameter`: 0 to 24. */
  rice(value: number, parameter: number): void {
    const zeros = value >>> parameter;
    const bits = zeros + 1 + parameter;
    if (bits <= MAX_PUT_BITS) this.put((1 << parameter) | (value & ((1 << parameter) - 1)), bits);
    else {
      this.unary(zeros);
      this.put(value, parameter);
    }
  }

  /** Zero bits up to the next whole byte. */
  align(): void {
    if (this.#pendingBits > 0) this.put(0, 8 - this.#pendingBits);
  }
}
