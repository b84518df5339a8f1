/** POST /api/component/findPaginatedComponentEventsByAccessControlledDoor: the events of a door, page by page. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, listOf, ruuid } from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import type { EventMark } from '../../store/event.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  COMPONENT_EVENT_SCHEMA,
  componentEventAnswer,
  DOOR_EVENTS_PROPERTIES,
  doorEventsQuery,
  EXAMPLE_COMPONENT_EVENT,
} from './component-event-type.ts';
import { EXAMPLE_DOOR_UUID } from './door-type.ts';

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_FILTER_ENTRIES = 500;
const PAGE_LIST = 'componentEvents';

const REQUEST = Type.Object({
  ...DOOR_EVENTS_PROPERTIES,
  userFilter: Type.Optional(
    listOf(
      ruuid('User.'),
      `Only events about these users, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  reverseSearch: Type.Optional(flag('Newest first. Oldest first if absent.')),
  maxPageSize: Type.Optional(
    int32(`Maximum number of events. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
  ),
  lastEvaluatedKey: PAGE_KEY,
});

export const findPaginatedComponentEventsByAccessControlledDoor = defineEndpoint({
  path: '/api/component/findPaginatedComponentEventsByAccessControlledDoor',
  summary: 'Lists the events of a door.',
  description:
    'In the order of `createdAtMs`. To get the next page, send back the `lastEvaluatedKey` of the response, with the ' +
    'other fields unchanged; it is absent on the last page. With filters, a page can be shorter than `maxPageSize`, ' +
    'or empty, without being the last. Events that arrive in the meantime are neither repeated nor hide others.',
  request: REQUEST,
  response: {
    componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      createdAfterMs: EXAMPLE_TIME_MS,
      typeFilter: ['DoorStateChangeEvent'],
      reverseSearch: true,
      maxPageSize: 100,
    },
    response: {
      componentEvents: [EXAMPLE_COMPONENT_EVENT],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, services }, body) {
    const { events, next } = await services.componentEvents.page(orgUuid, {
      ...doorEventsQuery(body),
      order: body.reverseSearch === true ? 'newest-first' : 'oldest-first',
      after: body.lastEvaluatedKey === undefined ? null : markIn(body.lastEvaluatedKey),
      limit: body.maxPageSize ?? DEFAULT_PAGE_SIZE,
      userUuids: body.userFilter === undefined ? null : new Set(body.userFilter),
    });
    return {
      componentEvents: LongList.of(events).map(componentEventAnswer),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGE_LIST, [next.atMs, next.id]),
    };
  },
});

function markIn(key: string): EventMark {
  const [atMs, id] = readPageKey(key, PAGE_LIST, ['number', 'string']);
  return { atMs, id };
}
