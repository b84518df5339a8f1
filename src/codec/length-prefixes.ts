/**
 * NAL units of a sample with lengths of four bytes, whatever the sample has: shorter lengths (ISO/IEC 14496-15
 * §5.3.3.1), or start codes, which some encoders write into FLV although it has lengths.
 */

import { START_CODE } from './byte-stream.ts';

const LENGTH_BYTES = 4;
/** No sample has more NAL units than that: an 8K picture has a few hundred slices. */
const MAX_NALUS = 4_096;

export class LengthPrefixes {
  #scratch = new Uint8Array(0);

  /**
   * `sample` itself if there is nothing to convert; otherwise a view of a buffer that the next call reuses. null: the
   * lengths do not add up.
   */
  convert(sample: Uint8Array, lengthBytes: number): Uint8Array | null {
    if (startsWithStartCode(sample)) return this.#join(splitByStartCodes(sample));
    if (lengthBytes === LENGTH_BYTES) return sample;
    return this.#widen(sample, lengthBytes);
  }

  #widen(sample: Uint8Array, lengthBytes: number): Uint8Array | null {
    const nalus: Uint8Array[] = [];
    let at = 0;
    while (at < sample.length) {
      const start = at + lengthBytes;
      if (start > sample.length || nalus.length === MAX_NALUS) return null;
      const length = lengthBytes === 1 ? sample[at]! : (sample[at]! << 8) | sample[at + 1]!;
      if (length === 0 || start + length > sample.length) return null;
      nalus.push(sample.subarray(start, start + length));
      at = start + length;
    }
    return this.#join(nalus);
  }

  #join(nalus: readonly Uint8Array[] | null): Uint8Array | null {
    if (nalus === null || nalus.length === 0) return null;
    let length = 0;
    for (const nalu of nalus) length += LENGTH_BYTES + nalu.length;
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(2 * length);
    const scratch = this.#scratch;
    let at = 0;
    for (const nalu of nalus) {
      scratch[at] = nalu.length >>> 24;
      scratch[at + 1] = nalu.length >>> 16;
      scratch[at + 2] = nalu.length >>> 8;
      scratch[at + 3] = nalu.length;
      scratch.set(nalu, at + LENGTH_BYTES);
      at += LENGTH_BYTES + nalu.length;
    }
    return scratch.subarray(0, length);
  }
}

/** As a length, `00 00 00 01` would be a NAL unit of one byte, which no sample begins with. */
function startsWithStartCode(sample: Uint8Array): boolean {
  if (sample.length < 5 || sample[0] !== 0 || sample[1] !== 0) return false;
  return sample[2] === 0 && sample[3] === 1;
}

/** null: too many. Zeros before a start code are not part of a NAL unit (ISO/IEC 14496-10 §B.1.1). */
function splitByStartCodes(sample: Uint8Array): Uint8Array[] | null {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, sample.length);
  const nalus: Uint8Array[] = [];
  let codeAt = bytes.indexOf(START_CODE);
  for (let codes = 0; codeAt >= 0; codes++) {
    if (codes === MAX_NALUS) return null;
    const start = codeAt + START_CODE.length;
    codeAt = bytes.indexOf(START_CODE, start);
    let end = codeAt < 0 ? bytes.length : codeAt;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (end > start) nalus.push(sample.subarray(start, end));
  }
  return nalus;
}
