/** A clip's visibility, and how its video is cropped and dewarped. */

import { Type } from 'typebox';
import { double, int32, listOf, mapOf, namedType, oneOf, ruuid } from '../../http/fields/field-types.ts';

const MAX_LIST_ENTRIES = 100;

/** Groups of people who can see a clip. */
export const CLIP_VISIBILITIES = ['PRIVATE', 'ROLE_RESTRICTED', 'ORG_WIDE'] as const;

export const CLIP_ACCESS_SETTINGS_SCHEMA = namedType('ClipAccessSettings', {
  visibility: Type.Optional(oneOf(CLIP_VISIBILITIES, 'Who can see it. Default ORG_WIDE.')),
  allowedRoles: Type.Optional(listOf(ruuid('Role.'), 'Roles that can see it.', MAX_LIST_ENTRIES)),
  allowedUsers: Type.Optional(listOf(ruuid('User.'), 'Users who can see it.', MAX_LIST_ENTRIES)),
});

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

/** How the video of a clip is cropped and dewarped. */
export const FISHEYE_MAP = mapOf(
  listOf(DEWARPED_VIEW_SCHEMA, 'Views.', MAX_VIEWS),
  'Dewarped views, by device.',
);

export const ALTER_MAP = mapOf(listOf(ALTERED_VIEW_SCHEMA, 'Views.', MAX_VIEWS), 'Views, by device.');
