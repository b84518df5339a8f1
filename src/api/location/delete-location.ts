/** POST /api/location/deleteLocation: removes a location that nothing uses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

export const deleteLocation = defineEndpoint({
  path: '/api/location/deleteLocation',
  summary: 'Removes a location.',
  description:
    'Refused while it contains other locations, or while cameras, NVRs, doors, elevator landings, lockdown rules, ' +
    'access revocations or pending registrations belong to it; the refusal names them. Locations of the ' +
    'configuration file are refused too: remove them there.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The location.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_LOCATION_UUID }, response: {} },
  async handler({ orgUuid, services }, { uuid }) {
    await services.locations.remove(orgUuid, uuid);
    return {};
  },
});
