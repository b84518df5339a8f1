/**
 * One channel of a block as the cheapest of what RFC 9639 §9.2 offers without multiplications: constant, one of the
 * fixed predictors of order 0 to 4, or verbatim; zero bits that all samples end with are left out.
 */

import type { FrameBits } from './frame-bits.ts';
import { RicePartitions } from './rice-partitions.ts';

export const MAX_FIXED_ORDER = 4;
const TYPE_CONSTANT = 0;
const TYPE_VERBATIM = 1;
const TYPE_FIXED = 8;
/** Padding, type, and whether bits are wasted. */
const HEADER_BITS = 8;

type SubframeKind = 'constant' | 'verbatim' | 'fixed';

/** The plan of one channel; the next block overwrites it. */
export class Subframe {
  /** Bits of the whole subframe as planned. */
  bits = 0;
  #kind: SubframeKind = 'verbatim';
  #order = 0;
  #wastedBits = 0;
  /** Bits of a sample, without the wasted ones. */
  #sampleBits = 0;
  readonly #blockSamples: number;
  readonly #samples: Int32Array;
  readonly #residual: Int32Array;
  readonly #partitions = new RicePartitions();

  constructor(blockSamples: number) {
    this.#blockSamples = blockSamples;
    this.#samples = new Int32Array(blockSamples);
    this.#residual = new Int32Array(blockSamples);
  }

  /** Decides how to code `samples`, of `bitsPerSample` each, and keeps what it needs of them. */
  plan(samples: Int32Array, bitsPerSample: number): void {
    const isConstant = this.#take(samples, bitsPerSample);
    const unaryBits = this.#wastedBits;
    const headerBits = HEADER_BITS + unaryBits;
    if (isConstant) {
      this.#kind = 'constant';
      this.bits = headerBits + this.#sampleBits;
      return;
    }
    this.#kind = 'verbatim';
    this.bits = headerBits + this.#sampleBits * this.#blockSamples;
    const order = cheapestOrder(this.#samples, this.#blockSamples);
    predict(this.#samples, this.#residual, this.#blockSamples, order);
    this.#partitions.choose(this.#residual, order, this.#blockSamples);
    const fixedBits = headerBits + order * this.#sampleBits + this.#partitions.bits;
    if (fixedBits >= this.bits) return;
    this.#kind = 'fixed';
    this.#order = order;
    this.bits = fixedBits;
  }

  write(out: FrameBits): void {
    const samples = this.#samples;
    const type =
      this.#kind === 'constant'
        ? TYPE_CONSTANT
        : this.#kind === 'verbatim'
          ? TYPE_VERBATIM
          : TYPE_FIXED | this.#order;
    out.put((type << 1) | (this.#wastedBits > 0 ? 1 : 0), HEADER_BITS);
    if (this.#wastedBits > 0) out.unary(this.#wastedBits - 1);
    if (this.#kind === 'constant') out.put(samples[0]!, this.#sampleBits);
    else if (this.#kind === 'verbatim')
      for (let at = 0; at < this.#blockSamples; at++) out.put(samples[at]!, this.#sampleBits);
    else {
      for (let at = 0; at < this.#order; at++) out.put(samples[at]!, this.#sampleBits);
      this.#partitions.write(out, this.#residual, this.#order, this.#blockSamples);
    }
  }

  /** Copies the samples without their wasted bits (§9.2.2). Returns true if all are equal; then no bits are removed. */
  #take(samples: Int32Array, bitsPerSample: number): boolean {
    const own = this.#samples;
    const first = samples[0]!;
    let all = 0;
    let differing = 0;
    for (let at = 0; at < this.#blockSamples; at++) {
      const sample = samples[at]!;
      all |= sample;
      differing |= sample ^ first;
      own[at] = sample;
    }
    const isConstant = differing === 0;
    const wastedBits = isConstant ? 0 : 31 - Math.clz32(all & -all);
    if (wastedBits > 0) for (let at = 0; at < this.#blockSamples; at++) own[at] = own[at]! >> wastedBits;
    this.#wastedBits = wastedBits;
    this.#sampleBits = bitsPerSample - wastedBits;
    return isConstant;
  }
}

/** The fixed predictor with the smallest sum of errors. RFC 9639 §9.2.5. */
function cheapestOrder(samples: Int32Array, blockSamples: number): number {
  if (blockSamples <= MAX_FIXED_ORDER) return 0;
  // Differences of order 0 to 3 at the sample before.
  let last0 = samples[3]!;
  let last1 = last0 - samples[2]!;
  let last2 = last1 - (samples[2]! - samples[1]!);
  let last3 = last2 - (samples[2]! - 2 * samples[1]! + samples[0]!);
  let [sum0, sum1, sum2, sum3, sum4] = [0, 0, 0, 0, 0];
  for (let at = MAX_FIXED_ORDER; at < blockSamples; at++) {
    const error0 = samples[at]!;
    const error1 = error0 - last0;
    const error2 = error1 - last1;
    const error3 = error2 - last2;
    const error4 = error3 - last3;
    sum0 += Math.abs(error0);
    sum1 += Math.abs(error1);
    sum2 += Math.abs(error2);
    sum3 += Math.abs(error3);
    sum4 += Math.abs(error4);
    last0 = error0;
    last1 = error1;
    last2 = error2;
    last3 = error3;
  }
  const least = Math.min(sum0, sum1, sum2, sum3, sum4);
  if (least === sum0) return 0;
  if (least === sum1) return 1;
  if (least === sum2) return 2;
  return least === sum3 ? 3 : 4;
}

/** `residual[order, blockSamples)` of the fixed predictor. */
function predict(samples: Int32Array, residual: Int32Array, blockSamples: number, order: number): void {
  residual.set(samples);
  for (let round = 1; round <= order; round++)
    for (let at = blockSamples - 1; at >= round; at--) residual[at] = residual[at]! - residual[at - 1]!;
}
