/** What all thumbnails have in common, so that they fit into one JPEG (src/codec/jpeg/jpeg-sheet.ts). */

import type { SheetLayout } from '../codec/jpeg/jpeg-sheet.ts';

/** Frames of another shape than 16:9 have black edges. */
export const SHEET: SheetLayout = { columns: 5, rows: 6, tileWidthPx: 256, tileHeightPx: 144 };
export const SHEET_TILES = SHEET.columns * SHEET.rows;
export const SHEET_WIDTH_PX = SHEET.columns * SHEET.tileWidthPx;
export const SHEET_HEIGHT_PX = SHEET.rows * SHEET.tileHeightPx;
/** Each thumbnail shows a time of this length. */
export const THUMBNAIL_MS = 10_000;
export const SHEET_MS = SHEET_TILES * THUMBNAIL_MS;
/** What lists say: about twice as much as they have. */
export const SHEET_BITS_PER_SEC = 10_000;
/** 1 to 100. Files of thumbnails that exist have this quality. */
export const THUMBNAIL_QUALITY_PERCENT = 50;
/** Limit of the coded blocks of a thumbnail. One that is larger shows noise, and is left out. */
export const MAX_THUMBNAIL_BYTES = 32 * 1_024;

const SHEET_PATTERN = /^([1-9]\d{9,14})_([1-9]\d{0,4})\.jpg$/;

/** The sheet with this number, from 1, of those that begin at `epochMs`, a whole number. `number`: '$Number$' in templates. */
export function sheetName(epochMs: number, number: number | '$Number$'): string {
  return `${epochMs}_${number}.jpg`;
}

/** When the sheet of this name begins, epoch milliseconds; null for anything that is not such a name. */
export function parseSheetName(name: string): number | null {
  const match = SHEET_PATTERN.exec(name);
  return match === null ? null : Number(match[1]) + (Number(match[2]) - 1) * SHEET_MS;
}
