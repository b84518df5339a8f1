/**
 * How a residual is split into partitions, and which Rice parameter each gets. The parameter follows from the mean of the
 * partition: only its neighbors are compared, by the sum of the values instead of each of them, which is what makes this
 * cheap. The chosen ones are then counted in exact bits. RFC 9639 §9.2.7.
 */

import type { FrameBits } from './frame-bits.ts';

/** The finest split is into two to the power of this. */
export const MAX_PARTITION_ORDER = 6;
/** Shorter partitions cost their parameter more than they save, and time. */
const MIN_PARTITION_SAMPLES = 16;
/** The largest parameter of 4 bits; the value above it escapes to plain bits. */
const MAX_PARAMETER_4 = 14;
/** Limit for values of 22 bits: order 4 makes 21 of the 17 bits of a side channel, and the sign one more. */
const MAX_PARAMETER = 22;
const ESCAPE_4 = 15;
const ESCAPE_5 = 31;
const ESCAPED_WIDTH_BITS = 5;
/** Coding method and partition order. */
const HEADER_BITS = 2 + 4;

/** The choice for one residual; the arrays are reused for the next. */
export class RicePartitions {
  /** Bits of the coded residual, with its header. */
  bits = 0;
  #order = 0;
  /** 4 or 5: the width of each parameter. */
  #parameterBits = 4;
  /** Per partition: the Rice parameter, or the width of its plain values. */
  readonly #parameters = new Uint8Array(1 << MAX_PARTITION_ORDER);
  readonly #isEscaped = new Uint8Array(1 << MAX_PARTITION_ORDER);
  readonly #candidate = new Uint8Array(1 << MAX_PARTITION_ORDER);
  readonly #isCandidateEscaped = new Uint8Array(1 << MAX_PARTITION_ORDER);
  /** Sum of the folded values in each partition. */
  readonly #sums = new Float64Array(1 << MAX_PARTITION_ORDER);
  /** Bits of the largest folded value in each partition. */
  readonly #widths = new Uint8Array(1 << MAX_PARTITION_ORDER);

  /**
   * Chooses the partitions for `residual[order, blockSamples)`; the first `order` samples of the block are not coded this
   * way.
   */
  choose(residual: Int32Array, order: number, blockSamples: number): void {
    let partitionOrder = finestOrder(blockSamples);
    this.#sum(residual, order, blockSamples, partitionOrder);
    let leastBits = Number.POSITIVE_INFINITY;
    for (; partitionOrder >= 0; partitionOrder--) {
      const bits = this.#estimate(partitionOrder, order, blockSamples);
      if (bits < leastBits) {
        leastBits = bits;
        this.#keep(partitionOrder);
      }
      if (partitionOrder > 0) this.#merge(partitionOrder);
    }
    this.bits = this.#count(residual, order, blockSamples);
  }

