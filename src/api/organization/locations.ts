/** Locations. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  double,
  flag,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import type { Location } from '../../store/entities.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

/** Labels of one location. */
const MAX_LABELS = 100;

/** Fields that callers can send. Other fields of the type are not stored. */
const LOCATION_INPUT_SCHEMA = Type.Object({
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

/** The Location type of the API and its conversion to and from the store. */
const LOCATION_SCHEMA = namedType('Location', {
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

type LocationResponse = Static<typeof LOCATION_SCHEMA>;

function locationResponse(location: Location, subLocations: LocationResponse[] = []): LocationResponse {
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
function locationTree(locations: readonly Location[]): LocationResponse[] {
  const byParent = Map.groupBy(locations, (location) => location.parentUuid);
  const within = (parentUuid: Ruuid | null): LocationResponse[] =>
    (byParent.get(parentUuid) ?? []).map((location) => locationResponse(location, within(location.uuid)));
  return within(null);
}

const LOCATION_LIST_REQUEST = Type.Object({
  subLocationsIncluded: Type.Optional(
    flag(
      'Whether to nest locations in the ones that contain them, in `subLocations`. Default false: a flat list.',
    ),
  ),
});

const LOCATION_LIST_RESPONSE = { locations: listOf(LOCATION_SCHEMA, 'The locations.') };

const EXAMPLE_LOCATION_LIST = {
  request: {},
  response: {
    locations: [
      locationResponse({
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
async function listLocations(
  { orgUuid, services }: CallContext,
  { subLocationsIncluded = false }: Static<typeof LOCATION_LIST_REQUEST>,
) {
  const byName = await services.locations.listByName(orgUuid);
  return {
    locations: subLocationsIncluded
      ? locationTree(byName)
      : LongList.of(byName).map((location) => locationResponse(location)),
  };
}

const getLocations = defineEndpoint({
  path: '/api/location/getLocations',
  summary: 'Lists the locations of the organization.',
  description: 'Sorted by name.',
  request: LOCATION_LIST_REQUEST,
  response: LOCATION_LIST_RESPONSE,
  example: EXAMPLE_LOCATION_LIST,
  handler: listLocations,
});

const getLocationsV2 = defineEndpoint({
  path: '/api/location/getLocationsV2',
  summary: 'Lists the locations of the organization.',
  description: 'Like `getLocations`: sorted by name.',
  request: LOCATION_LIST_REQUEST,
  response: LOCATION_LIST_RESPONSE,
  example: EXAMPLE_LOCATION_LIST,
  handler: listLocations,
});

const getLocationLabelsForOrg = defineEndpoint({
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

const createLocation = defineEndpoint({
  path: '/api/location/createLocation',
  summary: 'Creates a location.',
  description: 'Cameras and NVRs refer to it. Weekly schedules of its cameras use its time zone.',
  repetition: 'once',
  request: Type.Object({
    location: LOCATION_INPUT_SCHEMA,
    parentLocationUuid: Type.Optional(ruuid('The location that contains it.')),
  }),
  response: { uuid: ruuid('The new location.') },
  example: {
    request: { location: { name: 'Headquarters', tz: 'America/New_York' } },
    response: { uuid: EXAMPLE_LOCATION_UUID },
  },
  async handler(context, { location, parentLocationUuid = null }) {
    const { orgUuid, services } = context;
    const uuid = await services.locations.create(orgUuid, location, parentLocationUuid);
    if (location.tz === undefined) {
      context.warn('location.tz is not set: weekly schedules of cameras there use UTC.');
    }
    return { uuid };
  },
});

const updateLocation = defineEndpoint({
  path: '/api/location/updateLocation',
  isExtension: true,
  summary: 'Changes a location.',
  description:
    'Absent fields stay as they are; an empty string clears an address field, and `latitudeUpdated` or `longitudeUpdated` without a ' +
    'value clears that. A new time zone applies to its cameras’ weekly schedules right away. Locations of the configuration file are refused: change them there.',
  repetition: 'same-outcome',
  request: Type.Object({
    location: Type.Object({
      ...LOCATION_INPUT_SCHEMA.properties,
      uuid: ruuid('The location.'),
      name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
      latitudeUpdated: Type.Optional(flag('Whether `latitude` counts also if it is absent.')),
      longitudeUpdated: Type.Optional(flag('Whether `longitude` counts also if it is absent.')),
    }),
  }),
  response: {},
  example: {
    request: { location: { uuid: EXAMPLE_LOCATION_UUID, tz: 'Europe/Berlin' } },
    response: {},
  },
  async handler({ orgUuid, services }, { location }) {
    const { uuid, latitudeUpdated = false, longitudeUpdated = false, ...details } = location;
    const { latitude, longitude } = details;
    await services.locations.update(orgUuid, uuid, {
      ...details,
      ...(latitudeUpdated ? { latitude: latitude ?? null } : {}),
      ...(longitudeUpdated ? { longitude: longitude ?? null } : {}),
    });
    return {};
  },
});

const deleteLocation = defineEndpoint({
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

export const LOCATION_ENDPOINTS: readonly Endpoint[] = [
  getLocations,
  getLocationsV2,
  getLocationLabelsForOrg,
  createLocation,
  updateLocation,
  deleteLocation,
];
