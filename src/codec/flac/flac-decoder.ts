/**
 * Decodes FLAC frames of 16-bit samples in one or two channels, such as those of `FlacEncoder`. RFC 9639 §9. Frames may be
 * anything: one that is not FLAC, or not of this kind, is `null`.
 */

import { crc8, crc16 } from './crc.ts';

const SYNC_CODE = 0x3ffe;
const SAMPLE_BITS = 16;
/** §9.1.4: the size is that of STREAMINFO, or 16 bits. */
const SAMPLE_SIZE_CODES: ReadonlySet<number> = new Set([0, 4]);
const LEFT_AND_SIDE = 8;
const SIDE_AND_RIGHT = 9;
const MID_AND_SIDE = 10;
const MAX_CHANNELS = 2;
const TYPE_CONSTANT = 0;
const TYPE_VERBATIM = 1;
const TYPE_FIXED = 8;
const TYPE_LINEAR = 32;
/** §9.2.5: coefficients of the fixed predictors, of the newest sample first. */
const FIXED_PREDICTORS = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]] as const;
const INVALID_PRECISION_BITS = 16;

/** `samples`: of all channels, interleaved. */
export interface FlacBlock {
  readonly channelCount: number;
  readonly samples: Int16Array;
}

/** null: not a frame that it decodes, or damaged. */
export function decodeFlacFrame(frame: Uint8Array): FlacBlock | null {
  const bits = new FrameReader(frame);
  const header = readHeader(frame, bits);
  if (header === null) return null;
  const { blockSamples, assignment } = header;
  const channelCount = assignment >= LEFT_AND_SIDE ? 2 : assignment + 1;
  const channels: Int32Array[] = [];
  for (let channel = 0; channel < channelCount; channel++) {
    const isSide = assignment >= LEFT_AND_SIDE && (assignment === SIDE_AND_RIGHT) === (channel === 0);
    const decoded = readSubframe(bits, isSide ? SAMPLE_BITS + 1 : SAMPLE_BITS, blockSamples);
    if (decoded === null) return null;
    channels.push(decoded);
  }
  bits.align();
  const end = bits.byteAt;
  const isWhole = bits.take(16) === crc16(frame, end) && !bits.isOver;
  return isWhole ? { channelCount, samples: interleaved(channels, assignment, blockSamples) } : null;
}

function readHeader(
  frame: Uint8Array,
  bits: FrameReader,
): { readonly blockSamples: number; readonly assignment: number } | null {
  const isSynced = bits.take(14) === SYNC_CODE;
  bits.take(2);
  const sizeCode = bits.take(4);
  const rateCode = bits.take(4);
  const assignment = bits.take(4);
  const isKnown = SAMPLE_SIZE_CODES.has(bits.take(3)) && assignment <= MID_AND_SIDE;
  bits.take(1);
  // §9.1.5: the frame's number, coded like a character of UTF-8.
  let ones = 0;
  while (ones < 8 && bits.take(1) === 1) ones++;
  bits.take(Math.max(0, 7 - ones));
  for (let following = 1; following < ones; following++) bits.take(8);
  const blockSamples = readBlockSize(bits, sizeCode);
  if (rateCode >= 12) bits.take(rateCode === 12 ? 8 : 16);
  const end = bits.byteAt;
  const isWhole = bits.take(8) === crc8(frame, Math.min(end, frame.length)) && !bits.isOver;
  const isMade = assignment >= LEFT_AND_SIDE || assignment < MAX_CHANNELS;
  return isSynced && isKnown && isMade && isWhole && blockSamples > 0 ? { blockSamples, assignment } : null;
}

/** §9.1.1. 0: reserved. */
function readBlockSize(bits: FrameReader, code: number): number {
  if (code === 0) return 0;
  if (code === 1) return 192;
  if (code <= 5) return 144 << code;
  if (code === 6) return bits.take(8) + 1;
  return code === 7 ? bits.take(16) + 1 : 1 << code;
}

function readSubframe(bits: FrameReader, fullBits: number, blockSamples: number): Int32Array | null {
  if (bits.take(1) !== 0) return null;
  const type = bits.take(6);
  const wastedBits = bits.take(1) === 1 ? bits.zeros() + 1 : 0;
  const sampleBits = fullBits - wastedBits;
  if (sampleBits <= 0) return null;
  const samples = new Int32Array(blockSamples);
  if (type === TYPE_CONSTANT) samples.fill(bits.signed(sampleBits));
  else if (type === TYPE_VERBATIM)
    for (let at = 0; at < blockSamples; at++) samples[at] = bits.signed(sampleBits);
  else if (!readPredicted(bits, type, sampleBits, samples)) return null;
  if (bits.isOver) return null;
  if (wastedBits > 0) for (let at = 0; at < blockSamples; at++) samples[at] = samples[at]! << wastedBits;
  return samples;
}