  write(out: FrameBits, residual: Int32Array, order: number, blockSamples: number): void {
    out.put(this.#parameterBits === 4 ? 0 : 1, 2);
    out.put(this.#order, 4);
    const partitionSamples = blockSamples >> this.#order;
    let at = order;
    for (let partition = 0; partition < 1 << this.#order; partition++) {
      const end = (partition + 1) * partitionSamples;
      const parameter = this.#parameters[partition]!;
      if (this.#isEscaped[partition] === 1) {
        out.put(this.#parameterBits === 4 ? ESCAPE_4 : ESCAPE_5, this.#parameterBits);
        out.put(parameter, ESCAPED_WIDTH_BITS);
        for (; at < end; at++) out.put(residual[at]!, parameter);
      } else {
        out.put(parameter, this.#parameterBits);
        for (; at < end; at++) {
          out.rice(fold(residual[at]!), parameter);
        }
      }
    }
  }

  /** Fills the sums and widths of the finest partitions. */
  #sum(residual: Int32Array, order: number, blockSamples: number, partitionOrder: number): void {
    const partitionSamples = blockSamples >> partitionOrder;
    let at = order;
    for (let partition = 0; partition < 1 << partitionOrder; partition++) {
      const end = (partition + 1) * partitionSamples;
      let all = 0;
      let sum = 0;
      for (; at < end; at++) {
        const folded = fold(residual[at]!);
        all |= folded;
        sum += folded;
      }
      this.#sums[partition] = sum;
      this.#widths[partition] = 32 - Math.clz32(all);
    }
  }

  /** Sets the candidates of a partition order, and returns about how many bits they take. */
  #estimate(partitionOrder: number, order: number, blockSamples: number): number {
    const partitions = 1 << partitionOrder;
    const partitionSamples = blockSamples >> partitionOrder;
    let bits = HEADER_BITS;
    let largest = 0;
    for (let partition = 0; partition < partitions; partition++) {
      const samples = partition === 0 ? partitionSamples - order : partitionSamples;
      const sum = this.#sums[partition]!;
      const width = this.#widths[partition]!;
      let best = ESCAPED_WIDTH_BITS + samples * width;
      let parameter = width;
      let isEscaped = 1;
      const near = 31 - Math.clz32(Math.max(1, sum / samples));
      for (let k = Math.max(0, near - 1); k <= Math.min(near + 1, MAX_PARAMETER); k++) {
        const cost = riceBits(k, sum, samples);
        if (cost >= best) continue;
        best = cost;
        parameter = k;
        isEscaped = 0;
      }
      if (isEscaped === 0) largest = Math.max(largest, parameter);
      this.#candidate[partition] = parameter;
      this.#isCandidateEscaped[partition] = isEscaped;
      bits += best;
    }
    return bits + partitions * (largest > MAX_PARAMETER_4 ? 5 : 4);
  }

  #keep(partitionOrder: number): void {
    this.#order = partitionOrder;
    this.#parameterBits = 4;
    for (let partition = 0; partition < 1 << partitionOrder; partition++) {
      const parameter = this.#candidate[partition]!;
      const isEscaped = this.#isCandidateEscaped[partition]!;
      if (isEscaped === 0 && parameter > MAX_PARAMETER_4) this.#parameterBits = 5;
      this.#parameters[partition] = parameter;
      this.#isEscaped[partition] = isEscaped;
    }
  }

  /** Counts the exact bits of the choice. */
  #count(residual: Int32Array, order: number, blockSamples: number): number {
    const partitionSamples = blockSamples >> this.#order;
    let bits = HEADER_BITS;
    let at = order;
    for (let partition = 0; partition < 1 << this.#order; partition++) {
      const end = (partition + 1) * partitionSamples;
      const parameter = this.#parameters[partition]!;
      bits += this.#parameterBits;
      if (this.#isEscaped[partition] === 1) {
        bits += ESCAPED_WIDTH_BITS + (end - at) * parameter;
        at = end;
      } else {
        bits += (end - at) * (parameter + 1);
        for (; at < end; at++) bits += fold(residual[at]!) >>> parameter;
      }
    }
    return bits;
  }

  /** Merges the partitions of one order into those of the next coarser one. */
  #merge(partitionOrder: number): void {
    for (let partition = 0; partition < 1 << (partitionOrder - 1); partition++) {
      const [first, second] = [2 * partition, 2 * partition + 1];
      this.#widths[partition] = Math.max(this.#widths[first]!, this.#widths[second]!);
      this.#sums[partition] = this.#sums[first]! + this.#sums[second]!;
    }
  }
}

/** About the bits of values with this sum: shifted right, each loses half a unit on average. */
function riceBits(parameter: number, sum: number, samples: number): number {
  if (parameter === 0) return samples + sum;
  const quotients = (sum - samples * (2 ** parameter / 2 - 0.5)) / 2 ** parameter;
  return samples * (parameter + 1) + Math.max(0, quotients);
}

/** The block must divide into the partitions. They are longer than any predictor. */
function finestOrder(blockSamples: number): number {
  let partitionOrder = 0;
  while (
    partitionOrder < MAX_PARTITION_ORDER &&
    blockSamples % (2 << partitionOrder) === 0 &&
    blockSamples >> (partitionOrder + 1) >= MIN_PARTITION_SAMPLES
  )
    partitionOrder += 1;
  return partitionOrder;
}

/** Small values of either sign become small ones without. RFC 9639 §9.2.7.2. */
function fold(value: number): number {
  return (value << 1) ^ (value >> 31);
}
