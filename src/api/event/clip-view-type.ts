/** How the picture of a clip is cut and straightened. */

import { Type } from 'typebox';
import { double, int32, listOf, mapOf, namedType } from '../fields/field-types.ts';

const MAX_VIEWS = 16;

const ASPECT_RATIO_SCHEMA = namedType('AspectRatio', {
  height: Type.Optional(int32('Height.')),
  width: Type.Optional(int32('Width.')),
});

const DEWARPED_VIEW_SCHEMA = namedType('DewarpedView', {
  aspectRatio: Type.Optional(ASPECT_RATIO_SCHEMA),
  pitchDegrees: Type.Optional(double('Up and down.')),
  rollDegrees: Type.Optional(double('Around the axis of the lens.')),
  yawDegrees: Type.Optional(double('Left and right.')),
  verticalFieldOfViewDegrees: Type.Optional(int32('How much is in view.')),
});

const ALTERED_VIEW_SCHEMA = namedType('AlteredView', {
  crop: Type.Optional(
    namedType('CroppedPermyriadRect', {
      x: Type.Optional(int32('Left edge, in ten-thousandths of the picture.')),
      y: Type.Optional(int32('Upper edge, likewise.')),
      width: Type.Optional(int32('Width, likewise.')),
      height: Type.Optional(int32('Height, likewise.')),
    }),
  ),
  dewarp: Type.Optional(DEWARPED_VIEW_SCHEMA),
});

export const FISHEYE_MAP = mapOf(
  listOf(DEWARPED_VIEW_SCHEMA, 'Views.', MAX_VIEWS),
  'Straightened views, by device.',
);

export const ALTER_MAP = mapOf(listOf(ALTERED_VIEW_SCHEMA, 'Views.', MAX_VIEWS), 'Views, by device.');
