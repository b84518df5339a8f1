/** POST /api/component/findAccessControlledDoors: the doors of the organization, page by page. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY } from '../../http/page-key.ts';
import { creationPage, PAGE_REQUEST_PROPERTIES } from '../types/creation-page.ts';
import { DOOR_SCHEMA, doorAnswer, EXAMPLE_DOOR } from './door-type.ts';

export const findAccessControlledDoors = defineEndpoint({
  path: '/api/component/findAccessControlledDoors',
  summary: 'Lists the doors of the organization.',
  description:
    'Devices report their doors. To get the next page, send back the `lastEvaluatedKey` of the response. The last ' +
    'page has none.',
  request: Type.Object(PAGE_REQUEST_PROPERTIES),
  response: {
    accessControlledDoors: listOf(DOOR_SCHEMA, 'The doors, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { maxPageSize: 100 },
    response: { accessControlledDoors: [EXAMPLE_DOOR], lastEvaluatedKey: null },
  },
  async handler({ orgUuid, services }, body) {
    const { items, lastEvaluatedKey } = await creationPage('accessControlledDoors', body, (query) =>
      services.accessControl.doors.page(orgUuid, query),
    );
    return { accessControlledDoors: LongList.of(items).map(doorAnswer), lastEvaluatedKey };
  },
});
