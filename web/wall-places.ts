/**
 * Where the tiles of a shared wall are: as its owner laid them out, or as large as they fit. Pages of a layout are below one another, so
 * people scroll, and a tour does. A phone held upright keeps its list.
 */

import { isUprightPhone, wallGrid } from './wall-grid.ts';
import { fittingCells, isLargeCell, screenfulsOf } from './wall-layout.ts';
import type { WallLayout } from './wall-open.ts';
import type { WallTile } from './wall-tile.ts';

/** After someone touched the wall, the tour waits for this long: they are looking at something. */
const TOUR_REST_MS = 60_000;
const MS_PER_SEC = 1_000;

export class WallPlaces {
  readonly #grid: HTMLElement;
  #layout: WallLayout | null = null;
  #tiles: readonly WallTile[] = [];
  #pages = 1;
  #page = 0;
  #heightPx = 0;
  #turnedAtMs = performance.now();
  #touchedAtMs = Number.NEGATIVE_INFINITY;

  constructor(grid: HTMLElement) {
    this.#grid = grid;
    new ResizeObserver(() => this.#layOut()).observe(grid);
    grid.addEventListener('scroll', () => this.#onScroll());
    for (const type of ['pointerdown', 'wheel', 'keydown', 'touchmove']) {
      document.addEventListener(type, () => this.#touched(), { passive: true });
    }
  }

  /** `tiles`: those that show a camera, in the order of the wall. */
  show(layout: WallLayout, tiles: readonly WallTile[]): void {
    this.#layout = layout;
    this.#tiles = tiles;
    this.#layOut();
  }

  /** Called a few times per second while no camera is enlarged. */
  tour(): void {
    const tourMs = (this.#layout?.tourSec ?? 0) * MS_PER_SEC;
    const nowMs = performance.now();
    const isResting = nowMs - this.#touchedAtMs < TOUR_REST_MS;
    if (tourMs > 0 && !isResting && nowMs - this.#turnedAtMs >= tourMs) this.turn(1);
  }

  /** To another page; around the end. False: there is none. */
  turn(by: 1 | -1): boolean {
    this.#turnedAtMs = performance.now();
    if (this.#pages < 2) return false;
    this.#page = (this.#page + by + this.#pages) % this.#pages;
    this.#scroll();
    return true;
  }

  /** To where people were before this tile was enlarged. */
  return(tile: WallTile): void {
    this.#scroll();
    tile.root.scrollIntoView({ block: 'nearest' });
  }

  #layOut(): void {
    const { clientWidth, clientHeight } = this.#grid;
    const kind = this.#layout?.kind ?? 'AUTOMATIC';
    const isPlaced = kind !== 'AUTOMATIC' && !isUprightPhone(clientWidth, clientHeight);
    this.#grid.dataset.placed = String(isPlaced);
    this.#heightPx = clientHeight;
    if (isPlaced) this.#place();
    else {
      const { columns, rows } = wallGrid(Math.max(1, this.#tiles.length), clientWidth, clientHeight);
      this.#grid.style.setProperty('--columns', String(columns));
      this.#grid.style.setProperty('--rows', String(rows ?? 1));
      this.#grid.dataset.scrolls = String(rows === null);
      this.#pages = 1;
      for (const tile of this.#tiles) tile.setLarge(false);
    }
    this.#page = Math.min(this.#page, this.#pages - 1);
    if (this.#pages > 1) this.#scroll();
  }

  #place(): void {
    const { clientWidth: widthPx, clientHeight: heightPx } = this.#grid;
    const byId = new Map(this.#tiles.map((tile) => [tile.camera?.id ?? '', tile]));
    const pages = screenfulsOf([...byId.keys()], this.#layout!.kind, this.#layout!.cells);
    for (const [page, { ids, cells }] of pages.entries()) {
      const given = cells ?? fittingCells(ids.length, { widthPx, heightPx });
      for (const [i, id] of ids.entries()) {
        const [tile, cell] = [byId.get(id)!, given[i]!];
        const sides = { x: cell.x, y: page + cell.y, width: cell.width, height: cell.height };
        for (const [side, value] of Object.entries(sides)) {
          tile.root.style.setProperty(`--${side}`, String(value));
        }
        tile.setLarge(isLargeCell(cell));
      }
    }
    this.#grid.dataset.scrolls = 'false';
    this.#pages = Math.max(1, pages.length);
  }

  #onScroll(): void {
    const { scrollTop, clientHeight } = this.#grid;
    // A camera that is enlarged is alone, and after a change of the height, the page is scrolled to its place.
    if (document.body.dataset.enlarged === 'true' || clientHeight !== this.#heightPx) return;
    if (this.#pages > 1) this.#page = Math.min(this.#pages - 1, Math.round(scrollTop / clientHeight));
  }

  #scroll(): void {
    if (this.#pages > 1) this.#grid.scrollTop = this.#page * this.#grid.clientHeight;
  }

  #touched(): void {
    this.#touchedAtMs = performance.now();
  }
}
