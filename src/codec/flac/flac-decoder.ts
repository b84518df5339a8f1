/**
 * Decodes FLAC frames of 16-bit samples, as `FlacEncoder` writes them: without linear prediction (RFC 9639 §9). Incremental decoding is
 * not needed: each frame is whole.
 */

import { crc16 } from './crc.ts';

const SYNC = 0xfff8;
/** The block size follows in 16 bits, and each sample has 16. */
const BLOCK_SIZE_16 = 7;
const SAMPLE_SIZE_16 = 8 >> 1;
const LEFT_AND_SIDE = 8;
const SIDE_AND_RIGHT = 9;
const MID_AND_SIDE = 10;
const RATE_IN_8_BITS = 12;
const RATE_IN_14_TO_15 = 13;
const FOOTER_BYTES = 2;
/** §9.2.5: coefficients of the fixed predictors, of the newest sample first. */
const PREDICTORS = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]] as const;
const CONSTANT = 0;
const VERBATIM = 1;
const FIRST_FIXED = 8;

/** The frame ends before its samples do, or is of another kind. Never leaves this file. */
const UNREADABLE = new Error('not a frame of this kind');

/** The samples of one frame, interleaved; null: it is damaged, or of another kind. `frame` is borrowed. */
export function decodeFlacFrame(frame: Uint8Array): Int16Array | null {
  const end = frame.length - FOOTER_BYTES;
  if (end < 8 || crc16(frame, end) !== ((frame[end]! << 8) | frame[end + 1]!)) return null;
  try {
    return decode(new Bits(frame, end));
  } catch (thrown) {
    if (thrown === UNREADABLE) return null;
    throw thrown;
  }
}

function decode(bits: Bits): Int16Array {
  const { blockSamples, assignment } = readHeader(bits);
  const channels = assignment >= LEFT_AND_SIDE ? 2 : assignment + 1;
  if (assignment >= MID_AND_SIDE || channels > 2) throw UNREADABLE;
  const first = new Int32Array(blockSamples);
  const second = channels === 2 ? new Int32Array(blockSamples) : null;
  decodeSubframe(bits, assignment === SIDE_AND_RIGHT ? 17 : 16, first);
  if (second !== null) decodeSubframe(bits, assignment === LEFT_AND_SIDE ? 17 : 16, second);
  const samples = new Int16Array(blockSamples * channels);
  for (let at = 0; at < blockSamples; at++) {
    if (second === null) {
      samples[at] = first[at]!;
      continue;
    }
    const [one, other] = [first[at]!, second[at]!];
    samples[2 * at] = assignment === SIDE_AND_RIGHT ? one + other : one;
    samples[2 * at + 1] = assignment === LEFT_AND_SIDE ? one - other : other;
  }
  return samples;
}

function readHeader(bits: Bits): { readonly blockSamples: number; readonly assignment: number } {
  const isKnown = bits.take(16) === SYNC && bits.take(4) === BLOCK_SIZE_16;
  const rate = bits.take(4);
  const assignment = bits.take(4);
  if (!isKnown || bits.take(3) !== SAMPLE_SIZE_16 || bits.take(1) !== 0) throw UNREADABLE;
  // The number of the frame: as many bytes as the first one has leading ones, as in UTF-8.
  let ones = 0;
  while (bits.take(1) === 1) ones++;
  if (ones > 7) throw UNREADABLE;
  bits.take(7 - ones);
  for (let following = 1; following < ones; following++) bits.take(8);
  const blockSamples = bits.take(16) + 1;
  if (rate === RATE_IN_8_BITS) bits.take(8);
  else if (rate >= RATE_IN_14_TO_15) bits.take(16);
  // Its own checksum: that of the whole frame is right.
  bits.take(8);
  return { blockSamples, assignment };
}

function decodeSubframe(bits: Bits, fullBits: number, samples: Int32Array): void {
  if (bits.take(1) !== 0) throw UNREADABLE;
  const kind = bits.take(6);
  const wasted = bits.take(1) === 1 ? bits.zeros() + 1 : 0;
  if (wasted >= fullBits) throw UNREADABLE;
  const sampleBits = fullBits - wasted;
  if (kind === CONSTANT) samples.fill(bits.signed(sampleBits));
  else if (kind === VERBATIM) {
    for (let at = 0; at < samples.length; at++) samples[at] = bits.signed(sampleBits);
  } else predict(bits, kind - FIRST_FIXED, sampleBits, samples);
  if (wasted > 0) for (let at = 0; at < samples.length; at++) samples[at]! <<= wasted;
}

function predict(bits: Bits, order: number, sampleBits: number, samples: Int32Array): void {
  const predictor: readonly number[] | undefined = PREDICTORS[order];
  if (predictor === undefined || order > samples.length) throw UNREADABLE;
  for (let at = 0; at < order; at++) samples[at] = bits.signed(sampleBits);
  readResiduals(bits, order, samples);
  for (let at = order; at < samples.length; at++) {
    let sample = samples[at]!;
    for (let back = 0; back < order; back++) sample += predictor[back]! * samples[at - 1 - back]!;
    samples[at] = sample;
  }
}

/** §9.2.7: Rice codes in partitions, or plain numbers where those are shorter. Behind the first `order` samples. */
function readResiduals(bits: Bits, order: number, samples: Int32Array): void {
  const parameterBits = bits.take(2) === 0 ? 4 : 5;
  const partitions = 1 << bits.take(4);
  const perPartition = samples.length / partitions;
  if (!Number.isInteger(perPartition) || perPartition < order) throw UNREADABLE;
  const plain = (1 << parameterBits) - 1;
  let at = order;
  for (let partition = 1; partition <= partitions; partition++) {
    const parameter = bits.take(parameterBits);
    const end = partition * perPartition;
    const plainBits = parameter === plain ? bits.take(5) : 0;
    for (; at < end; at++) {
      if (parameter === plain) samples[at] = plainBits === 0 ? 0 : bits.signed(plainBits);
      else {
        const folded = bits.zeros() * 2 ** parameter + bits.take(parameter);
        samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    }
  }
}

/** Reads bits up to `end`, the most significant first. */
class Bits {
  readonly #bytes: Uint8Array;
  readonly #endBits: number;
  #at = 0;

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#endBits = end * 8;
  }

  /** Up to 32 bits, unsigned. */
  take(count: number): number {
    if (this.#at + count > this.#endBits) throw UNREADABLE;
    let value = 0;
    let left = count;
    while (left > 0) {
      const bitAt = this.#at & 7;
      const taken = Math.min(left, 8 - bitAt);
      const bits = (this.#bytes[this.#at >> 3]! >> (8 - bitAt - taken)) & ((1 << taken) - 1);
      value = value * (1 << taken) + bits;
      this.#at += taken;
      left -= taken;
    }
    return value;
  }

  signed(count: number): number {
    const value = this.take(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** How many zeros there are before the next one, which is taken too. */
  zeros(): number {
    let count = 0;
    while (this.take(1) === 0) count++;
    return count;
  }
}
