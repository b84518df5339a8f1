import { expect, test } from 'vitest';
import { filterOf, filterText, isFiltered, NO_FILTER, queryBody } from './share-query.ts';

const NOW_MS = 1_800_000_000_500;

test('what is chosen is in the address, and comes back from there', () => {
  const filter = { ...NO_FILTER, q: 'a&b=c', state: 'soon', site: 'harbor', sort: 'name' };
  expect(filterOf(Object.fromEntries(new URLSearchParams(filterText(filter))))).toEqual(filter);
  expect(filterText(NO_FILTER)).toBe('');
});

test('an address from elsewhere chooses nothing that does not exist', () => {
  expect(filterOf({ state: 'toString', kind: '__proto__', sort: 'constructor', share: 'x' })).toEqual(
    NO_FILTER,
  );
});

test('an order alone is no filter', () => {
  expect(isFiltered({ ...NO_FILTER, sort: 'end' })).toBe(false);
  expect(isFiltered({ ...NO_FILTER, by: 'ada' })).toBe(true);
});

test('the gateway is asked for what is chosen, and for nothing else', () => {
  expect(queryBody(NO_FILTER, NOW_MS)).toEqual({ order: 'CREATED', isDescending: true });
  expect(
    queryBody(
      { ...NO_FILTER, q: ' desk ', state: 'soon', kind: 'clips', camera: 'c', by: 'b', sort: 'end' },
      NOW_MS,
    ),
  ).toEqual({
    text: 'desk',
    states: ['VISIBLE', 'HIDDEN', 'CAMERA_REMOVED'],
    expiresBefore: 1_800_086_400,
    kinds: ['CLIP_GROUP', 'TIMELAPSE_GROUP'],
    cameraUuid: 'c',
    creatorUuid: 'b',
    order: 'EXPIRATION',
    isDescending: false,
  });
});

test('a column that is sorted from its end is asked for so', () => {
  const body = (sort: string) => queryBody({ ...NO_FILTER, sort }, NOW_MS);
  expect(filterOf({ sort: '-name' }).sort).toBe('-name');
  expect(body('-name')).toEqual({ order: 'NAME', isDescending: true });
  expect(body('-oldest')).toEqual({ order: 'CREATED', isDescending: true });
});
