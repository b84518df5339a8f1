/** Cameras to choose from, under the names of their sites. Pure. */

import type { PickGroup } from './picker-rows.ts';

interface Placed {
  readonly uuid: string;
  readonly name: string;
  /** Absent or unknown: it is at no site. */
  readonly locationUuid?: string;
}

/** In the order of names, those without a site last. */
export function camerasBySite(
  cameras: Iterable<Placed>,
  sites: ReadonlyMap<string, string>,
  titles: { readonly withoutSite: string; readonly withoutSites: string },
): PickGroup[] {
  const groups = new Map<string, { value: string; title: string }[]>();
  for (const { uuid, name, locationUuid = '' } of cameras) {
    const site = sites.get(locationUuid) ?? '';
    const group = groups.get(site) ?? [];
    group.push({ value: uuid, title: name });
    groups.set(site, group);
  }
  const isPlaced = [...groups.keys()].some((site) => site !== '');
  return [...groups]
    .sort(([a], [b]) => Number(a === '') - Number(b === '') || a.localeCompare(b))
    .map(([site, options]) => ({
      title: site === '' ? (isPlaced ? titles.withoutSite : titles.withoutSites) : site,
      options: options.sort((a, b) => a.title.localeCompare(b.title)),
    }));
}
