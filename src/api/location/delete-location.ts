/** POST /api/location/deleteLocation: removes a location that nothing uses. An addition of Sluice. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type ResourceKindName, resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../base/examples.ts';
import { ruuid } from '../base/field-types.ts';
import { DEVICE_ERRORS } from '../relay/errors.ts';
import { declaredLocation } from './declared-location.ts';

/** Users that a refusal names. */
const MAX_NAMED_USERS = 10;

/** Kinds that stand at locations, and what a refusal calls them. */
const LOCATED_KINDS: readonly (readonly [ResourceKindName, string])[] = [
  ['door', 'door'],
  ['elevatorLanding', 'elevator landing'],
  ['lockdownRule', 'lockdown rule'],
  ['accessRevocation', 'access revocation'],
  ['pendingRegistration', 'pending registration'],
];

export const deleteLocation = defineEndpoint({
  path: '/api/location/deleteLocation',
  isExtension: true,
  summary: 'Removes a location.',
  description:
    'Refused while other locations are a part of it or cameras, NVRs, doors, elevator landings, lockdown rules, access revocations or pending registrations ' +
    'belong to it, which the refusal names, and for locations of the configuration file: remove them there.',
  request: Type.Object({ locationUuid: ruuid('The location.') }),
  response: {},
  example: { request: { locationUuid: EXAMPLE_LOCATION_UUID }, response: {} },
  async handler({ orgUuid, services }, { locationUuid }) {
    const { store } = services;
    const location = await store.locations.find(orgUuid, locationUuid);
    if (location === null) {
      throw new GatewayError(DEVICE_ERRORS.LOCATION_NOT_FOUND, { location: locationUuid });
    }
    if (location.fromConfig) throw declaredLocation(location, 'remove it there');
    const users = await usersOf(store, orgUuid, locationUuid);
    if (users.length > 0) throw inUse(locationUuid, users);
    await store.locations.remove(orgUuid, locationUuid);
    return {};
  },
});

/** `camera Lobby`, `NVR Core`… */
async function usersOf(store: Store, orgUuid: Ruuid, locationUuid: Ruuid): Promise<string[]> {
  const cameras = await store.cameras.listRecords(orgUuid);
  const nvrs = await store.nvrs.list(orgUuid);
  const locations = await store.locations.list(orgUuid);
  const users = [
    ...locations.filter((each) => each.parentUuid === locationUuid).map(({ name }) => `location ${name}`),
    ...cameras.filter((each) => each.locationUuid === locationUuid).map(({ name }) => `camera ${name}`),
    ...nvrs.filter((each) => each.locationUuid === locationUuid).map(({ name }) => `NVR ${name}`),
  ];
  for (const [kind, word] of LOCATED_KINDS) {
    const repository = store.resources.of(resourceKind<{ readonly locationUuid?: Ruuid | null }>(kind));
    for (const { name, parentUuid, body } of await repository.list(orgUuid)) {
      if (parentUuid === locationUuid || body.locationUuid === locationUuid) {
        users.push(`${word} ${name}`.trimEnd());
      }
    }
  }
  return users;
}

function inUse(locationUuid: Ruuid, users: readonly string[]): GatewayError {
  const named = users.slice(0, MAX_NAMED_USERS);
  const more = users.length > named.length ? ` and ${users.length - named.length} more` : '';
  return new GatewayError(DEVICE_ERRORS.LOCATION_IN_USE, {
    location: locationUuid,
    sentence: `The location is in use by ${named.join(', ')}${more}.`,
  });
}
