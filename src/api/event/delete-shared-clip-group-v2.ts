/** POST /api/event/deleteSharedClipGroupV2: ends the sharing of a group of clips. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_GROUP_LINK } from '../types/shared-group-fields.ts';

export const deleteSharedClipGroupV2 = defineEndpoint({
  path: '/api/event/deleteSharedClipGroupV2',
  summary: 'Deletes a shared group of clips.',
  description: 'Its link stops working right away, and current views and downloads end. The clips stay.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_GROUP_LINK.uuid }, response: {} },
  async handler({ orgUuid, services: { clipGroups } }, { uuid }) {
    await clipGroups.remove(orgUuid, uuid);
    return {};
  },
});
