import { expect, test } from 'vitest';
import { sortedCameras } from './camera-order.ts';
import type { CameraItem } from './camera-state.ts';

const camera = (name: string, state: string, site: string, liveStreamsSharedCount = 0) =>
  ({
    uuid: name,
    name,
    locationUuid: site,
    liveStreamsSharedCount,
    connectionDetail: { state },
  }) as CameraItem;
const CAMERAS = [
  camera('Yard', 'live', 'b', 3),
  camera('Dock 10', 'reachable', 'a'),
  camera('Dock 2', 'offline', ''),
  camera('Gate', 'offline', 'b', 1),
  camera('Attic', 'connecting', 'a'),
];
const locationNames = new Map([
  ['a', 'Harbor'],
  ['b', 'Airport'],
]);
const wallLinks = new Map([['Attic', 2]]);
const order = (sort: string) =>
  sortedCameras(CAMERAS, sort, { locationNames, wallLinks }).map(({ name }) => name);

test('offline cameras are first; others stay in their place when someone begins to watch', () => {
  expect(order('')).toEqual(['Dock 2', 'Gate', 'Attic', 'Dock 10', 'Yard']);
  const watched = CAMERAS.map((one) => (one.name === 'Dock 10' ? camera('Dock 10', 'live', 'a') : one));
  expect(sortedCameras(watched, '', { locationNames, wallLinks }).map(({ name }) => name)).toEqual(order(''));
});

test('each column sorts both ways, with names among equals, and cameras without a site last', () => {
  expect(order('name')).toEqual(['Attic', 'Dock 2', 'Dock 10', 'Gate', 'Yard']);
  expect(order('-name')).toEqual(['Yard', 'Gate', 'Dock 10', 'Dock 2', 'Attic']);
  expect(order('state')).toEqual(['Dock 2', 'Gate', 'Attic', 'Dock 10', 'Yard']);
  expect(order('site')).toEqual(['Gate', 'Yard', 'Attic', 'Dock 10', 'Dock 2']);
  expect(order('-site')).toEqual(['Attic', 'Dock 10', 'Gate', 'Yard', 'Dock 2']);
  expect(order('-shares').slice(0, 3)).toEqual(['Yard', 'Attic', 'Gate']);
});
