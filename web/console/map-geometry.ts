/** A street map in Web Mercator (EPSG:3857): where places and tiles are on the screen. Pure. */

import type { Area } from '../wall-layout.ts';

export interface Degrees {
  readonly latitude: number;
  readonly longitude: number;
}

/** Fractions of the whole world from its upper left corner. */
export interface WorldPoint {
  readonly x: number;
  readonly y: number;
}

export interface MapView {
  /** In the middle of the screen. */
  readonly center: WorldPoint;
  /** A whole number: tiles are as sharp as their server made them. */
  readonly zoom: number;
}

/** From the upper left corner of the map's part of the screen. */
export interface ScreenPoint {
  readonly xPx: number;
  readonly yPx: number;
}

export interface MapTile extends ScreenPoint {
  readonly url: string;
}

export const TILE_PX = 256;
/** Beyond it, the projection has no tiles. */
const MAX_LATITUDE = 85.051_128;
export const WORLD: MapView = { center: { x: 0.5, y: 0.36 }, zoom: 2 };
/** A place alone is not shown closer than this: the streets around it say where it is. */
const ALONE_ZOOM = 15;
/** Between places and the edge. */
const EDGE_PX = 60;
/** A tenth of a meter. */
const DIGITS = 6;

export function worldOf({ latitude, longitude }: Degrees): WorldPoint {
  const bounded = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** The longitude is one that exists, however often the map was turned around the world. */
export function degreesOf({ x, y }: WorldPoint): Degrees {
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
  const longitude = (x - Math.floor(x)) * 360 - 180;
  return { latitude: rounded(latitude), longitude: rounded(longitude) };
}

export function screenOf(point: WorldPoint, { center, zoom }: MapView, area: Area): ScreenPoint {
  const worldPx = TILE_PX * 2 ** zoom;
  // The same place is there again and again: the nearest one counts.
  const turns = Math.round(center.x - point.x);
  return {
    xPx: (point.x + turns - center.x) * worldPx + area.widthPx / 2,
    yPx: (point.y - center.y) * worldPx + area.heightPx / 2,
  };
}

export function worldAt({ xPx, yPx }: ScreenPoint, { center, zoom }: MapView, area: Area): WorldPoint {
  const worldPx = TILE_PX * 2 ** zoom;
  return {
    x: center.x + (xPx - area.widthPx / 2) / worldPx,
    y: center.y + (yPx - area.heightPx / 2) / worldPx,
  };
}

/** The map moves with the pointer. */
export function panned({ center, zoom }: MapView, byXPx: number, byYPx: number): MapView {
  const worldPx = TILE_PX * 2 ** zoom;
  const y = Math.max(0, Math.min(1, center.y - byYPx / worldPx));
  const x = center.x - byXPx / worldPx;
  return { center: { x: x - Math.floor(x), y }, zoom };
}

/** What is at `at` stays there. */
export function zoomed(view: MapView, by: number, at: ScreenPoint, area: Area, maxZoom: number): MapView {
  const zoom = Math.max(1, Math.min(maxZoom, view.zoom + by));
  const held = worldAt(at, view, area);
  const now = screenOf(held, { center: view.center, zoom }, area);
  return panned({ center: view.center, zoom }, at.xPx - now.xPx, at.yPx - now.yPx);
}

/** All places, as close as they fit. */
export function fitted(places: readonly Degrees[], area: Area, maxZoom: number): MapView {
  const points = places.map(worldOf);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  if (points.length === 0) return WORLD;
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const roomX = Math.max(TILE_PX / 2, area.widthPx - 2 * EDGE_PX);
  const roomY = Math.max(TILE_PX / 2, area.heightPx - 2 * EDGE_PX);
  const zoom = Math.log2(Math.min(roomX / (right - left), roomY / (bottom - top)) / TILE_PX);
  return {
    center: { x: (left + right) / 2, y: (top + bottom) / 2 },
    zoom: Math.max(1, Math.min(ALONE_ZOOM, maxZoom, Math.floor(zoom))),
  };
}

/** Those on the screen and no others: the owner of the server pays for each. `template`: with {z}, {x}, and {y}. */
export function tilesIn(view: MapView, area: Area, template: string): MapTile[] {
  const count = 2 ** view.zoom;
  const corner = screenOf({ x: Math.floor(view.center.x), y: 0 }, view, area);
  const first = (px: number) => Math.floor(-px / TILE_PX);
  const tiles: MapTile[] = [];
  for (let y = Math.max(0, first(corner.yPx)); y < count; y++) {
    const yPx = corner.yPx + y * TILE_PX;
    if (yPx >= area.heightPx) break;
    for (let x = first(corner.xPx); corner.xPx + x * TILE_PX < area.widthPx; x++) {
      const around = ((x % count) + count) % count;
      const values: Readonly<Record<string, number>> = { z: view.zoom, x: around, y };
      const url = template.replaceAll(/\{([xyz])\}/g, (_all, name: string) => String(values[name]));
      tiles.push({ url, xPx: Math.round(corner.xPx + x * TILE_PX), yPx: Math.round(yPx) });
    }
  }
  return tiles;
}

/** Those that would cover each other are one group. */
export function grouped<Item>(
  items: readonly Item[],
  at: (item: Item) => ScreenPoint,
  apartPx: number,
): { readonly items: readonly Item[]; readonly at: ScreenPoint }[] {
  const groups: { readonly items: Item[]; readonly at: ScreenPoint }[] = [];
  for (const item of items) {
    const place = at(item);
    const near = groups.find(
      (group) => Math.hypot(group.at.xPx - place.xPx, group.at.yPx - place.yPx) < apartPx,
    );
    if (near === undefined) groups.push({ items: [item], at: place });
    else near.items.push(item);
  }
  return groups;
}

/** "52.52, 13.405", as maps copy them; null: they are none. */
export function parsedDegrees(text: string): Degrees | null {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)°?[\s,;]+(-?\d{1,3}(?:\.\d+)?)°?\s*$/.exec(text);
  if (match === null) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

export function degreesText({ latitude, longitude }: Degrees): string {
  return `${rounded(latitude)}, ${rounded(longitude)}`;
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(DIGITS));
}
