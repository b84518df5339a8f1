/** Locations: where cameras, NVRs and doors are. They can be nested. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { inOrderOfNames } from '../core/name-order.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { DEFAULT_TIME_ZONE } from '../store/camera-time-zone.ts';
import type { Location } from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import { type ResourceKindName, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { FloorPlans } from './floor-plans.ts';

/** Absent: not known, or not changed. An empty address field is cleared; so are coordinates by null. */
export interface LocationDetails {
  readonly name?: string;
  /** IANA name; UTC for a new location without one. */
  readonly tz?: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
  readonly address1?: string;
  readonly address2?: string;
  readonly postalCode?: string;
  readonly countryCode?: string;
  readonly policyUuid?: Ruuid;
  readonly labels?: readonly string[];
}

const ROOM: Room = {
  atMost: LIMITS.locations.perOrganization,
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_LOCATIONS),
};
/** The depth of nested locations. */
const MAX_DEPTH = 16;
/** How many users a refusal names. */
const MAX_NAMED_USERS = 10;

/** Kinds that belong to locations, and their names in a refusal. */
const LOCATED_KINDS: readonly (readonly [ResourceKindName, string])[] = [
  ['door', 'door'],
  ['elevatorLanding', 'elevator landing'],
  ['lockdownRule', 'lockdown rule'],
  ['accessRevocation', 'access revocation'],
  ['pendingRegistration', 'pending registration'],
];

export interface LocationServiceOptions {
  readonly store: Pick<Store, 'locations' | 'cameras' | 'nvrs' | 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly floorPlans: Pick<FloorPlans, 'removePlaces'>;
}

export class LocationService {
  readonly #store: LocationServiceOptions['store'];
  readonly #clock: LocationServiceOptions['clock'];
  readonly #floorPlans: LocationServiceOptions['floorPlans'];

  constructor({ store, clock, floorPlans }: LocationServiceOptions) {
    this.#floorPlans = floorPlans;
    this.#store = store;
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<Location[]> {
    return this.#store.locations.list(orgUuid);
  }

  /** Sorted by name. */
  async listByName(orgUuid: Ruuid): Promise<Location[]> {
    return inOrderOfNames(await this.list(orgUuid));
  }

  /**
   * Resolves with its uuid. Fails LOCATION_UNNAMED, LOCATION_TIME_ZONE_UNKNOWN, LOCATION_PARENT_NOT_FOUND,
   * LOCATION_TOO_DEEP, TOO_MANY_LOCATIONS.
   */
  async create(
    orgUuid: Ruuid,
    details: LocationDetails & { readonly name: string },
    parentUuid: Ruuid | null,
  ): Promise<Ruuid> {
    const name = checkedName(details.name);
    const known = await this.#store.locations.list(orgUuid);
    if (parentUuid !== null) checkParent(known, parentUuid);
    checkTimeZone(details.tz);
    const location: Location = {
      uuid: newRuuid(),
      orgUuid,
      name,
      tz: details.tz ?? DEFAULT_TIME_ZONE,
      latitude: details.latitude ?? null,
      longitude: details.longitude ?? null,
      address1: details.address1 ?? null,
      address2: details.address2 ?? null,
      postalCode: details.postalCode ?? null,
      countryCode: details.countryCode ?? null,
      parentUuid,
      policyUuid: details.policyUuid ?? null,
      labels: details.labels ?? [],
      createdAtMs: this.#clock.epochMs(),
      fromConfig: false,
    };
    await this.#store.locations.add(location, ROOM);
    return location.uuid;
  }

  /** Fails LOCATION_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG, LOCATION_UNNAMED, LOCATION_TIME_ZONE_UNKNOWN. */
  async update(orgUuid: Ruuid, uuid: Ruuid, details: LocationDetails): Promise<void> {
    await this.#store.locations.change(orgUuid, uuid, (location) => {
      if (location === null) throw notFound(uuid);
      if (location.fromConfig) throw declared(location, 'change it there');
      checkTimeZone(details.tz);
      return {
        ...location,
        name: details.name === undefined ? location.name : checkedName(details.name),
        tz: details.tz ?? location.tz,
        latitude: details.latitude === undefined ? location.latitude : details.latitude,
        longitude: details.longitude === undefined ? location.longitude : details.longitude,
        address1: changedText(details.address1, location.address1),
        address2: changedText(details.address2, location.address2),
        postalCode: changedText(details.postalCode, location.postalCode),
        countryCode: changedText(details.countryCode, location.countryCode),
        policyUuid: details.policyUuid ?? location.policyUuid,
        labels: details.labels ?? location.labels,
      };
    });
  }

  /** Fails LOCATION_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG, and LOCATION_IN_USE, whose sentence names the users. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const location = await this.#find(orgUuid, uuid);
    if (location.fromConfig) throw declared(location, 'remove it there');
    const users = await this.#usersOf(orgUuid, uuid);
    if (users.length > 0) throw inUse(uuid, users);
    await this.#store.locations.remove(orgUuid, uuid);
    await this.#floorPlans.removePlaces(orgUuid, uuid);
  }

  async #find(orgUuid: Ruuid, uuid: Ruuid): Promise<Location> {
    const location = await this.#store.locations.find(orgUuid, uuid);
    if (location === null) throw notFound(uuid);
    return location;
  }

  /** `camera Lobby`, `NVR Core`… */
  async #usersOf(orgUuid: Ruuid, uuid: Ruuid): Promise<string[]> {
    const store = this.#store;
    const cameras = await store.cameras.listRecords(orgUuid);
    const nvrs = await store.nvrs.list(orgUuid);
    const locations = await store.locations.list(orgUuid);
    const users = [
      ...locations.filter((each) => each.parentUuid === uuid).map(({ name }) => `location ${name}`),
      ...cameras.filter((each) => each.locationUuid === uuid).map(({ name }) => `camera ${name}`),
      ...nvrs.filter((each) => each.locationUuid === uuid).map(({ name }) => `NVR ${name}`),
    ];
    for (const [kind, word] of LOCATED_KINDS) {
      const repository = store.resources.of(resourceKind<{ readonly locationUuid?: Ruuid | null }>(kind));
      for (const { name, parentUuid, body } of await repository.list(orgUuid)) {
        if (parentUuid === uuid || body.locationUuid === uuid) users.push(`${word} ${name}`.trimEnd());
      }
    }
    return users;
  }
}

