/** POST /api/video/deleteSharedTimelapseGroup: ends the sharing of a group of timelapses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_GROUP_LINK } from '../types/shared-group-fields.ts';

export const deleteSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/deleteSharedTimelapseGroup',
  summary: 'Deletes a shared group of timelapses.',
  description: 'Its link stops working right away, and current views and downloads end. The timelapses stay.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_GROUP_LINK.uuid }, response: {} },
  async handler({ orgUuid, services: { timelapseGroups } }, { uuid }) {
    await timelapseGroups.remove(orgUuid, uuid);
    return {};
  },
});
