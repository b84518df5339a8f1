import './page-address-fixture.ts';
import { expect, test } from 'vitest';
import type { CameraItem } from './camera-state.ts';
import { type NvrItem, placesOf } from './site-list.ts';

const camera = (uuid: string, locationUuid?: string) => ({ uuid, name: uuid, locationUuid }) as CameraItem;
const nvr = (uuid: string, locationUuid?: string) => ({ uuid, name: uuid, locationUuid }) as NvrItem;
const SITES = [
  { uuid: 'harbor', name: 'Harbor', tz: 'Europe/Berlin' },
  { uuid: 'empty', name: 'Empty', tz: 'UTC' },
];

test('a camera is at its own site, or else at that of its NVR, or else nowhere', () => {
  const cameras = [
    camera('own', 'harbor'),
    camera('by nvr'),
    camera('nowhere'),
    camera('behind a homeless nvr'),
  ];
  const nvrs = [nvr('core', 'harbor'), nvr('spare')];
  const nvrOf = new Map([
    ['by nvr', 'core'],
    ['behind a homeless nvr', 'spare'],
  ]);
  const places = placesOf(cameras, SITES, nvrs, nvrOf);
  const names = (items: readonly CameraItem[]) => items.map(({ name }) => name);
  expect(places.sites.map(({ cameras: there }) => names(there))).toEqual([['own', 'by nvr'], []]);
  expect(places.sites.map(({ nvrs: there }) => there.length)).toEqual([1, 0]);
  expect(names(places.homeless)).toEqual(['nowhere', 'behind a homeless nvr']);
  expect(places.nvrs.map(({ site, cameras: behind }) => [site?.name, names(behind)])).toEqual([
    ['Harbor', ['by nvr']],
    [undefined, ['behind a homeless nvr']],
  ]);
});
