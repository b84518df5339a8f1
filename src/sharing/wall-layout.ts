/** How the cameras of a video wall share the screen: the rules of a layout. Pure. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { WallCell, WallLayout } from '../store/entities.ts';
import { SHARING_ERRORS } from './errors.ts';

/** Cells of the kind `FREE` lie on a grid of as many columns and as many rows. */
export const LAYOUT_GRID = 12;
/** A page that changes faster cannot be looked at. */
export const MIN_TOUR_SEC = 5;
export const MAX_TOUR_SEC = 600;

/** What is wrong with a layout; the context of VIDEO_WALL_LAYOUT_INVALID has it as `fault`, and the `index` of the cell. */
export type LayoutFault = 'tour' | 'cells' | 'outside' | 'unknown' | 'twice' | 'overlap';

/** `cameraUuids`: those of the wall. Fails with VIDEO_WALL_LAYOUT_INVALID. */
export function checkLayout({ kind, cells, tourSec }: WallLayout, cameraUuids: ReadonlySet<Ruuid>): void {
  const isTour = tourSec === 0 || (tourSec >= MIN_TOUR_SEC && tourSec <= MAX_TOUR_SEC);
  if (!isTour) throw invalid('tour');
  if (kind !== 'FREE' && cells.length > 0) throw invalid('cells');
  for (const [index, cell] of cells.entries()) {
    const before = cells.slice(0, index);
    if (!cameraUuids.has(cell.cameraUuid)) throw invalid('unknown', { index });
    if (before.some(({ cameraUuid }) => cameraUuid === cell.cameraUuid)) throw invalid('twice', { index });
    if (cell.x + cell.width > LAYOUT_GRID || cell.y + cell.height > LAYOUT_GRID) {
      throw invalid('outside', { index });
    }
    const other = before.findIndex((one) => doOverlap(one, cell));
    if (other >= 0) throw invalid('overlap', { index, other });
  }
}

/** The layout without the cells of other cameras. */
export function layoutOf(layout: WallLayout, cameraUuids: ReadonlySet<Ruuid>): WallLayout {
  const cells = layout.cells.filter(({ cameraUuid }) => cameraUuids.has(cameraUuid));
  return cells.length === layout.cells.length ? layout : { ...layout, cells };
}

function doOverlap(a: WallCell, b: WallCell): boolean {
  const isBeside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return !isBeside && a.y + a.height > b.y && b.y + b.height > a.y;
}

function invalid(fault: LayoutFault, context: { index?: number; other?: number } = {}): GatewayError {
  return new GatewayError(SHARING_ERRORS.VIDEO_WALL_LAYOUT_INVALID, { fault, ...context });
}
