/** What a street map shows: sites, and cameras that have a place of their own. */

import { call } from './api.ts';
import { offlineCount } from './camera-attention.ts';
import { cameraPlace, sitePlace } from './camera-places.ts';
import { type CameraItem, type CameraStateName, STATE_NAMES, stateOf } from './camera-state.ts';
import type { Degrees } from './map-geometry.ts';
import { type SiteItem, updateSite } from './site-list.ts';
import { t } from './words.ts';

export interface MapMark {
  readonly kind: 'site' | 'camera';
  readonly uuid: string;
  readonly name: string;
  readonly degrees: Degrees;
  readonly state: CameraStateName;
  /** Next to its name. */
  readonly detail: string;
  readonly href: string;
}

/** Something that is not on the map yet. */
export type Unplaced = Pick<MapMark, 'kind' | 'uuid' | 'name'>;

export interface MapRead {
  readonly sites: readonly SiteItem[];
  readonly cameras: readonly CameraItem[];
}

export interface MapContent {
  /** Sites first: they are above their cameras. */
  readonly marks: readonly MapMark[];
  readonly unplaced: readonly Unplaced[];
}

/** The worst first: a site is as its worst camera. */
const WORST: readonly CameraStateName[] = ['offline', 'connecting', 'not-checked', 'reachable', 'live'];

export function mapContent({ sites, cameras }: MapRead): MapContent {
  const marks: MapMark[] = [];
  const unplaced: Unplaced[] = [];
  for (const site of sites) {
    const degrees = degreesIn(site);
    if (degrees === null) unplaced.push({ kind: 'site', uuid: site.uuid, name: site.name });
    else marks.push(siteMark(site, degrees));
  }
  for (const camera of cameras) {
    const { uuid, name } = camera;
    const degrees = degreesIn(camera);
    if (degrees === null) unplaced.push({ kind: 'camera', uuid, name });
    else {
      const state = stateOf(camera);
      const detail = STATE_NAMES[state];
      marks.push({ kind: 'camera', uuid, name, degrees, state, detail, href: cameraPlace(uuid) });
    }
  }
  return { marks, unplaced };
}

/** The same with another place for one of them; null: it is nowhere. */
export function withPlace(
  read: MapRead,
  { kind, uuid }: Pick<MapMark, 'kind' | 'uuid'>,
  place: Degrees | null,
): MapRead {
  const put = <Item extends { readonly uuid: string }>(items: readonly Item[]): Item[] =>
    items.map((item) => {
      if (item.uuid !== uuid) return item;
      const { latitude: _lat, longitude: _long, ...rest } = item as Item & Partial<Degrees>;
      return { ...rest, ...place } as unknown as Item;
    });
  return kind === 'site' ? { ...read, sites: put(read.sites) } : { ...read, cameras: put(read.cameras) };
}

/** The state of several together. */
export function worstState(states: readonly CameraStateName[]): CameraStateName {
  return WORST.find((state) => states.includes(state)) ?? 'not-checked';
}

/** `place` null: takes it off. Fails with a CallError, also for a site or camera of the configuration file. */
export async function placeOnMap(
  { kind, uuid }: Pick<MapMark, 'kind' | 'uuid'>,
  place: Degrees | null,
): Promise<void> {
  if (kind === 'site') await updateSite(uuid, { degrees: place });
  else
    await call('camera/updateDetailsV2', { uuid, ...place, latitudeUpdated: true, longitudeUpdated: true });
}

function siteMark({ uuid, name, cameras }: SiteItem, degrees: Degrees): MapMark {
  const offline = offlineCount(cameras);
  const detail =
    offline > 0
      ? t('{offline} offline', { offline })
      : t('{count, plural, one {# camera} other {# cameras}}', { count: cameras.length });
  const state = worstState(cameras.map(stateOf));
  return { kind: 'site', uuid, name, degrees, state, detail, href: sitePlace(uuid) };
}

function degreesIn({
  latitude,
  longitude,
}: {
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}): Degrees | null {
  return latitude === undefined || longitude === undefined ? null : { latitude, longitude };
}
