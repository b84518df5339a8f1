/**
 * The frame number as pixels: a row of black and white blocks along the top edge that survives coding and scaling,
 * so that a test can read from a screenshot which frame it shows.
 *
 * Eighteen blocks: white, sixteen bits with the most significant first, and a parity block (white when the number of
 * white bits is even). Black is 16 and white 235 in 8-bit luma (ITU-R BT.601).
 */

const BITS = 16;
const BLOCKS = BITS + 2;
/** Height of the strip, as a fraction of the picture's height. */
const STRIP_HEIGHT = 1 / 12;
export const LUMA_BLACK = 16;
export const LUMA_WHITE = 235;
const LUMA_MIDDLE = (LUMA_BLACK + LUMA_WHITE) / 2;

/** Draws the number into a luma plane of `widthPx` × `heightPx`. */
export function drawFrameNumberStrip(
  luma: Uint8Array,
  widthPx: number,
  heightPx: number,
  frame: number,
): void {
  const rows = stripRows(heightPx);
  for (let block = 0; block < BLOCKS; block++) {
    const start = Math.round((block * widthPx) / BLOCKS);
    const end = Math.round(((block + 1) * widthPx) / BLOCKS);
    const value = isWhite(block, frame) ? LUMA_WHITE : LUMA_BLACK;
    for (let row = 0; row < rows; row++) luma.fill(value, row * widthPx + start, row * widthPx + end);
  }
}

/** Rows the strip covers. */
export function stripRows(heightPx: number): number {
  return Math.round(heightPx * STRIP_HEIGHT);
}

/**
 * Reads the number back. `lumaAt` samples the picture at fractions of its width and height. Null if the strip is
 * missing or its parity is wrong.
 */
export function readFrameNumberStrip(lumaAt: (x: number, y: number) => number): number | null {
  const isBlockWhite = (block: number) => lumaAt((block + 0.5) / BLOCKS, STRIP_HEIGHT / 2) > LUMA_MIDDLE;
  if (!isBlockWhite(0)) return null;
  let frame = 0;
  for (let bit = 0; bit < BITS; bit++) frame = frame * 2 + (isBlockWhite(bit + 1) ? 1 : 0);
  return isBlockWhite(BLOCKS - 1) === isWhite(BLOCKS - 1, frame) ? frame : null;
}

function isWhite(block: number, frame: number): boolean {
  if (block === 0) return true;
  if (block <= BITS) return ((frame >> (BITS - block)) & 1) === 1;
  let ones = 0;
  for (let bit = 0; bit < BITS; bit++) ones += (frame >> bit) & 1;
  return ones % 2 === 0;
}
