/** POST /api/location/getLocationLabelsForOrg: the labels of the locations. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, mapOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

export const getLocationLabelsForOrg = defineEndpoint({
  path: '/api/location/getLocationLabelsForOrg',
  summary: 'Lists the labels of all locations.',
  description: 'Locations without labels are left out.',
  request: Type.Object({}),
  response: {
    locationLabels: mapOf(listOf(plainText('Label.'), 'Its labels.'), 'By the UUID of the location.'),
  },
  example: {
    request: {},
    response: { locationLabels: { [EXAMPLE_LOCATION_UUID]: ['North', 'Warehouse'] } },
  },
  async handler({ orgUuid, services }) {
    const labelled = (await services.locations.list(orgUuid)).filter(({ labels }) => labels.length > 0);
    return { locationLabels: Object.fromEntries(labelled.map(({ uuid, labels }) => [uuid, [...labels]])) };
  },
});
