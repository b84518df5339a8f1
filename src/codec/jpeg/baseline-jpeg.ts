/**
 * The parts of a baseline JPEG that every picture of a camera shares, and its header in whole: only the coded blocks come
 * from the camera. ITU-T T.81, JFIF 1.02.
 */

/** Annex K.3: class and number, how many codes of each length from 1 to 16, values. */
export const HUFFMAN_TABLES = [
  '0000010501010101010100000000000000000102030405060708090a0b',
  '0100030101010101010101010000000000000102030405060708090a0b',
  `100002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a16
  1718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92
  939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4
  f5f6f7f8f9fa`,
  `1100020102040403040705040400010277000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434
  e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788
  898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3
  f4f5f6f7f8f9fa`,
].map((hex) => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
/** Before the values of a Huffman table: how many codes there are of each length. */
export const CODE_LENGTHS = 16;
/** Values in a quantization table. */
export const TABLE_VALUES = 64;

/** Table B.1. */
export const MARKER = 0xff;
export const SOI = Buffer.from([MARKER, 0xd8]);
export const EOI = Buffer.from([MARKER, 0xd9]);
export const SOF0 = 0xc0;
export const DHT = 0xc4;
export const SOS = 0xda;
export const DQT = 0xdb;
export const DRI = 0xdd;
export const APP0 = 0xe0;
/** Three components, the first with tables 0, the others with 1; all coefficients of a block in one scan. */
export const SCAN_HEADER = Buffer.from([3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]);
export const MARKER_BYTES = 2;
export const LENGTH_BYTES = 2;
/** Version 1.02, square pixels, no thumbnail (JFIF 1.02). */
const JFIF = segment(APP0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0', 'latin1'));
const HUFFMAN_SEGMENT = segment(DHT, Buffer.concat(HUFFMAN_TABLES));
const SCAN_SEGMENT = segment(SOS, SCAN_HEADER);

/** Luma samples for each color sample, horizontally and vertically: H and V of the first component, four bits each. */
export const SAMPLING_422 = 0x21;
export const SAMPLING_420 = 0x22;

/** A whole baseline JPEG in memory of its own. */
export interface JpegPicture {
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface JpegHead {
  /** 1 to 65,535 each. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sampling: number;
  /** 64 values each, in coded order. */
  readonly luminance: Uint8Array;
  readonly chrominance: Uint8Array;
  /** Blocks between restart markers; 0: there are none. */
  readonly restartInterval: number;
}

/** The segments from SOI to the header of the scan: blocks and EOI follow. A new buffer. */
export function jpegHead(head: JpegHead): Buffer {
  const { luminance, chrominance, restartInterval } = head;
  const quantizers = Buffer.concat([quantizer(0, luminance), quantizer(1, chrominance)]);
  const restarts = Buffer.from([restartInterval >>> 8, restartInterval & 0xff]);
  return Buffer.concat([
    SOI,
    JFIF,
    segment(DQT, quantizers),
    ...(restartInterval === 0 ? [] : [segment(DRI, restarts)]),
    segment(SOF0, frameHeader(head, head.sampling, 1)),
    HUFFMAN_SEGMENT,
    SCAN_SEGMENT,
  ]);
}

/** B.2.4.1, eight bits per value. `values`: in coded order. */
export function quantizer(number: number, values: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([number]), values]);
}

/** B.2.2: eight bits. `colorTable`: the number of the quantization table that colors have. */
export function frameHeader(
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
  sampling: number,
  colorTable: number,
): Buffer {
  const colors = [2, 0x11, colorTable, 3, 0x11, colorTable];
  const header = Buffer.from([8, 0, 0, 0, 0, 3, 1, sampling, 0, ...colors]);
  header.writeUInt16BE(heightPx, 1);
  header.writeUInt16BE(widthPx, 3);
  return header;
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([MARKER, marker, 0, 0]);
  head.writeUInt16BE(LENGTH_BYTES + content.length, MARKER_BYTES);
  return Buffer.concat([head, content]);
}
