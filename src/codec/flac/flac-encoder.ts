/**
 * Encodes blocks of 16-bit samples as FLAC frames of one fixed size. RFC 9639 §9. No linear prediction: the fixed
 * predictors cost little, and speech at telephone rates gains next to nothing from more.
 */

import type { FlacTrack } from '../track.ts';
import { crc8, crc16 } from './crc.ts';
import { FrameBits } from './frame-bits.ts';
import { flacTrackOf, writeStreamInfo } from './stream-info.ts';
import { Subframe } from './subframe.ts';

const BITS_PER_SAMPLE = 16;
/** Header with all its optional fields, the checksum at the end, and what a subframe needs besides its samples. */
const MAX_OVERHEAD_BYTES = 32;
/** A frame number has 31 bits in a stream of fixed block size. */
const FRAME_NUMBERS = 2 ** 31;

/** §9.1.1: sync code, reserved bit, fixed block size. */
const SYNC = 0xfff8;
/** §9.1.3: the channels are coded on their own from 0 on. */
const LEFT_AND_SIDE = 8;
const SIDE_AND_RIGHT = 9;
const SIDE_BITS = BITS_PER_SAMPLE + 1;
/** §9.1.4 */
const SAMPLE_SIZE_16 = 4;
/** §9.1.2: the block size minus one follows in 16 bits. */
const BLOCK_SIZE_FOLLOWS = 7;
/** §9.1.2: rates with a code; others follow in Hz. */
const RATE_CODES: ReadonlyMap<number, number> = new Map([
  [8_000, 4],
  [16_000, 5],
  [22_050, 6],
  [24_000, 7],
  [32_000, 8],
  [44_100, 9],
  [48_000, 10],
]);
const RATE_FOLLOWS = 13;

export interface FlacFormat {
  /** Up to 65,535 Hz. */
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  /** Samples per channel in each frame: 16 to 65,535. */
  readonly blockSamples: number;
}

export class FlacEncoder {
  readonly track: FlacTrack;
  readonly #format: FlacFormat;
  readonly #frame: FrameBits;
  readonly #left: Subframe;
  /** Only of stereo. */
  readonly #right: Subframe | null;
  readonly #side: Subframe | null;
  readonly #sideSamples: Int32Array;
  #frameNumber = 0;

  constructor(format: FlacFormat) {
    const { sampleRateHz, channelCount, blockSamples } = format;
    this.track = flacTrackOf(
      writeStreamInfo({
        minBlockSamples: blockSamples,
        maxBlockSamples: blockSamples,
        sampleRateHz,
        channelCount,
        bitsPerSample: BITS_PER_SAMPLE,
      }),
    )!;
    this.#format = format;
    this.#frame = new FrameBits(MAX_OVERHEAD_BYTES + channelCount * blockSamples * 2 + blockSamples);
    const isStereo = channelCount === 2;
    this.#left = new Subframe(blockSamples);
    this.#right = isStereo ? new Subframe(blockSamples) : null;
    this.#side = isStereo ? new Subframe(blockSamples) : null;
    this.#sideSamples = new Int32Array(isStereo ? blockSamples : 0);
  }

  /** One frame of `blockSamples` 16-bit samples per channel. The result is borrowed: the next call overwrites it. */
  encode(left: Int32Array, right: Int32Array | null): Uint8Array {
    this.#left.plan(left, BITS_PER_SAMPLE);
    let first = this.#left;
    let second: Subframe | null = null;
    let assignment = this.#format.channelCount - 1;
    if (this.#right !== null && this.#side !== null && right !== null) {
      this.#planStereo(left, right, this.#right, this.#side);
      const [leftBits, rightBits, sideBits] = [this.#left.bits, this.#right.bits, this.#side.bits];
      second = this.#right;
      if (sideBits < Math.max(leftBits, rightBits)) {
        const keepsLeft = leftBits <= rightBits;
        assignment = keepsLeft ? LEFT_AND_SIDE : SIDE_AND_RIGHT;
        first = keepsLeft ? this.#left : this.#side;
        second = keepsLeft ? this.#side : this.#right;
      }
    }
    const out = this.#frame;
    out.clear();
    this.#header(out, assignment);
    first.write(out);
    second?.write(out);
    out.align();
    out.put(crc16(out.bytes, out.length), 16);
    this.#frameNumber = (this.#frameNumber + 1) % FRAME_NUMBERS;
    return out.bytes.subarray(0, out.length);
  }

  #planStereo(left: Int32Array, right: Int32Array, rightFrame: Subframe, sideFrame: Subframe): void {
    const side = this.#sideSamples;
    for (let at = 0; at < side.length; at++) side[at] = left[at]! - right[at]!;
    rightFrame.plan(right, BITS_PER_SAMPLE);
    sideFrame.plan(side, SIDE_BITS);
  }

  #header(out: FrameBits, assignment: number): void {
    const { sampleRateHz, blockSamples } = this.#format;
    const rateCode = RATE_CODES.get(sampleRateHz) ?? RATE_FOLLOWS;
    out.put(SYNC, 16);
    out.put((BLOCK_SIZE_FOLLOWS << 4) | rateCode, 8);
    out.put((assignment << 4) | (SAMPLE_SIZE_16 << 1), 8);
    putCodedNumber(out, this.#frameNumber);
    out.put(blockSamples - 1, 16);
    if (rateCode === RATE_FOLLOWS) out.put(sampleRateHz, 16);
    out.put(crc8(out.bytes, out.length), 8);
  }
}

/** Up to 31 bits, coded like a character of UTF-8 as it was first defined. §9.1.5. */
function putCodedNumber(out: FrameBits, value: number): void {
  if (value < 0x80) {
    out.put(value, 8);
    return;
  }
  let following = 1;
  while (following < 5 && value >= 2 ** (6 + 5 * following)) following += 1;
  // As many ones as there are bytes, a zero, and the highest bits of the number.
  const leading = (0xff << (7 - following)) & 0xff;
  out.put(leading | Math.floor(value / 2 ** (6 * following)), 8);
  for (let left = following - 1; left >= 0; left--) out.put(0x80 | ((value >>> (6 * left)) & 0x3f), 8);
}
