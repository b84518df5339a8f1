/** POST /api/location/createLocation: a new location. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { Location } from '../../store/entities.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { API_ERRORS } from '../base/errors.ts';
import { EXAMPLE_LOCATION_UUID } from '../base/examples.ts';
import { ruuid } from '../base/field-types.ts';
import { checkedLocationName, checkParent, checkTimeZone } from './location-rules.ts';
import { LOCATION_INPUT_SCHEMA } from './location-type.ts';

const MAX_LOCATIONS_PER_ORG = 10_000;
const DEFAULT_TIME_ZONE = 'UTC';

export const createLocation = defineEndpoint({
  path: '/api/location/createLocation',
  summary: 'Creates a location.',
  description: 'Cameras and NVRs refer to it; its time zone is what weekly schedules of its cameras use.',
  request: Type.Object({
    location: LOCATION_INPUT_SCHEMA,
    parentLocationUuid: Type.Optional(ruuid('The location that it is a part of.')),
  }),
  response: { uuid: ruuid('The new location.') },
  example: {
    request: { location: { name: 'Headquarters', tz: 'America/New_York' } },
    response: { uuid: EXAMPLE_LOCATION_UUID },
  },
  async handler(context, { location: input, parentLocationUuid }) {
    const name = checkedLocationName(input.name);
    const { orgUuid, services } = context;
    const known = await services.store.locations.list(orgUuid);
    if (known.length >= MAX_LOCATIONS_PER_ORG) throw new GatewayError(API_ERRORS.TOO_MANY_LOCATIONS);
    if (parentLocationUuid !== undefined) checkParent(known, parentLocationUuid);
    checkTimeZone(input.tz);
    if (input.tz === undefined) {
      context.warn('location.tz is not set: weekly schedules of cameras there are read in UTC.');
    }
    const location: Location = {
      uuid: newRuuid(),
      orgUuid,
      name,
      tz: input.tz ?? DEFAULT_TIME_ZONE,
      latitude: input.latitude ?? null,
      longitude: input.longitude ?? null,
      address1: input.address1 ?? null,
      address2: input.address2 ?? null,
      postalCode: input.postalCode ?? null,
      countryCode: input.countryCode ?? null,
      parentUuid: parentLocationUuid ?? null,
      policyUuid: input.policyUuid ?? null,
      labels: input.labels ?? [],
      createdAtMs: services.clock.epochMs(),
      fromConfig: false,
    };
    await services.store.locations.save(location);
    return { uuid: location.uuid };
  },
});
