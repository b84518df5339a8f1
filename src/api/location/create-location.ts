/** POST /api/location/createLocation: creates a location. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { LOCATION_INPUT_SCHEMA } from './location-type.ts';

export const createLocation = defineEndpoint({
  path: '/api/location/createLocation',
  summary: 'Creates a location.',
  description: 'Cameras and NVRs refer to it. Weekly schedules of its cameras use its time zone.',
  repetition: 'once',
  request: Type.Object({
    location: LOCATION_INPUT_SCHEMA,
    parentLocationUuid: Type.Optional(ruuid('The location that contains it.')),
  }),
  response: { uuid: ruuid('The new location.') },
  example: {
    request: { location: { name: 'Headquarters', tz: 'America/New_York' } },
    response: { uuid: EXAMPLE_LOCATION_UUID },
  },
  async handler(context, { location, parentLocationUuid = null }) {
    const { orgUuid, services } = context;
    const uuid = await services.locations.create(orgUuid, location, parentLocationUuid);
    if (location.tz === undefined) {
      context.warn('location.tz is not set: weekly schedules of cameras there use UTC.');
    }
    return { uuid };
  },
});
