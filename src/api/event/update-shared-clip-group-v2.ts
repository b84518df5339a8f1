/** POST /api/event/updateSharedClipGroupV2: changes a shared group of clips. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_GROUP_LINK,
  GROUP_DESCRIPTION,
  GROUP_FIELDS,
  GROUP_LINK_FIELDS,
} from '../types/shared-group-fields.ts';

export const updateSharedClipGroupV2 = defineEndpoint({
  path: '/api/event/updateSharedClipGroupV2',
  summary: 'Changes the title, the description, the password or the end of a shared group of clips.',
  description:
    'What is absent stays as it is; a blank `plaintextPassword` removes the password. The link stays the same. A ' +
    'changed password ends all current views and downloads.',
  repetition: 'same-outcome',
  request: Type.Object({
    sharedClipUuid: ruuid('The group.'),
    ...GROUP_FIELDS,
    description: GROUP_DESCRIPTION,
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. 0: it never ends.',
      ),
    ),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: { sharedClipUuid: EXAMPLE_GROUP_LINK.uuid, title: 'Dock and gate, Tuesday' },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler({ orgUuid, services: { clipGroups } }, body) {
    const { sharedClipUuid, plaintextPassword, expirationTimeSecs, title, description } = body;
    const group = await clipGroups.update(orgUuid, sharedClipUuid, {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(plaintextPassword === undefined ? {} : { password: plaintextPassword }),
      ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs: expirationTimeSecs || null }),
    });
    return { uuid: group.uuid, shareUrl: clipGroups.pageUrl(group) };
  },
});
