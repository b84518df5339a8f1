/** The layouts of a wall: where its cameras are on the screen, page by page. The console and the page of a link have the same. Pure. */

import { wallGrid } from './wall-grid.ts';

/** Fractions of the area. */
export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Area {
  readonly widthPx: number;
  readonly heightPx: number;
}

export type WallLayoutKind = 'AUTOMATIC' | 'ONE_PLUS_FIVE' | keyof typeof SIDES | 'FREE';

/** A cell of a free layout, in columns and rows. */
export interface FreePlace extends Cell {
  readonly id: string;
}

/** Cameras that are on the screen at the same time. */
export interface WallScreenful {
  readonly ids: readonly string[];
  /** One for each camera; null: as large as fits the area. */
  readonly cells: readonly Cell[] | null;
}

/** Columns and rows of a free layout, as the gateway has them. */
export const LAYOUT_GRID = 12;
/** A narrower area could be a phone's, whose page scrolls. */
const MIN_WIDTH_PX = 600;
/** As many players as one page has. */
const MAX_ON_SCREEN = 16;
const SIDES = { TWO_BY_TWO: 2, THREE_BY_THREE: 3, FOUR_BY_FOUR: 4 } as const;

const ONE_PLUS_FIVE: readonly Cell[] = [
  thirds(0, 0, 2),
  thirds(2, 0),
  thirds(2, 1),
  thirds(0, 2),
  thirds(1, 2),
  thirds(2, 2),
];

export function isLayoutKind(value: unknown): value is WallLayoutKind {
  return ['AUTOMATIC', 'ONE_PLUS_FIVE', 'FREE', ...Object.keys(SIDES)].includes(value as string);
}

/** `ids`: the cameras that exist, in the order of the wall. `places`: of the kind `FREE`. A camera without a cell is on a further page. */
export function screenfulsOf(
  ids: readonly string[],
  kind: WallLayoutKind,
  places: readonly FreePlace[],
): WallScreenful[] {
  if (kind === 'AUTOMATIC') return pagesOf(ids, MAX_ON_SCREEN, null);
  if (kind === 'ONE_PLUS_FIVE') return pagesOf(ids, ONE_PLUS_FIVE.length, ONE_PLUS_FIVE);
  if (kind !== 'FREE') return pagesOf(ids, SIDES[kind] ** 2, gridCells(SIDES[kind]));
  const placed = places.filter(({ id }) => ids.includes(id));
  const left = ids.filter((each) => !placed.some(({ id }) => id === each));
  const others = pagesOf(left, MAX_ON_SCREEN, null);
  if (placed.length === 0) return others;
  return [
    { ids: placed.map(({ id }) => id), cells: placed.map((cell) => scaled(cell, 1 / LAYOUT_GRID)) },
    ...others,
  ];
}

/** As many as fit, without scrolling. */
export function fittingCells(count: number, { widthPx, heightPx }: Area): Cell[] {
  const { columns } = wallGrid(count, Math.max(widthPx, MIN_WIDTH_PX), Math.max(heightPx, 1));
  const rows = Math.max(1, Math.ceil(count / columns));
  return Array.from({ length: count }, (_, i) => ({
    x: (i % columns) / columns,
    y: Math.floor(i / columns) / rows,
    width: 1 / columns,
    height: 1 / rows,
  }));
}

/** Whether a tile is large enough for the main stream. */
export function isLargeCell({ width, height }: Cell): boolean {
  return width * height > 0.25;
}

function pagesOf(ids: readonly string[], size: number, cells: readonly Cell[] | null): WallScreenful[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => ({
    ids: ids.slice(page * size, (page + 1) * size),
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
