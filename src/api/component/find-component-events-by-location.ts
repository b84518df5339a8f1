/** POST /api/component/findComponentEventsByLocation: the newest events of the doors at a location. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { EVENT_FILTER_PROPERTIES, EXAMPLE_COMPONENT_EVENT, eventFilter } from './component-event-type.ts';
import {
  COMPONENT_EVENTS,
  DEFAULT_EVENTS,
  EVENT_LIMIT,
  newestEventsAnswer,
} from './newest-component-events.ts';

export const findComponentEventsByLocation = defineEndpoint({
  path: '/api/component/findComponentEventsByLocation',
  summary: 'Lists the newest events of the doors at a location.',
  description:
    'Newest first, by `createdAtMs`: events that were reported for the location, and those of the doors that are there now.',
  request: Type.Object({
    locationUuid: ruuid('The location.'),
    ...EVENT_FILTER_PROPERTIES,
    limit: EVENT_LIMIT,
  }),
  response: COMPONENT_EVENTS,
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID, limit: 100 },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const locations = await services.locations.list(orgUuid);
    if (!locations.some(({ uuid }) => uuid === body.locationUuid)) {
      throw invalidField('There is no location with this locationUuid.');
    }
    const filter = { ...eventFilter(body), limit: body.limit ?? DEFAULT_EVENTS, userUuids: null };
    const page = await services.componentEvents.newestAt(orgUuid, body.locationUuid, filter);
    return newestEventsAnswer(context, page);
  },
});
