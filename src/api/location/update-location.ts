/** POST /api/location/updateLocation: changes a location. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { LOCATION_INPUT_SCHEMA } from './location-type.ts';

export const updateLocation = defineEndpoint({
  path: '/api/location/updateLocation',
  isExtension: true,
  summary: 'Changes a location.',
  description:
    'Absent fields stay as they are; an empty string clears an address field. A new time zone applies to its ' +
    'cameras’ weekly schedules right away. Locations of the configuration file are refused: change them there.',
  repetition: 'same-outcome',
  request: Type.Object({
    location: Type.Object({
      ...LOCATION_INPUT_SCHEMA.properties,
      uuid: ruuid('The location.'),
      name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
    }),
  }),
  response: {},
  example: {
    request: { location: { uuid: EXAMPLE_LOCATION_UUID, tz: 'Europe/Berlin' } },
    response: {},
  },
  async handler({ orgUuid, services }, { location: { uuid, ...details } }) {
    await services.locations.update(orgUuid, uuid, details);
    return {};
  },
});
