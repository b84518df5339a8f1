/** The list of locations, for two endpoints. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { flag, listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { LOCATION_SCHEMA, locationAnswer, locationTree } from './location-type.ts';

export const LOCATION_LIST_REQUEST = Type.Object({
  subLocationsIncluded: Type.Optional(
    flag(
      'Whether to nest locations in the ones that contain them, in `subLocations`. Default false: a flat list.',
    ),
  ),
});

export const LOCATION_LIST_RESPONSE = { locations: listOf(LOCATION_SCHEMA, 'The locations.') };

export const EXAMPLE_LOCATION_LIST = {
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
};

/** Sorted by name. */
export async function listLocations(
  { orgUuid, services }: CallContext,
  { subLocationsIncluded = false }: Static<typeof LOCATION_LIST_REQUEST>,
) {
  const byName = await services.locations.listByName(orgUuid);
  return {
    locations: subLocationsIncluded
      ? locationTree(byName)
      : LongList.of(byName).map((location) => locationAnswer(location)),
  };
}
