/** What people and keys see: sites and cameras to which their rights are limited, and the words for them. */

import { nameOrder } from '../words/formats.ts';
import type { Answer, Request } from './api.ts';
import { listCameras, listLocations } from './camera-state.ts';
import { t } from './words.ts';

/** undefined: the whole organization. */
export type Scope = Answer<'console/getPeople'>['people'][number]['scope'];

export interface SitePlace {
  readonly uuid: string;
  readonly name: string;
  readonly cameraCount: number;
}

export interface CameraPlace {
  readonly uuid: string;
  readonly name: string;
  /** Empty: it is at no site. */
  readonly siteName: string;
}

/** Everything that rights can be limited to, by name. */
export interface RightsPlaces {
  readonly sites: readonly SitePlace[];
  readonly cameras: readonly CameraPlace[];
}

const NAMES = nameOrder();

/** Fails with a CallError. */
export async function readRightsPlaces(signal: AbortSignal): Promise<RightsPlaces> {
  const [cameras, siteNames] = await Promise.all([listCameras(signal), listLocations(signal)]);
  const counts = new Map<string, number>();
  for (const { locationUuid = '' } of cameras) counts.set(locationUuid, (counts.get(locationUuid) ?? 0) + 1);
  const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
    NAMES.compare(a.name, b.name);
  return {
    sites: Array.from(siteNames, ([uuid, name]) => ({
      uuid,
      name,
      cameraCount: counts.get(uuid) ?? 0,
    })).toSorted(byName),
    cameras: cameras
      .map(({ uuid, name, locationUuid = '' }) => ({
        uuid,
        name,
        siteName: siteNames.get(locationUuid) ?? '',
      }))
      .toSorted(byName),
  };
}

/** Names of the chosen sites and cameras that still exist, sites first. */
export function scopeNames(scope: NonNullable<Scope>, { sites, cameras }: RightsPlaces): string[] {
  const named = (uuids: readonly string[], of: readonly { readonly uuid: string; readonly name: string }[]) =>
    of.filter(({ uuid }) => uuids.includes(uuid)).map(({ name }) => name);
  return [...named(scope.locationUuids, sites), ...named(scope.cameraUuids, cameras)];
}

/** In a column of a list. */
export function scopeText(scope: Scope, places: RightsPlaces): string {
  if (scope === undefined) return t('Everything');
  const [first, second, ...more] = scopeNames(scope, places);
  if (first === undefined) return t('Nothing');
  if (second === undefined) return first;
  if (more.length === 0) return `${first}, ${second}`;
  return t('{first}, {second}, and {count} more', { first, second, count: more.length });
}

/** With one entry more, or one less. */
export function toggledScope(
  scope: Scope,
  kind: keyof NonNullable<Scope>,
  uuid: string,
  isChosen: boolean,
): NonNullable<Scope> {
  const known = scope ?? { locationUuids: [], cameraUuids: [] };
  const others = known[kind].filter((each) => each !== uuid);
  return { ...known, [kind]: isChosen ? [...others, uuid] : others };
}

/** Whether it names anything: only then can it be saved. */
export function isEmptyScope(scope: Scope): boolean {
  return scope !== undefined && scope.locationUuids.length === 0 && scope.cameraUuids.length === 0;
}

export function isSameScope(one: Scope, other: Scope): boolean {
  const key = (scope: Scope) =>
    scope === undefined
      ? ''
      : `${scope.locationUuids.toSorted().join()} ${scope.cameraUuids.toSorted().join()}`;
  return key(one) === key(other);
}

/** As calls take it: lists that they may keep. */
export function sentScope(scope: Scope): Pick<Request<'console/invitePerson'>, 'scope'> {
  if (scope === undefined) return {};
  return { scope: { locationUuids: [...scope.locationUuids], cameraUuids: [...scope.cameraUuids] } };
}
