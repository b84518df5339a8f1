/** A free layout of a wall while someone changes it: cells on 12 columns and 12 rows, which never cover each other. Pure. */

import { LAYOUT_GRID } from '../wall-layout.ts';
import type { Wall } from './wall-list.ts';
import { arrange, screensOf, type WallLayout } from './wall-screens.ts';

export type FreeCell = Wall['layout']['cells'][number];

/** A smaller picture shows nothing. */
const MIN_SIZE = 2;
/** The shape of most screens. */
const AREA = { widthPx: 1_600, heightPx: 900 };
/** Sizes that a camera gets if there is room. */
const SIZES = [4, 3, 2, 1] as const;

/** The first page of another layout, as cells. */
export function cellsOf(
  cameraUuids: readonly string[],
  kind: Exclude<WallLayout['kind'], 'FREE'>,
): FreeCell[] {
  const [screen] = screensOf('', cameraUuids, { kind, cells: [], tourSec: 0 });
  if (screen === undefined) return [];
  return arrange(screen, AREA, null).tiles.map(({ cameraUuid, x, y, width, height }) => ({
    cameraUuid,
    x: Math.round(x * LAYOUT_GRID),
    y: Math.round(y * LAYOUT_GRID),
    width: Math.round(width * LAYOUT_GRID),
    height: Math.round(height * LAYOUT_GRID),
  }));
}

/** The cells with the camera's at another place or in another size; as they were if that would cover another one. */
export function withCell(cells: readonly FreeCell[], wanted: FreeCell): readonly FreeCell[] {
  const width = clamped(wanted.width, MIN_SIZE, LAYOUT_GRID);
  const height = clamped(wanted.height, MIN_SIZE, LAYOUT_GRID);
  const cell: FreeCell = {
    cameraUuid: wanted.cameraUuid,
    x: clamped(wanted.x, 0, LAYOUT_GRID - width),
    y: clamped(wanted.y, 0, LAYOUT_GRID - height),
    width,
    height,
  };
  const others = cells.filter(({ cameraUuid }) => cameraUuid !== cell.cameraUuid);
  if (others.some((other) => doOverlap(other, cell))) return cells;
  return cells.map((known) => (known.cameraUuid === cell.cameraUuid ? cell : known));
}

/** With a cell for this camera, as large as there is room; null: there is none. */
export function withCamera(cells: readonly FreeCell[], cameraUuid: string): readonly FreeCell[] | null {
  for (const size of SIZES) {
    for (let y = 0; y + size <= LAYOUT_GRID; y++) {
      for (let x = 0; x + size <= LAYOUT_GRID; x++) {
        const cell = { cameraUuid, x, y, width: size, height: size };
        if (!cells.some((other) => doOverlap(other, cell))) return [...cells, cell];
      }
    }
  }
  return null;
}

function doOverlap(a: FreeCell, b: FreeCell): boolean {
  const isBeside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return !isBeside && a.y + a.height > b.y && b.y + b.height > a.y;
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.round(value)));
}
