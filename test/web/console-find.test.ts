/** The search over everything, and the keys of pages, in Chromium against a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { PASSWORD, type PersonRole } from './console-person.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;
const HOSTILE = '<img src=x onerror=alert(1)>';

let gateway: TestGateway;
let browser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  const cameras = ['Harbor', 'Warehouse'].flatMap((location) =>
    ['gate', 'Entrée', 'office', 'hall 1', 'hall 2'].map((name) => ({
      name: `${location} ${name}`,
      location,
      rtsp: `rtsp://127.0.0.1:9/${location}/${name.length}`,
    })),
  );
  const locations = ['Harbor', 'Warehouse'].map((name) => ({ name, tz: 'America/New_York' }));
  gateway = await TestGateway.start({
    demo: false,
    locations,
    cameras: [...cameras, { name: HOSTILE, rtsp: 'rtsp://127.0.0.1:9/hostile' }],
  });
  for (let i = 1; i <= 9; i++) await gateway.share('Harbor gate', { name: `Delivery ${i}` });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function openAs(role: PersonRole, size: { width: number; height: number }, path = ''): Promise<Page> {
  const { page } = await visitConsole(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(size);
  await openConsole(page, gateway, path);
  return page;
}

const field = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const results = (page: Page) => page.getByRole('listbox', { name: 'Results' });
const option = (page: Page, name: string | RegExp) => results(page).getByRole('option', { name });
const groups = (page: Page) =>
  results(page)
    .getByRole('group')
    .evaluateAll((all) =>
      all.map((group) => document.getElementById(group.getAttribute('aria-labelledby')!)!.textContent),
    );

async function search(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.keyboard.type(typed);
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
}

test('a camera is found and opened with the keyboard alone, without its accents', async () => {
  const page = await openAs('admin', DESKTOP, 'shares');
  const clicks = await countClicks(page);
  await search(page, 'entree ware');
  await option(page, /Warehouse Entrée/).waitFor();
  expect(await field(page).getAttribute('aria-activedescendant')).toBe(
    await option(page, /Warehouse Entrée/).getAttribute('id'),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Warehouse Entrée', level: 1 }).waitFor();
  expect(clicks.since()).toBe(0);
  await page.keyboard.press('Control+k');
  await expect.poll(() => groups(page)).toContain('Opened recently');
  expect(await results(page).getByRole('option').first().textContent()).toContain('Warehouse Entrée');
});

test('on a phone, it takes two taps', async () => {
  const page = await openAs('viewer', PHONE, 'alerts');
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Search' }).click();
  await field(page).fill('harbor gate');
  await option(page, /Harbor gate/)
    .first()
    .click();
  await page.getByRole('heading', { name: 'Harbor gate', level: 1 }).waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(2);
});

test('arrows choose, over both ends; Escape leads back to where the focus was', async () => {
  const page = await openAs('admin', DESKTOP);
  await page.getByRole('link', { name: 'Timeline' }).focus();
  await search(page, 'harbor hall');
  await option(page, 'Harbor hall 1').waitFor();
  const chosen = () => results(page).locator('[aria-selected="true"] .find-title').textContent();
  expect(await chosen()).toBe('Harbor hall 1');
  await page.keyboard.press('ArrowDown');
  expect(await chosen()).toBe('Harbor hall 2');
  await page.keyboard.press('ArrowDown');
  expect(await chosen()).toBe('Harbor hall 1');
  await page.keyboard.press('ArrowUp');
  expect(await chosen()).toBe('Harbor hall 2');
  await page.keyboard.press('Escape');
  await field(page).waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Timeline');
});

test('shares come from the gateway, a page at a time, and the list shows the rest', async () => {
  const page = await openAs('viewer', DESKTOP);
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/findSharedStreams')) bodies.push(request.postData() ?? '');
  });
  await search(page, 'delivery');
  await option(page, /Delivery 1/).waitFor();
  expect(await option(page, /^Delivery/).count()).toBe(6);
  expect(bodies.filter((body) => body.includes('delivery')).map((body) => JSON.parse(body).limit)).toEqual([
    6,
  ]);
  await option(page, 'More shares…').click();
  await page.getByText('9 shares').waitFor();
  await search(page, 'delivery 7');
  await option(page, /Delivery 7/).click();
  await page.getByRole('dialog', { name: 'Delivery 7' }).waitFor();
});

test('settings, people, pages, and actions are found by those who may use them', async () => {
  const page = await openAs('admin', DESKTOP);
  await search(page, 'public media url');
  await option(page, /Media URL/)
    .first()
    .click();
  await page.getByRole('searchbox', { name: 'Search settings' }).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Search settings' }).inputValue()).toBe('public.mediaUrl');
  await search(page, 'lovelace');
  await option(page, /Ada Lovelace/)
    .first()
    .click();
  const person = page.getByRole('dialog', { name: 'Edit person' });
  expect(await person.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
  await page.keyboard.press('Escape');
  await search(page, 'new site');
  await option(page, 'New site').click();
  await page.getByRole('dialog', { name: 'New site' }).waitFor();
  await page.keyboard.press('Escape');
  await search(page, 'export');
  const download = page.waitForEvent('download');
  await option(page, 'Export cameras').click();
  expect((await download).suggestedFilename()).toMatch(/^cameras-.*\.csv$/);
  await field(page).waitFor({ state: 'detached' });
});

test('someone with limited rights finds only what they may see', async () => {
  const { locations } = await gateway.call('location/getLocationsV2');
  const harbor = locations.find(({ name }: { name: string }) => name === 'Harbor').uuid;
  const scope = { locationUuids: [harbor], cameraUuids: [] };
  const wanted = { name: 'Eve', email: 'eve@example.com', role: 'viewer', scope };
  const { inviteUrl } = await gateway.call('console/invitePerson', wanted);
  const { page } = await openPage(browser);
  pages.push(page);
  await page.context().clearCookies();
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Eve');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText('Harbor gate').first().waitFor();
  await search(page, 'gate');
  await option(page, /Harbor gate/)
    .first()
    .waitFor();
  expect(await option(page, /Warehouse/).count()).toBe(0);
  for (const typed of ['warehouse', 'lovelace', 'media url', 'add cameras', 'new share']) {
    await field(page).fill(typed);
    await page.getByText(`Nothing matches “${typed}”.`).waitFor();
  }
});

test('a hostile name is text, and every size and theme can be used', async () => {
  const page = await openAs('admin', DESKTOP);
  await search(page, 'onerror');
  await option(page, HOSTILE).waitFor();
  await inspect(page, 'search');
  await field(page).fill('');
  await option(page, 'New share').waitFor();
  await inspect(page, 'nothing typed');
  await field(page).fill('zzzz');
  await page.getByText('Nothing matches “zzzz”.').waitFor();
  await inspect(page, 'no result');
});

test('? shows the keys of the page and of every page, and they work', async () => {
  const page = await openAs('operator', DESKTOP, `cameras/${await gateway.cameraUuid('Harbor gate')}`);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Save a snapshot').waitFor();
  await dialog.getByText('Search everything').waitFor();
  await inspect(page, 'keys');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', { name: 'Shares', level: 1 }).waitFor();
  // While one types, they are letters.
  await page.getByRole('searchbox').fill('');
  await page.keyboard.type('gc?');
  expect(await page.getByRole('searchbox').inputValue()).toBe('gc?');
  expect(await dialog.count()).toBe(0);
});

test('keys of single characters can be switched off', async () => {
  const page = await openAs('viewer', DESKTOP);
  await search(page, 'keys of this');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Letters, digits, and signs act as keys').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Cameras');
  await page.evaluate(() => localStorage.removeItem('sluice.keys.characters'));
});
