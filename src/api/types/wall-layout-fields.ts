/** The layout of a video wall, in requests and responses. */

import { Type } from 'typebox';
import { deviceUuid, int32, listOf, namedType, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { MAX_WALL_CAMERAS } from '../../sharing/video-wall-service.ts';
import { LAYOUT_GRID, MAX_TOUR_SEC } from '../../sharing/wall-layout.ts';
import { WALL_LAYOUT_KINDS } from '../../store/entities.ts';

const CELL_PLACE = {
  x: int32('The first column, from the left, from 0.', 0, LAYOUT_GRID - 1),
  y: int32('The first row, from the top, from 0.', 0, LAYOUT_GRID - 1),
  width: int32('The number of columns.', 1, LAYOUT_GRID),
  height: int32('The number of rows.', 1, LAYOUT_GRID),
};
const CAMERA = 'A camera of the wall.';
const CELL_INPUT = namedType('VideoWallCellInput', { cameraUuid: deviceUuid(CAMERA), ...CELL_PLACE });
const CELL_SCHEMA = namedType('VideoWallCell', { cameraUuid: ruuid(CAMERA), ...CELL_PLACE });

const LAYOUT_KIND = oneOf(
  WALL_LAYOUT_KINDS,
  '`AUTOMATIC` fits all cameras; `ONE_PLUS_FIVE` has one large and five small cells; the grids have 4, 9, and 16; `FREE` has those in ' +
    '`cells`. Cameras without a cell are on further pages.',
);
const CELLS = `The cells of the kind \`FREE\`, which do not overlap, on ${LAYOUT_GRID} columns and ${LAYOUT_GRID} rows.`;
const TOUR = 'Seconds until the next page of cameras is shown; 0: pages change only by hand.';

export const LAYOUT_INPUT = namedType('VideoWallLayoutInput', {
  kind: LAYOUT_KIND,
  cells: Type.Optional(listOf(CELL_INPUT, CELLS, MAX_WALL_CAMERAS)),
  tourSec: Type.Optional(int32(`${TOUR} Default: 0.`, 0, MAX_TOUR_SEC)),
});

export const LAYOUT_SCHEMA = namedType('VideoWallLayout', {
  kind: LAYOUT_KIND,
  cells: listOf(CELL_SCHEMA, CELLS),
  tourSec: int32(TOUR),
});
