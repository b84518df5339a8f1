import './page-address-fixture.ts';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null });
const { ACCOUNT, entryAt, MENU_PAGES, PAGES } = await import('./pages.ts');

/** Each page that has no entry of its own, and the entry that it belongs to. */
const BELOW: Readonly<Record<string, string>> = {
  cameras: '',
  'cameras/add': '',
  'cameras/:cameraUuid': '',
  'cameras/:cameraUuid/source': '',
  'cameras/:cameraUuid/masks': '',
  'cameras/:cameraUuid/details': '',
  watch: '',
  'walls/:uuid': 'walls',
  'walls/:uuid/watch': 'walls',
  'cases/:caseUuid': 'cases',
  'emergencies/:emergencyUuid': 'emergencies',
  'schedules/:scheduleUuid': 'schedules',
  'sites/:siteUuid': 'sites',
  map: 'sites',
  'sign-in-providers': 'people',
  'activity/webhooks': 'keys',
  'mail/alarm-centers': 'mail',
  account: ACCOUNT,
};

test.each(PAGES.map(({ path }) => path))('the page "%s" belongs to one entry', (path) => {
  const address = path.replaceAll(/:\w+/g, 'pN5vUBbYQ9qkqtMjH1yAQw');
  const entry = entryAt(address);
  expect(entry).toBe(BELOW[path] ?? path);
  expect(entryAt(`${address}/`)).toBe(entry);
  const marked = MENU_PAGES.filter((page) => page.path === entry);
  expect(marked).toHaveLength(entry === ACCOUNT ? 0 : 1);
});

test('no page is left out of the table, or is in it without need', () => {
  const own = MENU_PAGES.map(({ path }) => path);
  expect([...own, ...Object.keys(BELOW)].toSorted()).toEqual(PAGES.map(({ path }) => path).toSorted());
});

test('an address without a page marks nothing', () => {
  expect(entryAt('cameras/add/more/yet')).toBeNull();
});
