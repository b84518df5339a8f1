/** The order of the list of cameras. Pure. */

import type { CameraPlaces } from './camera-filter.ts';
import type { CameraItem, CameraStateName } from './camera-state.ts';
import { stateOf } from './shown-state.ts';
import { sortedBy } from './sorting.ts';

export const CAMERA_COLUMNS = ['name', 'state', 'site', 'shares'] as const;

/** By what someone has to do: nothing for those that stream. */
const URGENCY: Readonly<Record<CameraStateName, number>> = {
  offline: 0,
  connecting: 1,
  'not-checked': 2,
  reachable: 3,
  live: 4,
};

export interface CameraLinks {
  /** Links to walls that show it, by camera; null: not known yet. */
  readonly wallLinks: ReadonlyMap<string, number> | null;
}

/** How many links show a camera: its own, and those to walls. */
export function linkCount(
  { uuid, liveStreamsSharedCount }: Pick<CameraItem, 'uuid' | 'liveStreamsSharedCount'>,
  wallLinks: CameraLinks['wallLinks'],
): number {
  return liveStreamsSharedCount + (wallLinks?.get(uuid) ?? 0);
}

/**
 * Without a column, cameras that are offline are first. The others are by name, and not by state, so that cards stay where
 * they are when someone begins to watch.
 */
export function sortedCameras(
  cameras: readonly CameraItem[],
  sort: string,
  { locationNames, wallLinks }: Pick<CameraPlaces, 'locationNames'> & CameraLinks,
): readonly CameraItem[] {
  const byName = sortedBy(cameras, 'name', { name: ({ name }) => name });
  const isOffline = (camera: CameraItem) => Number(stateOf(camera) !== 'offline');
  if (sort === '') return sortedBy(byName, 'offline', { offline: isOffline });
  return sortedBy(byName, sort, {
    name: ({ name }) => name,
    state: (camera) => URGENCY[stateOf(camera)],
    site: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null,
    shares: (camera) => linkCount(camera, wallLinks),
  });
}
