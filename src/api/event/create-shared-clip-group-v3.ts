/** POST /api/event/createSharedClipGroupV3: shares clips by a link. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32 } from '../../http/fields/field-types.ts';
import { EXAMPLE_GROUP_LINK, GROUP_FIELDS, GROUP_LINK_FIELDS } from '../types/shared-group-fields.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';
import { GROUP_CLIPS } from './shared-clip-group-type.ts';

export const createSharedClipGroupV3 = defineEndpoint({
  path: '/api/event/createSharedClipGroupV3',
  summary: 'Shares clips by one link.',
  description:
    'The page behind the link lists the clips, plays them and lets viewers download them, until the link expires or ' +
    'the group is deleted. A clip can still be in the making: its page shows how far it is. Clips that were reported ' +
    'without their video cannot be shared. Deleting a clip takes it off the page.',
  repetition: 'once',
  request: Type.Object({
    uuids: GROUP_CLIPS,
    ...GROUP_FIELDS,
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
      uuids: [{ eventUuid: EXAMPLE_CLIP.uuid }],
      title: 'Dock, Tuesday',
      plaintextPassword: 'correct horse battery staple',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler(context, body) {
    const {
      orgUuid,
      services: { clipGroups },
    } = context;
    const { uuids, plaintextPassword = '', ...request } = body;
    const wish = {
      ...{ ...request, password: plaintextPassword },
      clips: uuids.map(({ eventUuid, alertUuid }) => ({
        ...(eventUuid === undefined ? {} : { clipUuid: eventUuid }),
        ...(alertUuid === undefined ? {} : { alertUuid }),
      })),
    };
    const group = await clipGroups.create(orgUuid, wish, context.caller.actor.uuid);
    if (plaintextPassword !== '' && group.body.passwordHash === null) {
      context.warn('plaintextPassword is blank, so the group has none: anyone with its link can see it.');
    }
    return { uuid: group.uuid, shareUrl: clipGroups.pageUrl(group) };
  },
});
