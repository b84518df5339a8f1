/** Quantization tables of JPEG for a quality. ITU-T T.81 annex K.1. */

/** Quantization tables (ITU-T T.81, B.2.4.1), row by row. */
export interface JpegTables {
  readonly luminance: readonly number[];
  readonly chrominance: readonly number[];
}

/** Annex K.1, row by row: the tables of quality 50, which every encoder scales. */
const LUMINANCE: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMINANCE: readonly number[] = [
  17,
  18,
  24,
  47,
  99,
  99,
  99,
  99,
  18,
  21,
  26,
  66,
  99,
  99,
  99,
  99,
  24,
  26,
  56,
  99,
  99,
  99,
  99,
  99,
  47,
  66,
  99,
  99,
  99,
  99,
  99,
  99,
  ...new Array<number>(32).fill(99),
];
/** Figure A.6: where the values of a table in its coded order stand in rows of eight. */
const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46,
  53, 60, 61, 54, 47, 55, 62, 63,
];
/** The largest value in a table with eight bits per value. */
const MAX_QUANTIZER = 255;

/** `qualityPercent`: 1 to 100, with the meaning that libjpeg gave it, and RFC 2435 §4.2 to its Q from 1 to 99. */
export function jpegTables(qualityPercent: number): JpegTables {
  const percent = Math.floor(qualityPercent < 50 ? 5_000 / qualityPercent : 200 - 2 * qualityPercent);
  const scaled = (table: readonly number[]): number[] =>
    table.map((value) => Math.min(MAX_QUANTIZER, Math.max(1, Math.floor((value * percent + 50) / 100))));
  return { luminance: scaled(LUMINANCE), chrominance: scaled(CHROMINANCE) };
}

/** In the order in which a JPEG has them: 64 bytes. */
export function inCodedOrder(table: readonly number[]): Buffer {
  return Buffer.from(ZIGZAG.map((index) => table[index]!));
}
