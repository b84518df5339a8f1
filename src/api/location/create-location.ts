/** POST /api/location/createLocation: a new location. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { Location } from '../../store/entities.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { API_ERRORS } from '../base/errors.ts';
import { EXAMPLE_LOCATION_UUID } from '../base/examples.ts';
import { ruuid } from '../base/field-types.ts';
import { invalidField } from '../base/request-body.ts';
import { LOCATION_INPUT_SCHEMA } from './location-type.ts';

const MAX_LOCATIONS_PER_ORG = 10_000;
const DEFAULT_TIME_ZONE = 'UTC';

export const createLocation = defineEndpoint({
  path: '/api/location/createLocation',
  summary: 'Creates a location.',
  description:
    'Cameras get their location in the configuration file; the time zone is what weekly schedules use.',
  request: Type.Object({
    location: LOCATION_INPUT_SCHEMA,
    parentLocationUuid: Type.Optional(ruuid('Refused: locations have no hierarchy.')),
  }),
  response: { uuid: ruuid('The new location.') },
  example: {
    request: { location: { name: 'Headquarters', tz: 'America/New_York' } },
    response: { uuid: EXAMPLE_LOCATION_UUID },
  },
  async handler(context, { location: input, parentLocationUuid }) {
    if (parentLocationUuid !== undefined) {
      throw invalidField('parentLocationUuid must be absent: locations have no hierarchy.');
    }
    if (input.name.trim() === '') throw invalidField('location.name must not be blank.');
    const { orgUuid, services } = context;
    if ((await services.store.locations.list(orgUuid)).length >= MAX_LOCATIONS_PER_ORG) {
      throw new GatewayError(API_ERRORS.TOO_MANY_LOCATIONS);
    }
    if (input.tz !== undefined && !isTimeZone(input.tz)) {
      throw invalidField('location.tz must be an IANA time zone such as America/New_York.');
    }
    if (input.tz === undefined) {
      context.warn('location.tz is not set: weekly schedules of cameras there are read in UTC.');
    }
    const location: Location = {
      uuid: newRuuid(),
      orgUuid,
      name: input.name.trim(),
      tz: input.tz ?? DEFAULT_TIME_ZONE,
      latitude: input.latitude ?? null,
      longitude: input.longitude ?? null,
      address1: input.address1 ?? null,
      address2: input.address2 ?? null,
      postalCode: input.postalCode ?? null,
      countryCode: input.countryCode ?? null,
      createdAtMs: services.clock.epochMs(),
    };
    await services.store.locations.save(location);
    return { uuid: location.uuid };
  },
});

/** Offsets such as `+02:00` are no zones although Intl takes them: they know no daylight saving. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError: a name that Intl does not know.
    return false;
  }
}
