/** Sites and NVRs, the cameras there, and the calls that change them. */

import { type Answer, CallError, call } from './api.ts';
import { type NvrCameras, readNvrCameras } from './camera-adding.ts';
import { type CameraItem, listCameras } from './camera-state.ts';
import { eachInTurn, patiently } from './in-turn.ts';

type Location = Answer<'location/getLocationsV2'>['locations'][number];

export type NvrItem = Answer<'relay/getMinimalNVRStateList'>['nvrstates'][number];

export interface Places {
  readonly cameras: readonly CameraItem[];
  readonly sites: readonly SiteItem[];
  readonly nvrs: readonly NvrPlace[];
  /** At no site and behind no NVR that is at one. */
  readonly homeless: readonly CameraItem[];
}

export interface SiteItem {
  readonly uuid: string;
  readonly name: string;
  readonly timeZone: string;
  /** Degrees; absent: not known. */
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  /** There, or behind an NVR that is there. */
  readonly cameras: readonly CameraItem[];
  readonly nvrs: readonly NvrItem[];
}

export interface NvrPlace {
  readonly nvr: NvrItem;
  readonly site: SiteItem | null;
  readonly cameras: readonly CameraItem[];
}

/** Fails with a CallError. */
export async function listNvrs(signal: AbortSignal): Promise<readonly NvrItem[]> {
  return (await call('relay/getMinimalNVRStateList', {}, signal)).nvrstates;
}

export async function readPlaces(signal: AbortSignal): Promise<Places> {
  const [cameras, { locations }, nvrs, behind] = await Promise.all([
    listCameras(signal),
    call('location/getLocationsV2', {}, signal),
    listNvrs(signal),
    readNvrCameras(signal),
  ]);
  return placesOf(cameras, locations, nvrs, behind.nvrOf);
}

export function placesOf(
  cameras: readonly CameraItem[],
  locations: readonly Pick<Location, 'uuid' | 'name' | 'tz' | 'latitude' | 'longitude'>[],
  nvrs: readonly NvrItem[],
  nvrOf: NvrCameras['nvrOf'],
): Places {
  const siteOfNvr = new Map(nvrs.map(({ uuid, locationUuid }) => [uuid, locationUuid ?? '']));
  const siteOf = ({ uuid, locationUuid }: CameraItem) =>
    locationUuid ?? siteOfNvr.get(nvrOf.get(uuid) ?? '') ?? '';
  const bySite = Map.groupBy(cameras, siteOf);
  const byNvr = Map.groupBy(cameras, ({ uuid }) => nvrOf.get(uuid) ?? '');
  const sites = locations.map(({ uuid, name, tz, latitude, longitude }) => ({
    uuid,
    name,
    timeZone: tz,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    cameras: bySite.get(uuid) ?? [],
    nvrs: nvrs.filter(({ locationUuid }) => locationUuid === uuid),
  }));
  return {
    cameras,
    sites,
    nvrs: nvrs.map((nvr) => ({
      nvr,
      site: sites.find(({ uuid }) => uuid === nvr.locationUuid) ?? null,
      cameras: byNvr.get(nvr.uuid) ?? [],
    })),
    homeless: bySite.get('') ?? [],
  };
}

/** Resolves with its UUID. `once`: as for `call`. Fails with a CallError. */
export async function createSite(name: string, tz: string, once: string): Promise<string> {
  return (await call('location/createLocation', { location: { name, tz } }, undefined, once)).uuid;
}

/** Fails with a CallError. */
export async function updateSite(
  uuid: string,
  changes: {
    readonly name?: string;
    readonly tz?: string;
    /** Null: nowhere. */
    readonly degrees?: { readonly latitude: number; readonly longitude: number } | null;
  },
): Promise<void> {
  const { degrees, ...rest } = changes;
  const place = degrees === undefined ? {} : { ...degrees, latitudeUpdated: true, longitudeUpdated: true };
  await call('location/updateLocation', { location: { uuid, ...rest, ...place } });
}

/** Fails with a CallError, also while something belongs to it. */
export async function deleteSite(uuid: string): Promise<void> {
  await call('location/deleteLocation', { uuid });
}

/** `locationUuid` empty: nowhere. `once`: as for `call`. Resolves with its UUID. Fails with a CallError. */
export async function createNvr(name: string, locationUuid: string, once: string): Promise<string> {
  const body = { name, ...(locationUuid === '' ? {} : { locationUuid }) };
  return (await call('relay/createNvr', body, undefined, once)).nvrUuid;
}

/** `locationUuid` empty: nowhere; absent: it stays. Fails with a CallError. */
export async function updateNvr(
  uuid: string,
  { name, locationUuid }: { readonly name?: string; readonly locationUuid?: string },
): Promise<void> {
  await call('relay/updateDetailsV2', {
    uuid,
    ...(name === undefined ? {} : { name, nameUpdated: true }),
    ...(locationUuid === undefined ? {} : { locationUuidUpdated: true }),
    ...(locationUuid === undefined || locationUuid === '' ? {} : { locationUuid }),
  });
}

/** Fails with a CallError, also while cameras are behind it. */
export async function deleteNvr(nvruuid: string): Promise<void> {
  await call('relay/unregister', { nvruuid });
}

/**
 * Renames a camera, and moves it to another site or behind another NVR, in one step. How it is opened stays as it is, so its
 * stream is not checked. Absent: it stays. Empty: nowhere, or behind none. Fails with a CallError.
 */
export async function placeCamera(
  uuid: string,
  {
    name,
    locationUuid,
    nvrUuid,
  }: { readonly name?: string; readonly locationUuid?: string; readonly nvrUuid?: string },
): Promise<void> {
  await call('camera/updateDetailsV2', {
    uuid,
    ...(name === undefined ? {} : { name, nameUpdated: true }),
    ...(locationUuid === undefined ? {} : { locationUuidUpdated: true }),
    ...(locationUuid === undefined || locationUuid === '' ? {} : { locationUuid }),
    ...(nvrUuid === undefined ? {} : { nvrUuidUpdated: true }),
    ...(nvrUuid === undefined || nvrUuid === '' ? {} : { nvrUuid }),
  });
}

const AT_ONCE = 4;

/** Changes each of them, a few at a time. Fails with a CallError that says for how many it failed, and why for the first. */
export async function changeAll<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<void>,
): Promise<void> {
  const { signal } = new AbortController();
  const errors: CallError[] = [];
  await eachInTurn(
    items,
    { atOnce: AT_ONCE, signal },
    (item) => patiently(signal, () => change(item)),
    (_item, progress) => {
      if (progress.kind === 'failed') errors.push(progress.error);
    },
  );
  const [first] = errors;
  if (first === undefined) return;
  const { status, requestId, retryAfterSec } = first;
  const facts = { status, requestId, retryAfterSec };
  throw new CallError(`${errors.length} of ${items.length} could not be changed. ${first.message}`, facts);
}
