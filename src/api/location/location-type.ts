/** The Location type of the API and its conversion to and from the store. */

import { type Static, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  double,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import type { Location } from '../../store/entities.ts';

/** Labels of one location. */
const MAX_LABELS = 100;

/** What callers can send. Other fields of the type are not stored. */
export const LOCATION_INPUT_SCHEMA = Type.Object({
  name: text('Its name.', MAX_NAME_LENGTH),
  tz: Type.Optional(text('IANA time zone of its cameras’ weekly schedules. Default UTC.')),
  latitude: Type.Optional(double('Degrees north.', -90, 90)),
  longitude: Type.Optional(double('Degrees east.', -180, 180)),
  address1: Type.Optional(text('First address line.')),
  address2: Type.Optional(text('Second address line.')),
  postalCode: Type.Optional(text('Postal code.')),
  countryCode: Type.Optional(text('ISO 3166-1 alpha-2 country code.', 2)),
  policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
  labels: Type.Optional(listOf(text('Label.', MAX_NAME_LENGTH), 'Its labels.', MAX_LABELS)),
});

/** A Location. Its schema cannot refer to itself. */
const SUB_LOCATION = Type.Unsafe<object>({ type: 'object', additionalProperties: true });

export const LOCATION_SCHEMA = namedType('Location', {
  uuid: ruuid('The location.'),
  name: plainText('Its name.'),
  tz: plainText('IANA time zone of its cameras’ weekly schedules.'),
  latitude: nullable(double('Degrees north.')),
  longitude: nullable(double('Degrees east.')),
  address1: nullable(plainText('First address line.')),
  address2: nullable(plainText('Second address line.')),
  postalCode: nullable(plainText('Postal code.')),
  countryCode: nullable(plainText('ISO 3166-1 alpha-2 country code.')),
  policyUuid: nullable(ruuid('The alert policy assigned to it.')),
  labels: listOf(plainText('Label.'), 'Its labels.'),
  floorPlans: listOf(Type.Object({}), 'Always empty.'),
  subLocations: listOf(SUB_LOCATION, 'The locations within it, of the same type, if requested.'),
});

type LocationAnswer = Static<typeof LOCATION_SCHEMA>;

export function locationAnswer(location: Location, subLocations: LocationAnswer[] = []): LocationAnswer {
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
    policyUuid: location.policyUuid,
    labels: [...location.labels],
    floorPlans: [],
    subLocations,
  };
}

/** The top-level locations, each with those within it, in the given order. */
export function locationTree(locations: readonly Location[]): LocationAnswer[] {
  const byParent = Map.groupBy(locations, (location) => location.parentUuid);
  const within = (parentUuid: Ruuid | null): LocationAnswer[] =>
    (byParent.get(parentUuid) ?? []).map((location) => locationAnswer(location, within(location.uuid)));
  return within(null);
}
