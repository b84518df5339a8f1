/** Reads bits, most significant first, and Exp-Golomb codes (ISO/IEC 14496-10 §7.2, §9.1). */

/** Longest Exp-Golomb prefix: 32 zeros mean 2^32 - 1 and above, a value that no syntax element has. */
const MAX_EXP_GOLOMB_ZEROS = 31;

/**
 * Borrows `bytes`. Reading past the end, or a code that is too long, returns zeros and sets `isOverrun`
 * permanently: a parser reads on and checks once, where it matters.
 */
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #endBit: number;
  #bit = 0;
  #isOverrun = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#endBit = bytes.length * 8;
  }

  get isOverrun(): boolean {
    return this.#isOverrun;
  }

  get bitsLeft(): number {
    return this.#endBit - this.#bit;
  }

  bit(): 0 | 1 {
    if (this.#bit >= this.#endBit) return this.#overrun();
    const value = (this.#bytes[this.#bit >> 3]! >> (7 - (this.#bit & 7))) & 1;
    this.#bit += 1;
    return value as 0 | 1;
  }

  flag(): boolean {
    return this.bit() === 1;
  }

  /** Unsigned, `count` from 0 to 32. */
  bits(count: number): number {
    if (count > this.#endBit - this.#bit) return this.#overrun();
    let value = 0;
    for (let left = count; left > 0; left--) value = value * 2 + this.bit();
    return value;
  }

  skip(count: number): void {
    if (count > this.#endBit - this.#bit) this.#overrun();
    else this.#bit += count;
  }

  /** ue(v). */
  expGolomb(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros += 1;
      if (this.#isOverrun || zeros > MAX_EXP_GOLOMB_ZEROS) return this.#overrun();
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** se(v). */
  signedExpGolomb(): number {
    const code = this.expGolomb();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2 || 0;
  }

  #overrun(): 0 {
    this.#bit = this.#endBit;
    this.#isOverrun = true;
    return 0;
  }
}
