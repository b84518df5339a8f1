/** Lists in Chromium: filters with counts, orders, and density, as someone uses them who looks for what is wrong. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    locations: ['Airport', 'Harbor'].map((name) => ({ name, tz: 'America/New_York' })),
    cameras: [
      { name: 'Attic', location: 'Harbor', rtsp: camera.url },
      { name: 'Dock 10', location: 'Harbor', rtsp: 'rtsp://127.0.0.1:9/10' },
      { name: 'Dock 2', location: 'Airport', rtsp: 'rtsp://127.0.0.1:9/2' },
      { name: 'Yard', rtsp: camera.url },
    ],
  });
  for (const name of ['Alpha', 'Beta', 'Gamma']) await gateway.share('Attic', { name });
  await gateway.share('Yard', { name: 'Soon', expirationTimeSecs: 3_600 });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) {
    await page.evaluate(() => localStorage.clear());
    await page.close();
  }
});

async function openAs(role: 'admin' | 'viewer', path: string, size = DESKTOP): Promise<Page> {
  const { page } = await visitConsole(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(size);
  await openConsole(page, gateway, path);
  return page;
}

const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const names = (page: Page) => page.locator('.card h2').allTextContents();
const rowNames = (page: Page) => page.locator('.cameras .row:not(.head) .name').allTextContents();

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
}

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('on a %s, one press shows the cameras that are offline', async (_device, size) => {
  const page = await openAs('viewer', '', size);
  await chip(page, 'Offline 2').waitFor();
  const clicks = await countClicks(page);
  await chip(page, 'Offline 2').click();
  await page.getByText('2 of 4', { exact: true }).waitFor();
  expect(await names(page)).toEqual(['Dock 2', 'Dock 10']);
  expect(clicks.since()).toBe(1);
  expect(page.url()).toContain('state=offline');
  await page.reload();
  await page.getByText('2 of 4', { exact: true }).waitFor();
  expect(await chip(page, 'Offline 2').getAttribute('aria-pressed')).toBe('true');
  // Once more shows all again.
  await chip(page, 'Offline 2').click();
  await page.getByText('4', { exact: true }).first().waitFor();
  await inspect(page, 'cameras');
});

test('counts follow the other filters, and those that are offline are first', async () => {
  const page = await openAs('viewer', '');
  await chip(page, 'Offline 2').waitFor();
  expect((await names(page)).slice(0, 2)).toEqual(['Dock 2', 'Dock 10']);
  await page.getByLabel('Site', { exact: true }).selectOption('Airport');
  await chip(page, 'Offline 1').waitFor();
  await chip(page, 'All 1').waitFor();
  await page.getByLabel('Site', { exact: true }).selectOption('Harbor');
  await chip(page, 'All 2').waitFor();
});

test('the headers of the table sort it, in the address and for screen readers', async () => {
  const page = await openAs('admin', '');
  await page.getByRole('button', { name: 'Table' }).click();
  const header = (name: string) => page.getByRole('columnheader', { name });
  await header('Name').getByRole('button').click();
  expect(await rowNames(page)).toEqual(['Attic', 'Dock 2', 'Dock 10', 'Yard']);
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  await header('Name').getByRole('button').click();
  expect(await rowNames(page)).toEqual(['Yard', 'Dock 10', 'Dock 2', 'Attic']);
  expect(await header('Name').getAttribute('aria-sort')).toBe('descending');
  expect(page.url()).toContain('sort=-name');
  await header('Site').getByRole('button').click();
  expect(await rowNames(page)).toEqual(['Dock 2', 'Attic', 'Dock 10', 'Yard']);
  await inspect(page, 'sorted table');
});

test('compact rows are a choice for all lists that the browser remembers', async () => {
  const page = await openAs('admin', '');
  await page.getByRole('button', { name: 'Table' }).click();
  const heightOf = (rows: string) =>
    page
      .locator(`${rows} .row:not(.head)`)
      .first()
      .evaluate((row) => row.getBoundingClientRect().height);
  const before = await heightOf('.cameras');
  await page.getByRole('button', { name: 'Compact rows' }).click();
  expect(await heightOf('.cameras')).toBeLessThan(before);
  for (const [path, rows] of [
    ['shares', '.shares'],
    ['people', '.people'],
    ['sites', '.sites'],
  ] as const) {
    await openConsole(page, gateway, path);
    await page.getByRole('button', { name: 'Compact rows', pressed: true }).waitFor();
    const compact = await heightOf(rows);
    await expectAccessible(page, `compact ${path}`);
    await page.getByRole('button', { name: 'Compact rows' }).click();
    expect(await heightOf(rows)).toBeGreaterThan(compact);
    await page.getByRole('button', { name: 'Compact rows' }).click();
  }
});

test('shares are counted by the gateway, and sorted by their headers', async () => {
  const page = await openAs('viewer', 'shares');
  await chip(page, 'All 4').waitFor();
  await chip(page, 'Ending within 24 hours 1').click();
  await page.getByText('1 share').waitFor();
  await page.getByRole('button', { name: 'Soon', exact: true }).waitFor();
  await chip(page, 'All 4').click();
  await page.getByText('4 shares').waitFor();
  const first = page.locator('.shares .row:not(.head) .open').first();
  const header = page.getByRole('columnheader', { name: 'Share' }).first();
  await header.getByRole('button').click();
  await page.locator('.shares .row:not(.head) .open', { hasText: 'Alpha' }).first().waitFor();
  expect(await first.textContent()).toBe('Alpha');
  await header.getByRole('button').click();
  await page.waitForFunction(
    () => document.querySelector('.shares .row:not(.head) .open')?.textContent === 'Soon',
  );
  expect(await header.getAttribute('aria-sort')).toBe('descending');
  await page.getByRole('searchbox').fill('beta attic');
  await chip(page, 'All 1').waitFor();
  await page.getByText('1 share').waitFor();
  await page.getByRole('searchbox').fill('');
  await chip(page, 'All 4').waitFor();
  await inspect(page, 'shares');
});

test('people and sites count their states as filters, which are in the address', async () => {
  await openAs('viewer', '');
  const page = await openAs('admin', 'people');
  const rows = (label: string) => page.getByRole('table', { name: label }).locator('.row:not(.head)');
  const filters = (label: string) => page.getByRole('group', { name: `${label} by state` });
  const pressed = (label: string) => filters(label).locator('[aria-pressed="true"]').allTextContents();
  const { people } = await gateway.call('console/getPeople', {});
  const viewers = people.filter(({ role }: Json) => role === 'viewer').length;
  const all = await rows('People').count();
  const only = `Viewers ${viewers}`;
  const clicks = await countClicks(page);
  await filters('People').getByRole('button', { name: only }).click();
  expect(await rows('People').count()).toBe(viewers);
  expect(clicks.since()).toBe(1);
  await inspect(page, 'people');
  await page.reload();
  await filters('People').waitFor();
  expect(await pressed('People')).toEqual([only]);
  await filters('People').getByRole('button', { name: only }).click();
  expect(await rows('People').count()).toBe(all);
  expect(new URL(page.url()).search).toBe('');
  await gateway.call('location/createLocation', { location: { name: 'Annex', tz: 'UTC' } });
  await openConsole(page, gateway, 'sites');
  await filters('Sites').getByRole('button', { name: 'No cameras 1' }).click();
  expect(await rows('Sites').allTextContents()).toEqual([expect.stringContaining('Annex')]);
  await inspect(page, 'sites');
});

test('people are sorted by what their headers say, and stay so', async () => {
  const page = await openAs('admin', 'people');
  const header = page.getByRole('table', { name: 'People' }).getByRole('columnheader', { name: 'Role' });
  await header.getByRole('button').click();
  const roles = () => page.locator('.people .row:not(.head) .others > :nth-child(2)').allTextContents();
  expect(await roles()).toEqual((await roles()).toSorted());
  await page.reload();
  await header.waitFor();
  expect(await header.getAttribute('aria-sort')).toBe('ascending');
});
