/**
 * What the console and the page of a watched wall say to each other (docs/design/viewer-page.md#watched-walls). The console always sends
 * the whole picture, so a lost message repairs itself. Pure.
 */

/** A camera that is on the wall now, and where. */
export interface PlacedTile {
  /** UUID of the camera. */
  readonly id: string;
  /** Of a preview of the camera. */
  readonly grant: string;
  readonly name: string;
  /** Since when the gateway cannot reach the camera, epoch milliseconds; null: it can, or has not tried. */
  readonly offlineSinceMs: number | null;
  /** Key that brings it forward; 0: none. */
  readonly number: number;
  /** Fractions of the page. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Large enough for the main stream. */
  readonly isLarge: boolean;
}

/** A tile as the page of the wall reports it. */
export interface TileReport {
  /** UUID of the camera. */
  readonly id: string;
  /** As in tile-text.ts. */
  readonly state: string;
  readonly isRefused: boolean;
  /** Of the opening that was refused. */
  readonly grant: string;
}

/** More than a wall and a camera with an alert. */
const MAX_TILES = 32;
const UUID = /^[\w-]{22}$/;
const GRANT = /^[\w-]{1,200}$/;

/** null: not a message of the console to a wall, or not a valid one. */
export function placedTilesOf(data: unknown): readonly PlacedTile[] | null {
  if (typeof data !== 'object' || data === null) return null;
  const { kind, tiles } = data as Record<string, unknown>;
  if (kind !== 'wall' || !Array.isArray(tiles) || tiles.length > MAX_TILES) return null;
  return tiles.every(isPlacedTile) ? tiles : null;
}

function isPlacedTile(value: unknown): value is PlacedTile {
  if (typeof value !== 'object' || value === null) return false;
  const { id, grant, name, offlineSinceMs, number, x, y, width, height, isLarge } = value as Record<
    string,
    unknown
  >;
  const isNamed = typeof id === 'string' && UUID.test(id) && typeof name === 'string';
  const hasGrant = typeof grant === 'string' && GRANT.test(grant);
  const isPlaced = [x, y, width, height].every(isFraction) && Number.isInteger(number);
  const isTimed = offlineSinceMs === null || Number.isFinite(offlineSinceMs);
  return isNamed && hasGrant && isPlaced && isTimed && typeof isLarge === 'boolean';
}

function isFraction(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
