/** Quantization tables of JPEG over RTP: computed from Q, or in band and remembered by it. RFC 2435 §3.1.4, §3.1.8, §4.2. */

import { inCodedOrder, jpegTables } from '../../codec/jpeg/quantization-tables.ts';

/** 64 values each, in coded order. */
export interface Quantizers {
  readonly luminance: Uint8Array;
  readonly chrominance: Uint8Array;
}

const TABLE_BYTES = 64;
const MAX_COMPUTED_Q = 99;
export const FIRST_IN_BAND_Q = 128;
/** Its tables may change with every picture, and are in every picture. */
const CHANGING_Q = 255;
/** MBZ, precision, length. */
export const TABLE_HEADER_BYTES = 4;

export class QuantizerTables {
  /** By Q: 227 entries at most. */
  readonly #known = new Map<number, Quantizers>();

  /**
   * Takes the table header and tables at the beginning of `chunk[start, end)`, borrowed. Returns the offset behind them;
   * -1 if they are cut off, or need more than eight bits per value, which a baseline JPEG does not have.
   */
  read(q: number, chunk: Uint8Array, start: number, end: number): number {
    if (start + TABLE_HEADER_BYTES > end) return -1;
    const precision = chunk[start + 1]!;
    const lengthBytes = (chunk[start + 2]! << 8) | chunk[start + 3]!;
    const tables = start + TABLE_HEADER_BYTES;
    if (tables + lengthBytes > end) return -1;
    if (q === CHANGING_Q) this.#known.delete(q);
    if (lengthBytes === 0) return tables;
    const luminance = tableAt(chunk, tables, precision & 1, tables + lengthBytes);
    if (luminance === null) return -1;
    const second = tables + TABLE_BYTES * (1 + (precision & 1));
    // Grayscale encoders send one.
    const chrominance =
      second === tables + lengthBytes
        ? luminance
        : tableAt(chunk, second, precision & 2, tables + lengthBytes);
    if (chrominance === null) return -1;
    this.#known.set(q, { luminance, chrominance });
    return tables + lengthBytes;
  }

  /** null for a Q that is reserved, or whose tables have not come. */
  find(q: number): Quantizers | null {
    const known = this.#known.get(q);
    if (known !== undefined || q < 1 || q > MAX_COMPUTED_Q) return known ?? null;
    const { luminance, chrominance } = jpegTables(q);
    const computed = { luminance: inCodedOrder(luminance), chrominance: inCodedOrder(chrominance) };
    this.#known.set(q, computed);
    return computed;
  }
}

/** A copy. `wide`: not 0 if values have 16 bits. No value is 0 (T.81 B.2.4.1). */
function tableAt(chunk: Uint8Array, at: number, wide: number, end: number): Uint8Array | null {
  const step = wide === 0 ? 1 : 2;
  if (at + TABLE_BYTES * step > end) return null;
  const table = new Uint8Array(TABLE_BYTES);
  for (let index = 0; index < TABLE_BYTES; index++) {
    const low = at + index * step + step - 1;
    if ((step === 2 && chunk[low - 1] !== 0) || chunk[low] === 0) return null;
    table[index] = chunk[low]!;
  }
  return table;
}
