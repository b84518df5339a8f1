/** Who can see a clip. */

import { Type } from 'typebox';
import { listOf, namedType, oneOf, ruuid } from '../../http/fields/field-types.ts';

const MAX_LIST_ENTRIES = 100;

export const CLIP_VISIBILITIES = ['PRIVATE', 'ROLE_RESTRICTED', 'ORG_WIDE'] as const;

export const CLIP_ACCESS_SETTINGS_SCHEMA = namedType('ClipAccessSettings', {
  visibility: Type.Optional(oneOf(CLIP_VISIBILITIES, 'Who can see it. Default ORG_WIDE.')),
  allowedRoles: Type.Optional(listOf(ruuid('Role.'), 'Roles that can see it.', MAX_LIST_ENTRIES)),
  allowedUsers: Type.Optional(listOf(ruuid('User.'), 'Users who can see it.', MAX_LIST_ENTRIES)),
});
