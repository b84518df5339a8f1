/** POST /api/component/findComponentEventsByUser: the newest events that a user caused. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EVENT_FILTER_PROPERTIES, EXAMPLE_COMPONENT_EVENT, eventFilter } from './component-event-type.ts';
import {
  COMPONENT_EVENTS,
  DEFAULT_EVENTS,
  EVENT_LIMIT,
  newestEventsAnswer,
} from './newest-component-events.ts';

export const findComponentEventsByUser = defineEndpoint({
  path: '/api/component/findComponentEventsByUser',
  summary: 'Lists the newest events about a user.',
  description:
    'Newest first, by `createdAtMs`: events at any door that were reported with this `userUuid`. Users are those of the system ' +
    'that reports, so an unknown one has no events. At most 5,000 events are searched; if there may be older ones, ' +
    '`warningMsg` says so.',
  request: Type.Object({ userUuid: ruuid('The user.'), ...EVENT_FILTER_PROPERTIES, limit: EVENT_LIMIT }),
  response: COMPONENT_EVENTS,
  example: {
    request: { userUuid: deriveRuuid('example', 'user'), limit: 100 },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const userUuids = new Set([body.userUuid]);
    const filter = { ...eventFilter(body), limit: body.limit ?? DEFAULT_EVENTS, userUuids };
    const page = await context.services.componentEvents.newest(context.orgUuid, filter);
    return newestEventsAnswer(context, page);
  },
});
