/** Digits, colon, point and number sign, 5 by 7 dots, drawn into a luma plane. Needs no font file. */

const GLYPH_COLUMNS = 5;
const GLYPH_ROWS = 7;
/** Columns from one glyph to the next. */
export const GLYPH_ADVANCE = GLYPH_COLUMNS + 1;

/** One number per row, the leftmost dot in bit 4. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  '0': [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
  '1': [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
  '2': [0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f],
  '3': [0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e],
  '4': [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
  '5': [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
  '6': [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
  '7': [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
  '8': [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
  '9': [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
  ':': [0x00, 0x04, 0x04, 0x00, 0x04, 0x04, 0x00],
  '.': [0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c],
  '#': [0x0a, 0x0a, 0x1f, 0x0a, 0x1f, 0x0a, 0x0a],
};

/** A luma plane, `widthPx` bytes per row. */
export interface LumaPlane {
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Draws `text` with its upper left corner at (`x`, `y`), every dot `dotPx` square. What does not fit is cut off;
 * unknown characters are blank.
 */
export function drawText(
  plane: LumaPlane,
  text: string,
  x: number,
  y: number,
  dotPx: number,
  luma: number,
): void {
  for (let index = 0; index < text.length; index++) {
    const rows = GLYPHS[text[index]!] ?? [];
    const glyphX = x + index * GLYPH_ADVANCE * dotPx;
    for (let row = 0; row < rows.length; row++) {
      for (let column = 0; column < GLYPH_COLUMNS; column++) {
        if ((rows[row]! & (1 << (GLYPH_COLUMNS - 1 - column))) !== 0)
          fillRect(plane, glyphX + column * dotPx, y + row * dotPx, dotPx, dotPx, luma);
      }
    }
  }
}

/** Height of a line of text. */
export function textHeightPx(dotPx: number): number {
  return GLYPH_ROWS * dotPx;
}

/** Fills a rectangle, clipped to the plane. */
export function fillRect(
  plane: LumaPlane,
  x: number,
  y: number,
  widthPx: number,
  heightPx: number,
  luma: number,
): void {
  const left = Math.max(0, x);
  const right = Math.min(plane.widthPx, x + widthPx);
  const bottom = Math.min(plane.heightPx, y + heightPx);
  if (left >= right) return;
  for (let row = Math.max(0, y); row < bottom; row++)
    plane.bytes.fill(luma, row * plane.widthPx + left, row * plane.widthPx + right);
}
