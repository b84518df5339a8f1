/**
 * Many small JPEGs as one, without decoding any: all have the same size and tables, and a restart marker after each row of blocks, where
 * the prediction of the mean begins again (ITU-T T.81 F.1.1.5.1). So the rows of pictures that lie next to each other are written one after
 * the other, under a header whose restart interval is the width of one picture.
 */

import { EOI, jpegHead, MARKER, SAMPLING_420 } from './baseline-jpeg.ts';
import { inCodedOrder, type JpegTables } from './quantization-tables.ts';

/** Pixels of a minimum coded unit at 4:2:0, in both directions. */
export const UNIT_PX = 16;
/** RST0 to RST7, Table B.1. */
export const RST0 = 0xd0;
export const RESTART_MARKERS = 8;

export interface SheetLayout {
  readonly columns: number;
  readonly rows: number;
  /** Of one picture; multiples of UNIT_PX. */
  readonly tileWidthPx: number;
  readonly tileHeightPx: number;
}

/**
 * `tiles`: the coded blocks of each picture, with their restart markers, left to right and top to bottom; as many as the layout has. null:
 * gray. Each passed `hasRestarts`.
 */
export function sheetJpeg(
  tiles: readonly (Uint8Array | null)[],
  { columns, rows, tileWidthPx, tileHeightPx }: SheetLayout,
  tables: JpegTables,
): Buffer {
  const unitsPerRow = tileWidthPx / UNIT_PX;
  const unitRows = tileHeightPx / UNIT_PX;
  const head = jpegHead({
    widthPx: columns * tileWidthPx,
    heightPx: rows * tileHeightPx,
    sampling: SAMPLING_420,
    luminance: inCodedOrder(tables.luminance),
    chrominance: inCodedOrder(tables.chrominance),
    restartInterval: unitsPerRow,
  });
  const gray = grayRow(unitsPerRow);
  const split = tiles.map((tile) => (tile === null ? null : rowsOf(tile)));
  const pieces: Uint8Array[] = [head];
  let restarts = 0;
  for (let row = 0; row < rows; row++) {
    for (let unitRow = 0; unitRow < unitRows; unitRow++) {
      for (let column = 0; column < columns; column++) {
        if (pieces.length > 1) pieces.push(RESTARTS[restarts++ % RESTART_MARKERS]!);
        pieces.push(split[row * columns + column]?.[unitRow] ?? gray);
      }
    }
  }
  pieces.push(EOI);
  return Buffer.concat(pieces);
}

/** Whether the coded blocks have a restart marker after each of their rows but the last, in order, and no other marker. */
export function hasRestarts(blocks: Uint8Array, unitRows: number): boolean {
  let restarts = 0;
  for (let at = blocks.indexOf(MARKER); at >= 0; at = blocks.indexOf(MARKER, at + 2)) {
    const code = blocks[at + 1];
    if (code === 0) continue;
    if (code !== RST0 + (restarts % RESTART_MARKERS)) return false;
    restarts++;
  }
  return restarts === unitRows - 1;
}

const RESTARTS = Array.from({ length: RESTART_MARKERS }, (_, i) => Buffer.from([MARKER, RST0 + i]));

function rowsOf(blocks: Uint8Array): Uint8Array[] {
  const rows: Uint8Array[] = [];
  let start = 0;
  for (let at = blocks.indexOf(MARKER); at >= 0; at = blocks.indexOf(MARKER, at + 2)) {
    if (blocks[at + 1] === 0) continue;
    rows.push(blocks.subarray(start, at));
    start = at + 2;
  }
  rows.push(blocks.subarray(start));
  return rows;
}

/**
 * A row of blocks whose means do not differ from the middle and that have nothing else: with Annex K.3, `00` and `1010` for each of the
 * four blocks of luma, `00` and `00` for both of color (F.1.2). The rest of the last byte is ones (F.1.2.3).
 */
function grayRow(units: number): Buffer {
  const bits = `${'001010'.repeat(4)}${'0000'.repeat(2)}`.repeat(units);
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from(padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}
