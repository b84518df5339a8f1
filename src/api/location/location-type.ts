/** The Location type of the API and its way to and from the store. */

import { type Static, Type } from 'typebox';
import type { Location } from '../../store/entities.ts';
import {
  double,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../base/field-types.ts';

/** What callers may send; other fields of the type are not kept. */
export const LOCATION_INPUT_SCHEMA = Type.Object({
  name: text('Its name.', MAX_NAME_LENGTH),
  tz: Type.Optional(
    text('IANA time zone, in which weekly schedules of its cameras are read. UTC when absent.'),
  ),
  latitude: Type.Optional(double('Degrees north.', -90, 90)),
  longitude: Type.Optional(double('Degrees east.', -180, 180)),
  address1: Type.Optional(text('First address line.')),
  address2: Type.Optional(text('Second address line.')),
  postalCode: Type.Optional(text('Postal code.')),
  countryCode: Type.Optional(text('ISO 3166-1 alpha-2 country code.', 2)),
});

export const LOCATION_SCHEMA = namedType('Location', {
  uuid: ruuid('The location.'),
  name: plainText('Its name.'),
  tz: plainText('IANA time zone, in which weekly schedules of its cameras are read.'),
  latitude: nullable(double('Degrees north.')),
  longitude: nullable(double('Degrees east.')),
  address1: nullable(plainText('First address line.')),
  address2: nullable(plainText('Second address line.')),
  postalCode: nullable(plainText('Postal code.')),
  countryCode: nullable(plainText('ISO 3166-1 alpha-2 country code.')),
  policyUuid: nullable(ruuid('Always null.')),
  labels: listOf(plainText('Label.'), 'Always empty.'),
  floorPlans: listOf(Type.Object({}), 'Always empty.'),
  subLocations: listOf(Type.Object({}), 'Always empty: locations have no hierarchy.'),
});

export function locationAnswer(location: Location): Static<typeof LOCATION_SCHEMA> {
  return {
    uuid: location.uuid,
    name: location.name,
    tz: location.tz,
    latitude: location.latitude,
    longitude: location.longitude,
    address1: location.address1,
    address2: location.address2,
    postalCode: location.postalCode,
    countryCode: location.countryCode,
    policyUuid: null,
    labels: [],
    floorPlans: [],
    subLocations: [],
  };
}