/** §9.2.5, §9.2.6: the first samples, then what the predictor misses. False: it is neither. */
function readPredicted(bits: FrameReader, type: number, sampleBits: number, samples: Int32Array): boolean {
  const isLinear = type >= TYPE_LINEAR;
  const fixed = FIXED_PREDICTORS[type - TYPE_FIXED];
  if (!isLinear && fixed === undefined) return false;
  const order = isLinear ? type - TYPE_LINEAR + 1 : fixed!.length;
  if (order > samples.length) return false;
  for (let at = 0; at < order; at++) samples[at] = bits.signed(sampleBits);
  let factors: readonly number[] = fixed ?? [];
  let shift = 0;
  if (isLinear) {
    const precisionBits = bits.take(4) + 1;
    shift = bits.signed(5);
    if (precisionBits === INVALID_PRECISION_BITS || shift < 0) return false;
    factors = Array.from({ length: order }, () => bits.signed(precisionBits));
  }
  if (!readResidual(bits, order, samples)) return false;
  for (let at = order; at < samples.length; at++) {
    let sum = 0;
    for (let back = 0; back < order; back++) sum += factors[back]! * samples[at - 1 - back]!;
    samples[at] = samples[at]! + Math.floor(sum / 2 ** shift);
  }
  return true;
}

/** §9.2.7: Rice codes in partitions, or plain numbers where those are shorter, to `samples` from `order` on. */
function readResidual(bits: FrameReader, order: number, samples: Int32Array): boolean {
  const method = bits.take(2);
  if (method > 1) return false;
  const parameterBits = method === 0 ? 4 : 5;
  const partitions = 1 << bits.take(4);
  const partitionSamples = samples.length / partitions;
  if (!Number.isInteger(partitionSamples) || partitionSamples < order) return false;
  let at = order;
  for (let partition = 1; partition <= partitions && !bits.isOver; partition++) {
    const parameter = bits.take(parameterBits);
    const isPlain = parameter === (1 << parameterBits) - 1;
    const plainBits = isPlain ? bits.take(5) : 0;
    for (; at < partition * partitionSamples; at++) {
      samples[at] = isPlain
        ? bits.signed(plainBits)
        : unfolded(bits.zeros() * 2 ** parameter + bits.take(parameter));
    }
  }
  return true;
}

function unfolded(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function interleaved(channels: readonly Int32Array[], assignment: number, blockSamples: number): Int16Array {
  const [first, second] = channels;
  if (second === undefined) return Int16Array.from(first!);
  const samples = new Int16Array(2 * blockSamples);
  for (let at = 0; at < blockSamples; at++) {
    const [a, b] = [first![at]!, second[at]!];
    // §4.2: of mid and side, the lowest bit of the sum is that of the difference.
    const mid = 2 * a + (b & 1);
    const isMid = assignment === MID_AND_SIDE;
    samples[2 * at] = isMid ? (mid + b) >> 1 : assignment === SIDE_AND_RIGHT ? a + b : a;
    samples[2 * at + 1] = isMid ? (mid - b) >> 1 : assignment === LEFT_AND_SIDE ? a - b : b;
  }
  return samples;
}

/** Bits of a frame, most significant first. Behind its end there are zeros, and `isOver` holds. */
class FrameReader {
  readonly #bytes: Uint8Array;
  /** In bits. */
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at > 8 * this.#bytes.length;
  }

  /** Where the next whole byte begins, once `align` was called. */
  get byteAt(): number {
    return this.#at >> 3;
  }

  /** `count`: 0 to 32. */
  take(count: number): number {
    let value = 0;
    let left = count;
    while (left > 0) {
      const available = 8 - (this.#at & 7);
      const bits = Math.min(available, left);
      const byte = this.#bytes[this.#at >> 3] ?? 0;
      value = value * 2 ** bits + ((byte >> (available - bits)) & ((1 << bits) - 1));
      this.#at += bits;
      left -= bits;
    }
    return value;
  }

  signed(count: number): number {
    const value = this.take(count);
    return count > 0 && value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Zero bits before the next one bit, which is taken, too. */
  zeros(): number {
    let count = 0;
    while (!this.isOver && this.take(1) === 0) count++;
    return count;
  }

  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
