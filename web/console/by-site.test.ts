import { expect, test } from 'vitest';
import { camerasBySite } from './by-site.ts';

const SITES = new Map([
  ['h', 'Harbor'],
  ['a', 'Airport'],
]);

const TITLES = { withoutSite: 'Without a site', withoutSites: 'Cameras' };

test('cameras are under their sites, in the order of names, those without one last', () => {
  const cameras = [
    { uuid: '1', name: 'Gate', locationUuid: 'h' },
    { uuid: '2', name: 'Yard' },
    { uuid: '3', name: 'Dock', locationUuid: 'h' },
    { uuid: '4', name: 'Apron', locationUuid: 'a' },
    { uuid: '5', name: 'Attic', locationUuid: 'removed' },
  ];
  expect(camerasBySite(cameras, SITES, TITLES)).toEqual([
    { title: 'Airport', options: [{ value: '4', title: 'Apron' }] },
    {
      title: 'Harbor',
      options: [
        { value: '3', title: 'Dock' },
        { value: '1', title: 'Gate' },
      ],
    },
    {
      title: 'Without a site',
      options: [
        { value: '5', title: 'Attic' },
        { value: '2', title: 'Yard' },
      ],
    },
  ]);
});

test('without sites there is one group', () => {
  const cameras = [{ uuid: '1', name: 'Gate' }];
  expect(camerasBySite(cameras, new Map(), TITLES).map(({ title }) => title)).toEqual(['Cameras']);
});
