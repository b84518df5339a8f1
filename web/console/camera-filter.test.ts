import { expect, it } from 'vitest';
import { type CameraFilter, filterOfQuery, matcherOfFilter, queryOfFilter } from './camera-filter.ts';
import type { CameraItem } from './camera-state.ts';

const camera = (uuid: string, name: string, locationUuid?: string, state?: string) =>
  ({
    uuid,
    name,
    liveStreamsSharedCount: 0,
    ...(locationUuid === undefined ? {} : { locationUuid }),
    ...(state === undefined ? {} : { connectionDetail: { state } }),
  }) as CameraItem;
const CAMERAS = [
  camera('1', 'Lobby', 'hq', 'live'),
  camera('2', 'Dock', 'port', 'offline'),
  camera('3', 'Yard'),
  camera('4', 'Vault'),
];
const PLACES = {
  locationNames: new Map([
    ['hq', 'Headquarters'],
    ['port', 'Port'],
  ]),
  nvrOf: new Map([
    ['2', 'core'],
    ['4', 'core'],
  ]),
  nvrNames: new Map([['core', 'Core']]),
  nvrSites: new Map([['core', 'hq']]),
};

function shown(filter: Partial<CameraFilter>): string[] {
  const matches = matcherOfFilter({ ...filterOfQuery({}), ...filter }, PLACES);
  return CAMERAS.filter(matches).map(({ name }) => name);
}

it.each([
  [{}, ['Lobby', 'Dock', 'Yard', 'Vault']],
  [{ text: 'head LOB' }, ['Lobby']],
  [{ text: 'core' }, ['Dock', 'Vault']],
  [{ state: 'offline' }, ['Dock']],
  [{ state: 'working' }, ['Lobby']],
  [{ state: 'unknown' }, ['Yard', 'Vault']],
  [{ site: 'port' }, ['Dock']],
  [{ site: 'hq' }, ['Lobby', 'Vault']],
  [{ site: 'none' }, ['Yard']],
  [{ nvr: 'core' }, ['Dock', 'Vault']],
  [{ nvr: 'core', state: 'working' }, []],
])('shows with %j', (filter, names) => {
  expect(shown(filter)).toEqual(names);
});

it('is in the address, and nothing is if nothing is filtered', () => {
  const filter = { text: 'a&b #', state: 'offline', site: 'hq', nvr: 'core' };
  expect(filterOfQuery(Object.fromEntries(new URLSearchParams(queryOfFilter(filter))))).toEqual(filter);
  expect(queryOfFilter(filterOfQuery({}))).toBe('');
  expect(filterOfQuery({ state: 'constructor' }).state).toBe('all');
});
