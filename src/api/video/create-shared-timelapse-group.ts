/** POST /api/video/createSharedTimelapseGroup: shares timelapses by a link. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, ruuid } from '../../http/fields/field-types.ts';
import { MAX_GROUP_ITEMS } from '../../sharing/shared-group-service.ts';
import { EXAMPLE_TIMELAPSE_UUID } from '../types/examples.ts';
import {
  EXAMPLE_GROUP_LINK,
  GROUP_DESCRIPTION,
  GROUP_FIELDS,
  GROUP_LINK_FIELDS,
} from '../types/shared-group-fields.ts';

export const createSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/createSharedTimelapseGroup',
  summary: 'Shares timelapses by one link.',
  description:
    'The page behind the link lists the timelapses, plays them and lets viewers download them, until the link expires ' +
    'or the group is deleted. A timelapse can still be in the making: its page shows how far it is. Deleting a ' +
    'timelapse takes it off the page.',
  repetition: 'once',
  request: Type.Object({
    timelapseUuids: listOf(
      ruuid('Timelapse.'),
      'The timelapses, in the order in which viewers see them. One that is named twice counts once.',
      MAX_GROUP_ITEMS,
    ),
    ...GROUP_FIELDS,
    description: GROUP_DESCRIPTION,
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. If absent, it ' +
          'never ends.',
      ),
    ),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: {
      ...{ timelapseUuids: [EXAMPLE_TIMELAPSE_UUID], title: 'The new roof' },
      ...{ plaintextPassword: 'correct horse battery staple', expirationTimeSecs: 86_400 },
    },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { timelapseUuids, plaintextPassword = '', ...request } = body;
    const group = await services.timelapseGroups.create(orgUuid, {
      ...{ ...request, itemUuids: timelapseUuids, password: plaintextPassword },
    });
    if (plaintextPassword !== '' && group.body.passwordHash === null) {
      context.warn('plaintextPassword is blank, so the group has none: anyone with its link can see it.');
    }
    return { uuid: group.uuid, shareUrl: services.timelapseGroups.pageUrl(group) };
  },
});
