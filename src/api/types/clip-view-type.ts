/** How the video of a clip is cropped and dewarped. */

import { Type } from 'typebox';
import { double, int32, listOf, mapOf, namedType } from '../../http/fields/field-types.ts';

const MAX_VIEWS = 16;

const ASPECT_RATIO_SCHEMA = namedType('AspectRatio', {
  height: Type.Optional(int32('Height.')),
  width: Type.Optional(int32('Width.')),
});

const DEWARPED_VIEW_SCHEMA = namedType('DewarpedView', {
  aspectRatio: Type.Optional(ASPECT_RATIO_SCHEMA),
  pitchDegrees: Type.Optional(double('Vertical rotation.')),
  rollDegrees: Type.Optional(double('Rotation around the axis of the lens.')),
  yawDegrees: Type.Optional(double('Horizontal rotation.')),
  verticalFieldOfViewDegrees: Type.Optional(int32('Vertical field of view.')),
});

const ALTERED_VIEW_SCHEMA = namedType('AlteredView', {
  crop: Type.Optional(
    namedType('CroppedPermyriadRect', {
      x: Type.Optional(int32('Left edge, in ten-thousandths of the image.')),
      y: Type.Optional(int32('Top edge, in ten-thousandths of the image.')),
      width: Type.Optional(int32('Width, likewise.')),
      height: Type.Optional(int32('Height, likewise.')),
    }),
  ),
  dewarp: Type.Optional(DEWARPED_VIEW_SCHEMA),
});

export const FISHEYE_MAP = mapOf(
  listOf(DEWARPED_VIEW_SCHEMA, 'Views.', MAX_VIEWS),
  'Dewarped views, by device.',
);

export const ALTER_MAP = mapOf(listOf(ALTERED_VIEW_SCHEMA, 'Views.', MAX_VIEWS), 'Views, by device.');
