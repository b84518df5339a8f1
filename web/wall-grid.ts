/** How many columns a wall has. Pure. */

/** Aspect ratio of most cameras. */
const TILE_ASPECT = 16 / 9;
/** Below this width, a page is a phone's: it scrolls. */
const PHONE_WIDTH_PX = 600;
/** On a narrower tile, people cannot recognize anything. */
const MIN_TILE_WIDTH_PX = 200;

export interface WallGrid {
  readonly columns: number;
  /** null: the page scrolls, and a tile is as high as its video. */
  readonly rows: number | null;
}

/** Whether an area is that of a phone that is held upright. */
export function isUprightPhone(widthPx: number, heightPx: number): boolean {
  return widthPx < PHONE_WIDTH_PX && heightPx > widthPx;
}

/** The grid in which as many tiles are largest within an area. */
export function wallGrid(cameras: number, widthPx: number, heightPx: number): WallGrid {
  const tiles = Math.max(1, cameras);
  if (isUprightPhone(widthPx, heightPx)) return { columns: 1, rows: null };
  let best: WallGrid = { columns: 1, rows: tiles };
  let bestWidthPx = 0;
  for (let columns = 1; columns <= tiles; columns++) {
    const rows = Math.ceil(tiles / columns);
    const tileWidthPx = Math.min(widthPx / columns, (heightPx / rows) * TILE_ASPECT);
    if (tileWidthPx > bestWidthPx + 0.5) {
      best = { columns, rows };
      bestWidthPx = tileWidthPx;
    }
  }
  if (bestWidthPx >= MIN_TILE_WIDTH_PX || tiles === 1) return best;
  // It is better to scroll than to guess from a stamp.
  return { columns: Math.max(1, Math.floor(widthPx / MIN_TILE_WIDTH_PX)), rows: null };
}
