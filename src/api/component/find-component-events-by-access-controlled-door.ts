/** POST /api/component/findComponentEventsByAccessControlledDoor: the newest events of a door. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf } from '../../http/fields/field-types.ts';
import {
  COMPONENT_EVENT_SCHEMA,
  componentEventAnswer,
  DOOR_EVENTS_PROPERTIES,
  doorEventsQuery,
  EXAMPLE_COMPONENT_EVENT,
} from './component-event-type.ts';
import { EXAMPLE_DOOR_UUID } from './door-type.ts';

const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 100;

export const findComponentEventsByAccessControlledDoor = defineEndpoint({
  path: '/api/component/findComponentEventsByAccessControlledDoor',
  summary: 'Lists the newest events of a door.',
  description:
    'Newest first, by `createdAtMs`. If there may be older events, `warningMsg` says so: get them with an earlier ' +
    '`createdBeforeMs`, or page through all of them with `findPaginatedComponentEventsByAccessControlledDoor`.',
  request: Type.Object({
    ...DOOR_EVENTS_PROPERTIES,
    limit: Type.Optional(int32(`Maximum number of events. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS)),
  }),
  response: { componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.') },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      typeFilter: ['DoorStateChangeEvent'],
      limit: 100,
    },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { events, next } = await services.componentEvents.page(orgUuid, {
      ...doorEventsQuery(body),
      order: 'newest-first',
      after: null,
      limit: body.limit ?? DEFAULT_EVENTS,
      userUuids: null,
    });
    if (next !== null) {
      context.warn('There may be older events: get them with an earlier createdBeforeMs.');
    }
    return { componentEvents: LongList.of(events).map(componentEventAnswer) };
  },
});
