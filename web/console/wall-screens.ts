/** How the cameras of a wall share the screen, page by page, and what happens to the others when one comes forward. Pure. */

import { isUprightPhone } from '../wall-grid.ts';
import { type Area, type Cell, fittingCells, isLargeCell, screenfulsOf } from '../wall-layout.ts';
import type { Wall } from './wall-list.ts';
import { t } from './words.ts';

export interface WallScreen {
  /** What people read above it. */
  readonly title: string;
  readonly cameraUuids: readonly string[];
  /** One for each camera; null: as large as fits the area. */
  readonly cells: readonly Cell[] | null;
}

export interface PlacedCamera extends Cell {
  readonly cameraUuid: string;
  /** Large enough for the main stream. */
  readonly isLarge: boolean;
}

/** A camera that comes forward: alone, or large with the others next to it. */
export interface Forward {
  readonly cameraUuid: string;
  readonly kind: 'alone' | 'large';
}

export interface Arrangement {
  /** On a phone, more than the area: the page scrolls. */
  readonly heightPx: number;
  readonly tiles: readonly PlacedCamera[];
}

export type WallLayout = Wall['layout'];

export const LAYOUT_TITLES: Readonly<Record<WallLayout['kind'], string>> = {
  AUTOMATIC: t('Automatic: all cameras, as large as they fit'),
  ONE_PLUS_FIVE: t('1 large and 5 small'),
  TWO_BY_TWO: '2 × 2',
  THREE_BY_THREE: '3 × 3',
  FOUR_BY_FOUR: '4 × 4',
  FREE: t('Free: you place them'),
};

/** More cameras than this have two columns on a phone. */
const MAX_ONE_COLUMN = 3;
const ASPECT = 16 / 9;
/** What a large camera leaves to the others. */
const LARGE = 0.75;

/** `cameraUuids`: those of the wall that exist, in its order. */
export function screensOf(title: string, cameraUuids: readonly string[], layout: WallLayout): WallScreen[] {
  const places = layout.cells.map(({ cameraUuid, ...cell }) => ({ ...cell, id: cameraUuid }));
  return screenfulsOf(cameraUuids, layout.kind, places).map(({ ids, cells }) => ({
    title,
    cameraUuids: ids,
    cells,
  }));
}

/** Where the cameras of a screen are within an area. `forward` null: none is forward. */
export function arrange(screen: WallScreen, area: Area, forward: Forward | null): Arrangement {
  const { cameraUuids } = screen;
  if (forward?.kind === 'alone') {
    return {
      heightPx: area.heightPx,
      tiles: [placed(forward.cameraUuid, { x: 0, y: 0, width: 1, height: 1 }, true)],
    };
  }
  if (isUprightPhone(area.widthPx, area.heightPx))
    return onPhone(cameraUuids, area, forward?.cameraUuid ?? null);
  if (forward !== null) return withLarge(cameraUuids, area, forward.cameraUuid);
  const cells = screen.cells ?? fittingCells(cameraUuids.length, area);
  const tiles = cameraUuids.flatMap((uuid, i) => {
    const cell = cells[i];
    return cell === undefined ? [] : placed(uuid, cell, isLargeCell(cell));
  });
  return { heightPx: area.heightPx, tiles };
}

/** One or two columns; a camera that is forward comes first, and over both. */
function onPhone(
  cameraUuids: readonly string[],
  { widthPx, heightPx }: Area,
  large: string | null,
): Arrangement {
  const others = cameraUuids.filter((uuid) => uuid !== large);
  const columns = cameraUuids.length > MAX_ONE_COLUMN ? 2 : 1;
  const largePx = large === null ? 0 : widthPx / ASPECT;
  const rowPx = widthPx / columns / ASPECT;
  const neededPx = largePx + Math.ceil(others.length / columns) * rowPx;
  const heightOfAllPx = Math.max(heightPx, neededPx);
  const tiles = others.map((uuid, i) =>
    placed(
      uuid,
      {
        x: (i % columns) / columns,
        y: (largePx + Math.floor(i / columns) * rowPx) / heightOfAllPx,
        width: 1 / columns,
        height: rowPx / heightOfAllPx,
      },
      false,
    ),
  );
  if (large === null) return { heightPx: heightOfAllPx, tiles };
  const first = placed(large, { x: 0, y: 0, width: 1, height: largePx / heightOfAllPx }, true);
  return { heightPx: heightOfAllPx, tiles: [first, ...tiles] };
}

/** The others are in a strip to the right. */
function withLarge(cameraUuids: readonly string[], { widthPx, heightPx }: Area, large: string): Arrangement {
  const others = cameraUuids.filter((uuid) => uuid !== large);
  const share = others.length === 0 ? 1 : LARGE;
  const strip = fittingCells(others.length, { widthPx: widthPx * (1 - share), heightPx });
  return {
    heightPx,
    tiles: [
      placed(large, { x: 0, y: 0, width: share, height: 1 }, true),
      ...others.map((uuid, i) => {
        const { x, width, ...rest } = strip[i]!;
        return placed(uuid, { ...rest, x: share + x * (1 - share), width: width * (1 - share) }, false);
      }),
    ],
  };
}

function placed(cameraUuid: string, cell: Cell, isLarge: boolean): PlacedCamera {
  return { cameraUuid, ...cell, isLarge };
}
