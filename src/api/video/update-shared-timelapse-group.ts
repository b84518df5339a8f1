/** POST /api/video/updateSharedTimelapseGroup: changes a shared group of timelapses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_GROUP_LINK,
  GROUP_DESCRIPTION,
  GROUP_FIELDS,
  GROUP_LINK_FIELDS,
} from '../types/shared-group-fields.ts';

const applied = (field: string) => Type.Optional(flag(`Whether to apply \`${field}\`.`));

export const updateSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/updateSharedTimelapseGroup',
  summary: 'Changes the title, the description, the password or the end of a shared group of timelapses.',
  description:
    'A value counts only if its `…Update` flag is true; if the value is then absent, it is cleared: no password, no end. ' +
    'The link stays the same. A changed password ends all current views and downloads.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The group.'),
    ...GROUP_FIELDS,
    description: GROUP_DESCRIPTION,
    titleUpdate: applied('title'),
    descriptionUpdate: applied('description'),
    passwordUpdate: applied('plaintextPassword'),
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. 0: it never ends.',
      ),
    ),
    expirationTimeUpdate: applied('expirationTimeSecs'),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: { uuid: EXAMPLE_GROUP_LINK.uuid, title: 'The new roof, finished', titleUpdate: true },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler({ orgUuid, services: { timelapseGroups } }, body) {
    const { uuid, title = null, description = null, plaintextPassword = null, expirationTimeSecs } = body;
    const group = await timelapseGroups.update(orgUuid, uuid, {
      ...(body.titleUpdate === true ? { title } : {}),
      ...(body.descriptionUpdate === true ? { description } : {}),
      ...(body.passwordUpdate === true ? { password: plaintextPassword } : {}),
      ...(body.expirationTimeUpdate === true ? { expirationTimeSecs: expirationTimeSecs || null } : {}),
    });
    return { uuid: group.uuid, shareUrl: timelapseGroups.pageUrl(group) };
  },
});
