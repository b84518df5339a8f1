/** POST /api/location/updateLocation: changes a location. An addition of Sluice. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../base/examples.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../base/field-types.ts';
import { DEVICE_ERRORS } from '../relay/errors.ts';
import { declaredLocation } from './declared-location.ts';
import { checkedLocationName, checkTimeZone } from './location-rules.ts';
import { LOCATION_INPUT_SCHEMA } from './location-type.ts';

export const updateLocation = defineEndpoint({
  path: '/api/location/updateLocation',
  isExtension: true,
  summary: 'Changes a location.',
  description:
    'Fields that are absent stay as they are; an empty text clears an address field. A new time zone counts at once for ' +
    'the weekly schedules of its cameras. Locations of the configuration file are refused: change them there.',
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
  async handler({ orgUuid, services }, { location: input }) {
    const { locations } = services.store;
    await locations.change(orgUuid, input.uuid, (location) => {
      if (location === null) {
        throw new GatewayError(DEVICE_ERRORS.LOCATION_NOT_FOUND, { location: input.uuid });
      }
      if (location.fromConfig) throw declaredLocation(location, 'change it there');
      checkTimeZone(input.tz);
      return {
        ...location,
        name: input.name === undefined ? location.name : checkedLocationName(input.name),
        tz: input.tz ?? location.tz,
        latitude: input.latitude ?? location.latitude,
        longitude: input.longitude ?? location.longitude,
        address1: changedText(input.address1, location.address1),
        address2: changedText(input.address2, location.address2),
        postalCode: changedText(input.postalCode, location.postalCode),
        countryCode: changedText(input.countryCode, location.countryCode),
        policyUuid: input.policyUuid ?? location.policyUuid,
        labels: input.labels ?? location.labels,
      };
    });
    return {};
  },
});

function changedText(given: string | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === '' ? null : given;
}
