/**
 * Decodes FLAC frames of 16-bit samples for tests, without a process. RFC 9639 §9. It knows what `FlacEncoder` writes: no linear
 * prediction. flac-encoder.real.test.ts shows that decoders of others agree.
 */

import { crc8, crc16 } from './crc.ts';

const LEFT_AND_SIDE = 8;
const SIDE_AND_RIGHT = 9;
/** §9.2.5: coefficients of the fixed predictors, of the newest sample first. */
const PREDICTORS = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]] as const;

class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get byteAt(): number {
    return this.#at / 8;
  }

  take(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++) {
      value = value * 2 + ((this.#bytes[this.#at >> 3]! >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  signed(count: number): number {
    const value = this.take(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  zeros(): number {
    let count = 0;
    while (this.take(1) === 0) count++;
    return count;
  }

  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}

/** All samples of whole frames, interleaved. Throws if a frame is not what its checksums say, or not of this kind. */
export function decodeFlac(frames: readonly Uint8Array[]): Int16Array {
  return Int16Array.from(frames.flatMap((frame) => [...decodeFrame(frame)]));
}

function* decodeFrame(frame: Uint8Array): Generator<number> {
  const bits = new Bits(frame);
  const { blockSamples, assignment } = readHeader(frame, bits);
  const channels = assignment >= LEFT_AND_SIDE ? 2 : assignment + 1;
  const decoded = Array.from({ length: channels }, (_, channel) => {
    const isSide = assignment === (channel === 0 ? SIDE_AND_RIGHT : LEFT_AND_SIDE);
    return decodeSubframe(bits, isSide ? 17 : 16, blockSamples);
  });
  bits.align();
  const end = bits.byteAt;
  expectSame(bits.take(16), crc16(frame, end), 'the checksum of a frame');
  expectSame(end + 2, frame.length, 'the length of a frame');
  const [first, second] = decoded;
  for (let at = 0; at < blockSamples; at++) {
    const [a, b] = [first![at]!, second?.[at] ?? 0];
    if (channels === 1) yield a;
    else if (assignment === LEFT_AND_SIDE) yield* [a, a - b];
    else if (assignment === SIDE_AND_RIGHT) yield* [a + b, b];
    else yield* [a, b];
  }
}

function readHeader(frame: Uint8Array, bits: Bits): { blockSamples: number; assignment: number } {
  expectSame(bits.take(16), 0xfff8, 'the sync code');
  expectSame(bits.take(4), 7, 'the code of the block size');
  const rateCode = bits.take(4);
  const assignment = bits.take(4);
  expectSame(bits.take(4), 8, 'the sample size');
  let ones = 0;
  while (bits.take(1) === 1) ones++;
  bits.take(7 - ones);
  for (let following = 1; following < ones; following++) bits.take(8);
  const blockSamples = bits.take(16) + 1;
  if (rateCode === 13) bits.take(16);
  const end = bits.byteAt;
  expectSame(bits.take(8), crc8(frame, end), 'the checksum of a header');
  return { blockSamples, assignment };
}

function decodeSubframe(bits: Bits, fullBits: number, blockSamples: number): number[] {
  expectSame(bits.take(1), 0, 'the bit before a subframe');
  const kind = bits.take(6);
  const wasted = bits.take(1) === 1 ? bits.zeros() + 1 : 0;
  const sampleBits = fullBits - wasted;
  const samples = predictedSamples(bits, kind, sampleBits, blockSamples);
  return samples.map((sample) => sample * 2 ** wasted);
}

function predictedSamples(bits: Bits, kind: number, sampleBits: number, blockSamples: number): number[] {
  if (kind === 0) return new Array<number>(blockSamples).fill(bits.signed(sampleBits));
  if (kind === 1) return Array.from({ length: blockSamples }, () => bits.signed(sampleBits));
  const predictor = PREDICTORS[kind - 8];
  if (predictor === undefined) throw new Error(`a subframe of kind ${kind}`);
  const samples = Array.from(predictor, () => bits.signed(sampleBits));
  for (const residual of residuals(bits, blockSamples, predictor.length)) {
    let sample = residual;
    for (const [back, factor] of predictor.entries()) sample += factor * samples.at(-1 - back)!;
    samples.push(sample);
  }
  return samples;
}

/** §9.2.7: Rice codes in partitions, or plain numbers where those are shorter. */
function* residuals(bits: Bits, blockSamples: number, order: number): Generator<number> {
  const parameterBits = bits.take(2) === 0 ? 4 : 5;
  const partitions = 2 ** bits.take(4);
  for (let partition = 0; partition < partitions; partition++) {
    const count = blockSamples / partitions - (partition === 0 ? order : 0);
    const parameter = bits.take(parameterBits);
    const plainBits = parameter === 2 ** parameterBits - 1 ? bits.take(5) : null;
    for (let at = 0; at < count; at++) {
      if (plainBits !== null) yield plainBits === 0 ? 0 : bits.signed(plainBits);
      else {
        const folded = bits.zeros() * 2 ** parameter + bits.take(parameter);
        yield folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    }
  }
}

function expectSame(found: number, expected: number, what: string): void {
  if (found !== expected) throw new Error(`${what} is ${found}, not ${expected}`);
}
