/** Which cameras a list shows, as its address says it. Pure. */

import { CAMERA_COLUMNS } from './camera-order.ts';
import type { CameraItem, CameraStateName } from './camera-state.ts';
import { fold, tokensOf } from './find-rank.ts';
import { stateOf } from './shown-state.ts';
import { sortOf } from './sorting.ts';

/** Filters by state, and what they let through. `needsAttention`: as camera-attention.ts has it. */
export const STATE_FILTERS: Readonly<
  Record<string, (state: CameraStateName, needsAttention: boolean) => boolean>
> = {
  all: () => true,
  attention: (_state, needsAttention) => needsAttention,
  offline: (state) => state === 'offline',
  paused: (state, needsAttention) => state === 'offline' && !needsAttention,
  working: (state) => ['live', 'reachable', 'connecting'].includes(state),
  unknown: (state) => state === 'not-checked',
};

export interface CameraFilter {
  readonly text: string;
  /** A key of STATE_FILTERS. */
  readonly state: string;
  /** Empty: all. */
  readonly site: string;
  readonly nvr: string;
  /** As sorting.ts has it; empty: those that are offline first. */
  readonly sort: string;
}

/** Names that a search covers, the recorder of each camera, and those that need attention. */
export interface CameraPlaces {
  readonly locationNames: ReadonlyMap<string, string>;
  readonly nvrOf: ReadonlyMap<string, string>;
  readonly nvrNames: ReadonlyMap<string, string>;
  /** Sites of NVRs: where cameras behind them are that have no site of their own. */
  readonly nvrSites: ReadonlyMap<string, string>;
  readonly attention: ReadonlySet<string>;
}

/** As a site in the filter: cameras that are at none. */
export const NO_SITE = 'none';

type Query = Readonly<Record<string, string | undefined>>;

export function filterOfQuery(query: Query): CameraFilter {
  const state = query.state ?? 'all';
  return {
    text: query.text ?? '',
    state: Object.hasOwn(STATE_FILTERS, state) ? state : 'all',
    site: query.site ?? '',
    nvr: query.nvr ?? '',
    sort: sortOf(query.sort ?? '', CAMERA_COLUMNS),
  };
}

/** With its question mark; empty if nothing is filtered. */
export function queryOfFilter({ text, state, site, nvr, sort }: CameraFilter): string {
  const query = new URLSearchParams({
    ...(text === '' ? {} : { text }),
    ...(state === 'all' ? {} : { state }),
    ...(site === '' ? {} : { site }),
    ...(nvr === '' ? {} : { nvr }),
    ...(sort === '' ? {} : { sort }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}

/** How many cameras each filter by state lets through, by all other filters. */
export function countStates(
  cameras: readonly CameraItem[],
  filter: CameraFilter,
  places: CameraPlaces,
): Readonly<Record<string, number>> {
  const matches = matcherOfFilter({ ...filter, state: 'all' }, places);
  const counts: Record<string, number> = Object.fromEntries(
    Object.keys(STATE_FILTERS).map((key) => [key, 0]),
  );
  for (const camera of cameras) {
    if (!matches(camera)) continue;
    const [state, needsAttention] = [stateOf(camera), places.attention.has(camera.uuid)];
    for (const [key, has] of Object.entries(STATE_FILTERS)) if (has(state, needsAttention)) counts[key]! += 1;
  }
  return counts;
}

export function matcherOfFilter(filter: CameraFilter, places: CameraPlaces): (camera: CameraItem) => boolean {
  const words = tokensOf(filter.text);
  const hasState = STATE_FILTERS[filter.state] ?? STATE_FILTERS.all!;
  return (camera) => {
    if (!hasState(stateOf(camera), places.attention.has(camera.uuid))) return false;
    const nvr = places.nvrOf.get(camera.uuid) ?? '';
    const at = camera.locationUuid ?? places.nvrSites.get(nvr) ?? NO_SITE;
    if (filter.site !== '' && at !== filter.site) return false;
    if (filter.nvr !== '' && nvr !== filter.nvr) return false;
    const site = places.locationNames.get(at) ?? '';
    if (words.length === 0) return true;
    const searched = fold(`${camera.name} ${site} ${places.nvrNames.get(nvr) ?? ''}`);
    return words.every((word) => searched.includes(word));
  };
}
