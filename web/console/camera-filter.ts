/** Which cameras a list shows, as its address says it. Pure. */

import type { CameraItem, CameraStateName } from './camera-state.ts';
import { stateOf } from './shown-state.ts';

/** Filters by state, and the states that they let through. */
export const STATE_FILTERS: Readonly<
  Record<string, { readonly title: string; readonly states: readonly CameraStateName[] | null }>
> = {
  all: { title: 'All states', states: null },
  working: { title: 'Working', states: ['live', 'reachable', 'connecting'] },
  offline: { title: 'Offline', states: ['offline'] },
  unknown: { title: 'Not checked', states: ['not-checked'] },
};

export interface CameraFilter {
  readonly text: string;
  /** A key of STATE_FILTERS. */
  readonly state: string;
  /** Empty: all. */
  readonly site: string;
  readonly nvr: string;
}

/** Names that a search covers, and the recorder of each camera. */
export interface CameraPlaces {
  readonly locationNames: ReadonlyMap<string, string>;
  readonly nvrOf: ReadonlyMap<string, string>;
  readonly nvrNames: ReadonlyMap<string, string>;
  /** Sites of NVRs: where cameras behind them are that have no site of their own. */
  readonly nvrSites: ReadonlyMap<string, string>;
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
  };
}

/** With its question mark; empty if nothing is filtered. */
export function queryOfFilter({ text, state, site, nvr }: CameraFilter): string {
  const query = new URLSearchParams({
    ...(text === '' ? {} : { text }),
    ...(state === 'all' ? {} : { state }),
    ...(site === '' ? {} : { site }),
    ...(nvr === '' ? {} : { nvr }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}

export function matcherOfFilter(filter: CameraFilter, places: CameraPlaces): (camera: CameraItem) => boolean {
  const words = filter.text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const states = STATE_FILTERS[filter.state]?.states ?? null;
  return (camera) => {
    if (states !== null && !states.includes(stateOf(camera))) return false;
    const nvr = places.nvrOf.get(camera.uuid) ?? '';
    const at = camera.locationUuid ?? places.nvrSites.get(nvr) ?? NO_SITE;
    if (filter.site !== '' && at !== filter.site) return false;
    if (filter.nvr !== '' && nvr !== filter.nvr) return false;
    const site = places.locationNames.get(at) ?? '';
    const searched = `${camera.name} ${site} ${places.nvrNames.get(nvr) ?? ''}`.toLocaleLowerCase();
    return words.every((word) => searched.includes(word));
  };
}
