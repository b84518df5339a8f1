import { describe, expect, it } from 'vitest';
import { EOI, jpegHead, SAMPLING_420 } from './baseline-jpeg.ts';
import { hasRestarts, type SheetLayout, sheetJpeg } from './jpeg-sheet.ts';
import { inCodedOrder, jpegTables } from './quantization-tables.ts';

const TABLES = jpegTables(50);
const LAYOUT: SheetLayout = { columns: 2, rows: 2, tileWidthPx: 32, tileHeightPx: 48 };
const HEAD = jpegHead({
  widthPx: 64,
  heightPx: 96,
  sampling: SAMPLING_420,
  luminance: inCodedOrder(TABLES.luminance),
  chrominance: inCodedOrder(TABLES.chrominance),
  restartInterval: 2,
});

/** Rows of blocks: bytes that no coder wrote, with a restart marker after each but the last. */
function tile(...rows: readonly number[]): Uint8Array {
  return Uint8Array.from(rows.flatMap((row, i) => (i === 0 ? [row] : [0xff, 0xd0 + i - 1, row])));
}

describe('a sheet of JPEGs', () => {
  it('has the rows of those next to each other in turn, with restart markers that count on', () => {
    const sheet = sheetJpeg([tile(1, 2, 3), tile(4, 5, 6), tile(7, 8, 9), tile(10, 11, 12)], LAYOUT, TABLES);
    const rows = [1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12];
    const blocks = rows.flatMap((row, i) => (i === 0 ? [row] : [0xff, 0xd0 + ((i - 1) % 8), row]));
    expect(sheet).toEqual(Buffer.concat([HEAD, Buffer.from(blocks), EOI]));
  });

  it('is gray where there is none', () => {
    const sheet = sheetJpeg([null, tile(1, 2, 3), null, null], LAYOUT, TABLES);
    const gray = Buffer.from('28a28a0028a28a00', 'hex');
    expect(sheet.subarray(HEAD.length, HEAD.length + 13)).toEqual(
      Buffer.concat([gray, Buffer.from([0xff, 0xd0, 1, 0xff, 0xd1])]),
    );
    expect(sheet.subarray(-EOI.length - gray.length)).toEqual(Buffer.concat([gray, EOI]));
  });

  it('keeps bytes that look like markers', () => {
    const stuffed = Uint8Array.of(0xff, 0, 0xff, 0xd0, 0xff, 0, 0xff, 0, 0xff, 0xd1, 7);
    const sheet = sheetJpeg([stuffed, null, null, null], LAYOUT, TABLES);
    expect(sheet.indexOf(Buffer.from([0xff, 0, 0xff, 0, 0xff, 0xd2]))).toBeGreaterThan(HEAD.length);
  });
});

describe('restart markers', () => {
  it.each<[string, readonly number[], number, boolean]>([
    ['one row', [1, 2, 0xff, 0], 1, true],
    ['three rows', [1, 0xff, 0xd0, 2, 0xff, 0xd1, 3], 3, true],
    ['too few', [1, 0xff, 0xd0, 2], 3, false],
    ['too many', [1, 0xff, 0xd0, 2], 1, false],
    ['the wrong order', [1, 0xff, 0xd1, 2, 0xff, 0xd0, 3], 3, false],
    ['another marker', [1, 0xff, 0xd9, 2], 2, false],
    ['a marker that is cut', [1, 0xff], 1, false],
    ['fill bytes', [1, 0xff, 0xff, 0xd0, 2], 2, false],
  ])('%s', (_what, bytes, rows, expected) => {
    expect(hasRestarts(Uint8Array.from(bytes), rows)).toBe(expected);
  });
});
