/** POST /api/location/deleteLocation: removes a location that nothing uses. */

import { Type } from 'typebox';
import { ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

export const deleteLocation = defineEndpoint({
  path: '/api/location/deleteLocation',
  summary: 'Removes a location.',
  description:
    'Refused while other locations are a part of it or cameras, NVRs, doors, elevator landings, lockdown rules, access revocations or pending registrations ' +
    'belong to it, which the refusal names, and for locations of the configuration file: remove them there.',
  request: Type.Object({ uuid: ruuid('The location.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_LOCATION_UUID }, response: {} },
  async handler({ orgUuid, services }, { uuid }) {
    await services.locations.remove(orgUuid, uuid);
    return {};
  },
});
