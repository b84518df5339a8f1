/**
 * JPEGs whose every byte but the coded blocks is the gateway's own. The process that has decoded a camera's frame also
 * encodes it, and a frame may have taken it over. So its output is taken apart: tables and sizes must be the requested
 * ones, and a header of our own replaces its header. Only the bits of the blocks remain. ITU-T T.81.
 */

import {
  APP0,
  CODE_LENGTHS,
  DHT,
  DQT,
  DRI,
  EOI,
  frameHeader,
  HUFFMAN_TABLES,
  jpegHead,
  LENGTH_BYTES,
  MARKER,
  MARKER_BYTES,
  quantizer,
  SAMPLING_420,
  SCAN_HEADER,
  SOF0,
  SOI,
  SOS,
  TABLE_VALUES,
} from '../codec/jpeg/baseline-jpeg.ts';
import { hasRestarts, UNIT_PX } from '../codec/jpeg/jpeg-sheet.ts';
import { inCodedOrder, type JpegTables, jpegTables } from '../codec/jpeg/quantization-tables.ts';

interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Quantizer of a block's mean, a multiple of 1/8: ffmpeg's, at every quality. */
const MEAN_QUANTIZER = 8;
/** Table B.1. */
const APP15 = 0xef;
const COM = 0xfe;

/** `qualityPercent`: 1 to 100. */
export function encoderTables(qualityPercent: number): JpegTables {
  const { luminance, chrominance } = jpegTables(qualityPercent);
  return { luminance: luminance.with(0, MEAN_QUANTIZER), chrominance: chrominance.with(0, MEAN_QUANTIZER) };
}

/** `made` with a header of our own; null if it is not one baseline JPEG of this size with these tables and no other. */
export function checkedJpeg(made: Buffer, size: Size, tables: JpegTables): Buffer | null {
  const blocks = blocksOf(made, toldOf(size, tables, null));
  // In the blocks, a zero follows each FF (B.1.1.5): no marker, and so no second picture, is among them.
  if (blocks === null || !hasRestarts(blocks, 1)) return null;
  const [luminance, chrominance] = [inCodedOrder(tables.luminance), inCodedOrder(tables.chrominance)];
  const head = jpegHead({ ...size, sampling: SAMPLING_420, luminance, chrominance, restartInterval: 0 });
  return Buffer.concat([head, blocks, EOI]);
}

/**
 * The coded blocks of `made`, for a sheet (src/codec/jpeg/jpeg-sheet.ts); null if it is not one baseline JPEG of this size with these tables,
 * and a restart marker after each row of blocks. The size is a multiple of UNIT_PX.
 */
export function checkedTile(made: Buffer, size: Size, tables: JpegTables): Buffer | null {
  const restarts = Buffer.alloc(LENGTH_BYTES);
  restarts.writeUInt16BE(size.widthPx / UNIT_PX);
  const blocks = blocksOf(made, toldOf(size, tables, restarts));
  return blocks === null || !hasRestarts(blocks, size.heightPx / UNIT_PX) ? null : blocks;
}

/** The settings that the encoder had to use. */
interface Told {
  readonly quantizers: readonly Buffer[];
  readonly frames: readonly Buffer[];
  /** Content of the restart interval's segment; null: it must have none. */
  readonly restarts: Buffer | null;
}

function toldOf(size: Size, tables: JpegTables, restarts: Buffer | null): Told {
  const [luminance, chrominance] = [inCodedOrder(tables.luminance), inCodedOrder(tables.chrominance)];
  const frame = frameHeader(size, SAMPLING_420, 1);
  // Where both tables are the same, ffmpeg writes one.
  const isOneTable = luminance.equals(chrominance);
  return {
    quantizers: [quantizer(0, luminance), quantizer(1, chrominance)],
    frames: isOneTable ? [frame, frameHeader(size, SAMPLING_420, 0)] : [frame],
    restarts,
  };
}

/** null: the bytes around them are not as expected. */
function blocksOf(made: Buffer, told: Told): Buffer | null {
  const at = scanAt(made, told);
  const end = made.length - EOI.length;
  return at === null || end < at || !made.subarray(end).equals(EOI) ? null : made.subarray(at, end);
}

/** Where the blocks begin; null if the bytes before them are not as expected. */
function scanAt(made: Buffer, told: Told): number | null {
  if (!made.subarray(0, SOI.length).equals(SOI)) return null;
  for (let at = SOI.length; at + MARKER_BYTES + LENGTH_BYTES <= made.length; ) {
    const marker = made[at] === MARKER ? made[at + 1]! : 0;
    const lengthBytes = made.readUInt16BE(at + MARKER_BYTES);
    const end = at + MARKER_BYTES + lengthBytes;
    if (lengthBytes < LENGTH_BYTES || end > made.length) return null;
    const content = made.subarray(at + MARKER_BYTES + LENGTH_BYTES, end);
    if (marker === SOS) return content.equals(SCAN_HEADER) ? end : null;
    if (!isAsTold(marker, content, told)) return null;
    at = end;
  }
  return null;
}

function isAsTold(marker: number, content: Buffer, { quantizers, frames, restarts }: Told): boolean {
  // Left out of the JPEG, whatever they say.
  if (marker === COM || (marker >= APP0 && marker <= APP15)) return true;
  if (marker === DRI) return restarts !== null && content.equals(restarts);
  if (marker === SOF0) return frames.some((frame) => content.equals(frame));
  if (marker === DQT) return consistsOf(content, quantizers, () => 1 + TABLE_VALUES);
  return marker === DHT && consistsOf(content, HUFFMAN_TABLES, huffmanBytes);
}

/** Whether `content` is a row of `tables`, in any order. */
function consistsOf(content: Buffer, tables: readonly Buffer[], lengthOf: (rest: Buffer) => number): boolean {
  for (let rest = content; rest.length > 0; ) {
    const table = rest.subarray(0, lengthOf(rest));
    if (!tables.some((known) => known.equals(table))) return false;
    rest = rest.subarray(table.length);
  }
  return true;
}

/** B.2.4.2: the length follows from how many codes there are. */
function huffmanBytes(table: Buffer): number {
  const counts = table.subarray(1, 1 + CODE_LENGTHS);
  return 1 + CODE_LENGTHS + counts.reduce((sum, count) => sum + count, 0);
}
