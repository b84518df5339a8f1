import { expect, it } from 'vitest';
import {
  type CameraFilter,
  countStates,
  filterOfQuery,
  matcherOfFilter,
  queryOfFilter,
} from './camera-filter.ts';
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
  attention: new Set(['2']),
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
  const filter = { text: 'a&b #', state: 'offline', site: 'hq', nvr: 'core', sort: '-name' };
  expect(filterOfQuery(Object.fromEntries(new URLSearchParams(queryOfFilter(filter))))).toEqual(filter);
  expect(queryOfFilter(filterOfQuery({}))).toBe('');
  expect(filterOfQuery({ state: 'constructor' }).state).toBe('all');
});

it('counts each state by the other filters, and the order stays in the address', () => {
  const counts = (filter: Partial<CameraFilter>) =>
    countStates(CAMERAS, { ...filterOfQuery({}), ...filter }, PLACES);
  expect(counts({})).toEqual({ all: 4, attention: 1, offline: 1, paused: 0, working: 1, unknown: 2 });
  expect(counts({ state: 'offline' })).toEqual(counts({}));
  expect(counts({ text: 'core' })).toEqual({
    all: 2,
    attention: 1,
    offline: 1,
    paused: 0,
    working: 0,
    unknown: 1,
  });
  expect(queryOfFilter(filterOfQuery({ sort: '-name', state: 'offline' }))).toBe('?state=offline&sort=-name');
  expect(filterOfQuery({ sort: 'size' }).sort).toBe('');
});