/** The name without the spaces around it. */
function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new GatewayError(DEVICE_ERRORS.LOCATION_UNNAMED);
  return trimmed;
}

function checkTimeZone(tz: string | undefined): void {
  if (tz !== undefined && !isTimeZone(tz)) throw new GatewayError(DEVICE_ERRORS.LOCATION_TIME_ZONE_UNKNOWN);
}

function checkParent(known: readonly Location[], parentUuid: Ruuid): void {
  const byUuid = new Map(known.map((location) => [location.uuid, location]));
  let parent = byUuid.get(parentUuid);
  if (parent === undefined) throw new GatewayError(DEVICE_ERRORS.LOCATION_PARENT_NOT_FOUND);
  for (let depth = 1; parent !== undefined; depth++) {
    if (depth >= MAX_DEPTH) throw new GatewayError(DEVICE_ERRORS.LOCATION_TOO_DEEP, { limit: MAX_DEPTH });
    parent = parent.parentUuid === null ? undefined : byUuid.get(parent.parentUuid);
  }
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(DEVICE_ERRORS.LOCATION_NOT_FOUND, { location: uuid });
}

function changedText(given: string | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === '' ? null : given;
}

/** `advice`: what to do instead. */
function declared(location: Location, advice: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.DEVICE_DECLARED_IN_CONFIG, {
    location: location.uuid,
    sentence: `The configuration file declares the location ${location.name}: ${advice}.`,
  });
}

function inUse(uuid: Ruuid, users: readonly string[]): GatewayError {
  const named = users.slice(0, MAX_NAMED_USERS);
  const more = users.length > named.length ? ` and ${users.length - named.length} more` : '';
  return new GatewayError(DEVICE_ERRORS.LOCATION_IN_USE, {
    location: uuid,
    sentence: `The location is in use by ${named.join(', ')}${more}.`,
  });
}
