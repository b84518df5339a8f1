/** POST /api/location/getLocations: the organisation's locations. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { flag, listOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { LOCATION_SCHEMA, locationAnswer, locationTree } from './location-type.ts';

export const getLocations = defineEndpoint({
  path: '/api/location/getLocations',
  summary: 'Lists the locations of the organisation.',
  description: 'In order of their names.',
  request: Type.Object({
    subLocationsIncluded: Type.Optional(
      flag(
        'Whether locations stand within the ones that they are a part of, in `subLocations`. Default false: all stand ' +
          'beside each other.',
      ),
    ),
  }),
  response: { locations: listOf(LOCATION_SCHEMA, 'The locations.') },
  example: {
    request: {},
    response: {
      locations: [
        locationAnswer({
          uuid: EXAMPLE_LOCATION_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          name: 'Headquarters',
          tz: 'America/New_York',
          latitude: 40.7,
          longitude: -74,
          address1: '1 Main Street',
          address2: null,
          postalCode: '10001',
          countryCode: 'US',
          parentUuid: null,
          policyUuid: null,
          labels: ['office'],
          createdAtMs: EXAMPLE_TIME_MS,
          fromConfig: false,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { subLocationsIncluded = false }) {
    const byName = await services.locations.listByName(orgUuid);
    return {
      locations: subLocationsIncluded
        ? locationTree(byName)
        : LongList.of(byName).map((location) => locationAnswer(location)),
    };
  },
});
