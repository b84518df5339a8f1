/**
 * The views of limited callers (acting-view.ts): which cameras, NVRs, doors, and elevator landings each organization has, and where they
 * are. Read when a limited caller needs it, and again after a change.
 */

import type { Ruuid } from '../core/ruuid.ts';
import { type AccessScope, scopeIncludes, scopeKey, sitesAround } from './access-scope.ts';
import { type ActingView, seeingAll, uuidsIn } from './acting-view.ts';
import { locationOfCamera } from './camera-time-zone.ts';
import { resourceKind } from './resource.ts';
import type { EntityKind, Store } from './store.ts';

type PlacesStore = Pick<Store, 'cameras' | 'nvrs' | 'locations' | 'resources' | 'onChange'>;

/** Changes of these can move a device into or out of a view. */
const PLACED_KINDS: ReadonlySet<EntityKind> = new Set([
  'camera',
  'nvr',
  'location',
  'door',
  'elevatorLanding',
]);
const DOORS = resourceKind<{ readonly locationUuid?: Ruuid | null }>('door');
const LANDINGS = resourceKind<object>('elevatorLanding');
/** Organizations whose places are kept, and views of each: with 10,000 cameras, one has about a megabyte. */
const MAX_ORGANIZATIONS = 64;
const MAX_VIEWS = 64;

/** Everything that has a place in an organization. */
interface Places {
  /** The location of each device; null: it has none. */
  readonly locationOf: ReadonlyMap<Ruuid, Ruuid | null>;
  readonly cameras: ReadonlySet<Ruuid>;
  /** The location that contains each location. */
  readonly parentOf: ReadonlyMap<Ruuid, Ruuid | null>;
}

interface KnownOrganization {
  readonly places: Promise<Places>;
  readonly views: Map<string, Promise<ActingView>>;
}

export class ScopeViews {
  readonly #store: PlacesStore;
  readonly #known = new Map<Ruuid, KnownOrganization>();
  readonly #unsubscribe: () => void;

  constructor(store: PlacesStore) {
    this.#store = store;
    this.#unsubscribe = store.onChange(({ entity, orgUuid }) => {
      if (PLACED_KINDS.has(entity)) this.#known.delete(orgUuid);
    });
  }

  /** What the scope contains now. Rejects like the store. */
  viewOf(orgUuid: Ruuid, scope: AccessScope): Promise<ActingView> {
    const { places, views } = this.#organization(orgUuid);
    const key = scopeKey(scope);
    const known = views.get(key);
    if (known !== undefined) return known;
    if (views.size >= MAX_VIEWS) views.delete(views.keys().next().value!);
    const view = places.then((all) => new ScopedPlaces(orgUuid, all, scope));
    views.set(key, view);
    view.catch(() => this.#known.delete(orgUuid));
    return view;
  }

  /** Forgets everything: for commits whose event was not sent. */
  refresh(): void {
    this.#known.clear();
  }

  close(): void {
    this.#unsubscribe();
    this.#known.clear();
  }

  #organization(orgUuid: Ruuid): KnownOrganization {
    const known = this.#known.get(orgUuid);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_ORGANIZATIONS) this.#known.delete(this.#known.keys().next().value!);
    const organization = { places: seeingAll(() => this.#read(orgUuid)), views: new Map() };
    this.#known.set(orgUuid, organization);
    return organization;
  }

  async #read(orgUuid: Ruuid): Promise<Places> {
    const { cameras, nvrs, locations, resources } = this.#store;
    const [allCameras, allNvrs, allLocations, doors, landings] = await Promise.all([
      cameras.listRecords(orgUuid),
      nvrs.list(orgUuid),
      locations.list(orgUuid),
      resources.of(DOORS).list(orgUuid),
      resources.of(LANDINGS).list(orgUuid),
    ]);
    const nvrLocations = new Map(allNvrs.map(({ uuid, locationUuid }) => [uuid, locationUuid]));
    const locationOf = new Map<Ruuid, Ruuid | null>(nvrLocations);
    for (const camera of allCameras) {
      locationOf.set(
        camera.uuid,
        locationOfCamera(camera, (nvr) => nvrLocations.get(nvr)),
      );
    }
    for (const { uuid, body } of doors) locationOf.set(uuid, body.locationUuid ?? null);
    for (const { uuid, parentUuid } of landings) locationOf.set(uuid, parentUuid);
    return {
      locationOf,
      cameras: new Set(allCameras.map(({ uuid }) => uuid)),
      parentOf: new Map(allLocations.map(({ uuid, parentUuid }) => [uuid, parentUuid])),
    };
  }
}

/** The part of an organization's places that is in a scope. */
class ScopedPlaces implements ActingView {
  readonly orgUuid: Ruuid;
  readonly #places: Places;
  readonly #sites: ReadonlySet<Ruuid>;
  readonly #devices: ReadonlySet<Ruuid>;
  readonly #locations: ReadonlySet<Ruuid>;

  constructor(orgUuid: Ruuid, places: Places, scope: AccessScope) {
    this.orgUuid = orgUuid;
    this.#places = places;
    const parentOf = (uuid: Ruuid) => places.parentOf.get(uuid);
    const sites = new Set<Ruuid>();
    for (const uuid of places.parentOf.keys()) {
      if (scopeIncludes(scope, { uuid, siteUuids: sitesAround(uuid, parentOf) })) sites.add(uuid);
    }
    const chosen = new Set(scope.cameraUuids.filter((uuid) => places.cameras.has(uuid)));
    const devices = new Set<Ruuid>();
    const locations = new Set(sites);
    for (const [uuid, locationUuid] of places.locationOf) {
      const isAtSite = locationUuid !== null && sites.has(locationUuid);
      if (!isAtSite && !chosen.has(uuid)) continue;
      devices.add(uuid);
      if (locationUuid !== null) locations.add(locationUuid);
    }
    this.#sites = sites;
    this.#devices = devices;
    this.#locations = locations;
  }

  get deviceUuids(): readonly Ruuid[] {
    return [...this.#devices];
  }

  seesDevice(uuid: Ruuid): boolean {
    return this.#devices.has(uuid);
  }

  seesSite(uuid: Ruuid): boolean {
    return this.#sites.has(uuid);
  }

  seesLocation(uuid: Ruuid): boolean {
    return this.#locations.has(uuid);
  }

  locationOfCamera(uuid: Ruuid): Ruuid | null {
    return this.#places.locationOf.get(uuid) ?? null;
  }

  namesHidden(value: unknown): boolean {
    if (value === null || value === undefined) return false;
    for (const text of uuidsIn(value)) {
      const uuid = text as Ruuid;
      if (this.#places.locationOf.has(uuid) && !this.#devices.has(uuid)) return true;
      if (this.#places.parentOf.has(uuid) && !this.#locations.has(uuid)) return true;
    }
    return false;
  }
}
