/** Finds faults of the doors that a badge integration names. */

import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import { DOORS } from '../access-control/door.ts';

/** One of the vendor's doors. */
export interface BadgeDoorInfo {
  readonly doorName?: string;
  readonly locationUuid?: Ruuid;
  readonly assignedCameraList?: readonly Ruuid[];
  /** How many seconds of video of a badge event are stored. */
  readonly clipDuration?: number;
  /** How many of these are before the event. */
  readonly leadingSeconds?: number;
  readonly remoteUnlock?: boolean;
}

export interface CheckedDoors {
  /** Those that can be stored. */
  readonly doorInfoMap: Readonly<Record<string, BadgeDoorInfo>>;
  /** Identifiers of those that cannot: without a name, or with a location, cameras or times that do not exist. */
  readonly failedGuids: string[];
  /** Names of doors at several locations, among these and the doors that devices report. */
  readonly misconfiguredDoors: string[];
}

const MAX_GUID_LENGTH = 256;

export async function checkBadgeDoors(
  store: Pick<Store, 'locations' | 'cameras' | 'resources'>,
  orgUuid: Ruuid,
  doorInfoMap: Readonly<Record<string, BadgeDoorInfo>>,
): Promise<CheckedDoors> {
  const locations = new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
  const cameras = new Set((await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
  const kept: [string, BadgeDoorInfo][] = [];
  const failedGuids: string[] = [];
  for (const [guid, info] of Object.entries(doorInfoMap)) {
    if (isPossible(guid, info, locations, cameras)) kept.push([guid, info]);
    else failedGuids.push(guid);
  }
  const places = new DoorPlaces();
  for (const [, { doorName, locationUuid }] of kept) places.add(doorName, locationUuid);
  const named = new Set(places.names());
  for (const { name, body } of await store.resources.of(DOORS).list(orgUuid)) {
    if (named.has(keyOf(name))) places.add(name, body.locationUuid ?? undefined);
  }
  return { doorInfoMap: Object.fromEntries(kept), failedGuids, misconfiguredDoors: places.ambiguous() };
}

function isPossible(
  guid: string,
  { doorName, locationUuid, assignedCameraList = [], clipDuration, leadingSeconds }: BadgeDoorInfo,
  locations: ReadonlySet<Ruuid>,
  cameras: ReadonlySet<Ruuid>,
): boolean {
  if (guid === '' || guid.length > MAX_GUID_LENGTH || (doorName ?? '').trim() === '') return false;
  if (locationUuid !== undefined && !locations.has(locationUuid)) return false;
  if (clipDuration !== undefined && leadingSeconds !== undefined && leadingSeconds > clipDuration)
    return false;
  return assignedCameraList.every((camera) => {
    const device = parseDeviceFacetUuid(camera);
    return device !== null && cameras.has(device.uuid);
  });
}

/** Where doors with a given name are. Names are compared without case and surrounding spaces, as people read them. */
class DoorPlaces {
  readonly #byKey = new Map<string, { readonly name: string; readonly locations: Set<Ruuid> }>();

  add(name = '', locationUuid?: Ruuid): void {
    const key = keyOf(name);
    const known = this.#byKey.get(key) ?? { name: name.trim(), locations: new Set<Ruuid>() };
    if (locationUuid !== undefined) known.locations.add(locationUuid);
    this.#byKey.set(key, known);
  }

  names(): Iterable<string> {
    return this.#byKey.keys();
  }

  ambiguous(): string[] {
    return [...this.#byKey.values()].filter(({ locations }) => locations.size > 1).map(({ name }) => name);
  }
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}
