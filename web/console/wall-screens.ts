/** How the cameras of a wall share the screen, page by page, and what happens to the others when one comes forward. Pure. */

import { wallGrid } from '../wall-grid.ts';
import type { Wall } from './wall-list.ts';
import { t } from './words.ts';

/** Fractions of the area. */
export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

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

export interface Area {
  readonly widthPx: number;
  readonly heightPx: number;
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

/** Columns and rows of a free layout, as the gateway has them. */
export const LAYOUT_GRID = 12;
/** As many players as one page has. */
export const MAX_ON_SCREEN = 16;
const SIDES = { TWO_BY_TWO: 2, THREE_BY_THREE: 3, FOUR_BY_FOUR: 4 } as const;
/** A narrower area is a phone's, if it is upright. */
const PHONE_WIDTH_PX = 600;
/** More cameras than this have two columns on a phone. */
const MAX_ONE_COLUMN = 3;
const ASPECT = 16 / 9;
/** What a large camera leaves to the others. */
const LARGE = 0.75;

const ONE_PLUS_FIVE: readonly Cell[] = [
  thirds(0, 0, 2),
  thirds(2, 0),
  thirds(2, 1),
  thirds(0, 2),
  thirds(1, 2),
  thirds(2, 2),
];

/** `cameraUuids`: those of the wall that exist, in its order. */
export function screensOf(title: string, cameraUuids: readonly string[], layout: WallLayout): WallScreen[] {
  const { kind } = layout;
  if (cameraUuids.length === 0) return [];
  if (kind === 'AUTOMATIC') return pagesOf(title, cameraUuids, MAX_ON_SCREEN, null);
  if (kind === 'ONE_PLUS_FIVE') return pagesOf(title, cameraUuids, ONE_PLUS_FIVE.length, ONE_PLUS_FIVE);
  if (kind !== 'FREE') return pagesOf(title, cameraUuids, SIDES[kind] ** 2, gridCells(SIDES[kind]));
  const placed = layout.cells.filter(({ cameraUuid }) => cameraUuids.includes(cameraUuid));
  const left = cameraUuids.filter((uuid) => !placed.some(({ cameraUuid }) => cameraUuid === uuid));
  const first: WallScreen = {
    title,
    cameraUuids: placed.map(({ cameraUuid }) => cameraUuid),
    cells: placed.map(({ x, y, width, height }) => scaled({ x, y, width, height }, 1 / LAYOUT_GRID)),
  };
  const others = pagesOf(title, left, MAX_ON_SCREEN, null);
  return placed.length === 0 ? others : [first, ...others];
}

/** Where the cameras of a screen are within an area. `forward` null: none is forward. */
export function arrange(screen: WallScreen, area: Area, forward: Forward | null): Arrangement {
  const { cameraUuids } = screen;
  const isPhone = area.widthPx < PHONE_WIDTH_PX && area.heightPx > area.widthPx;
  if (forward?.kind === 'alone') {
    return {
      heightPx: area.heightPx,
      tiles: [placed(forward.cameraUuid, { x: 0, y: 0, width: 1, height: 1 }, true)],
    };
  }
  if (isPhone) return onPhone(cameraUuids, area, forward?.cameraUuid ?? null);
  if (forward !== null) return withLarge(cameraUuids, area, forward.cameraUuid);
  const cells = screen.cells ?? fittingCells(cameraUuids.length, area);
  // One camera has the whole area, and those of a free layout may be as large.
  const isLarge = ({ width, height }: Cell) => width * height > 0.25;
  const tiles = cameraUuids.flatMap((uuid, i) => {
    const cell = cells[i];
    return cell === undefined ? [] : placed(uuid, cell, isLarge(cell));
  });
  return { heightPx: area.heightPx, tiles };
}

/** As many as fit, without scrolling. */
export function fittingCells(count: number, { widthPx, heightPx }: Area): Cell[] {
  const { columns } = wallGrid(count, Math.max(widthPx, PHONE_WIDTH_PX), Math.max(heightPx, 1));
  const rows = Math.max(1, Math.ceil(count / columns));
  return Array.from({ length: count }, (_, i) => ({
    x: (i % columns) / columns,
    y: Math.floor(i / columns) / rows,
    width: 1 / columns,
    height: 1 / rows,
  }));
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

function pagesOf(
  title: string,
  cameraUuids: readonly string[],
  size: number,
  cells: readonly Cell[] | null,
): WallScreen[] {
  return Array.from({ length: Math.ceil(cameraUuids.length / size) }, (_, page) => ({
    title,
    cameraUuids: cameraUuids.slice(page * size, (page + 1) * size),
    cells,
  }));
}

function gridCells(side: number): Cell[] {
  return Array.from({ length: side * side }, (_, i) => ({
    x: (i % side) / side,
    y: Math.floor(i / side) / side,
    width: 1 / side,
    height: 1 / side,
  }));
}

function thirds(x: number, y: number, size = 1): Cell {
  return scaled({ x, y, width: size, height: size }, 1 / 3);
}

function scaled({ x, y, width, height }: Cell, by: number): Cell {
  return { x: x * by, y: y * by, width: width * by, height: height * by };
}

function placed(cameraUuid: string, cell: Cell, isLarge: boolean): PlacedCamera {
  return { cameraUuid, ...cell, isLarge };
}
