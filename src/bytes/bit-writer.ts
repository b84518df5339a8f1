/** Writes bits, most significant first, and Exp-Golomb codes (ISO/IEC 14496-10 §7.2, §9.1). The counterpart of BitReader. */

export class BitWriter {
  readonly #bytes: number[] = [];
  #bitCount = 0;

  get bitCount(): number {
    return this.#bitCount;
  }

  bit(value: number): void {
    const at = this.#bitCount >> 3;
    if ((this.#bitCount & 7) === 0) this.#bytes.push(0);
    if (value !== 0) this.#bytes[at] = this.#bytes[at]! | (0x80 >> (this.#bitCount & 7));
    this.#bitCount += 1;
  }

  /** The lowest `count` bits of `value`; 0 to 32. */
  bits(value: number, count: number): void {
    for (let at = count - 1; at >= 0; at--) this.bit((value >>> at) & 1);
  }

  /** ue(v) of a value below 2^31. */
  expGolomb(value: number): void {
    const code = value + 1;
    const length = 32 - Math.clz32(code);
    this.bits(0, length - 1);
    this.bits(code, length);
  }

  /** se(v). */
  signedExpGolomb(value: number): void {
    this.expGolomb(value > 0 ? value * 2 - 1 : -value * 2);
  }

  /** Repeats `value` up to the next whole byte. */
  align(value: 0 | 1): void {
    while ((this.#bitCount & 7) !== 0) this.bit(value);
  }

  /** Whole bytes; only while aligned. */
  bytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.#bytes.push(byte);
    this.#bitCount += bytes.length * 8;
  }

  /** The written bytes; bits missing from the last byte are zero. */
  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
