/** The first steps in Chromium: a fresh gateway, the printed link, and a link that plays on a phone. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const WATCH_URL = 'https://watch.harbor.example';
const run = promisify(execFile);

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ trustProxy: '127.0.0.1' });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
  await page.setViewportSize({ width: 1_440, height: 900 });
});
afterEach(() => page.close());

const step = (title: string | RegExp): Locator => page.getByRole('region', { name: title });
const isDone = (title: string | RegExp) => step(title).getByText('Done', { exact: true }).waitFor();

test('a fresh gateway leads from the printed link to a link that plays on a phone', async () => {
  await page.goto((await readFile(join(gateway.folder, 'data', 'console-link.txt'), 'utf8')).trim());
  await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/start`);
  const player = page.frameLocator('iframe.preview').locator('video');
  await isDone('See Demo camera live');
  await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(1);

  await step('Get an API key').getByRole('button', { name: 'Create a key' }).click();
  const curl = await step('Get an API key').getByLabel('A call that lists your cameras').inputValue();
  const { stdout } = await run('/bin/sh', ['-c', curl]);
  expect(JSON.parse(stdout).cameraStates).toMatchObject([{ name: 'Demo camera' }]);
  await isDone('Get an API key');
  await expectAccessible(page, 'first steps');

  await step('Watch on a phone').getByRole('button', { name: 'Share a camera…' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await step('Watch on a phone').getByText('Nobody has opened it yet').waitFor();
  const link = await step('Watch on a phone').getByLabel('Link', { exact: true }).inputValue();
  const { page: phone } = await openPage(browser);
  await phone.setViewportSize(PHONE);
  await phone.goto(link);
  await expect
    .poll(() => phone.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime), {
      timeout: 60_000,
    })
    .toBeGreaterThan(1);
  await step('Watch on a phone').getByText('A viewer is watching now, from 127.0.0.1').waitFor();
  await isDone('Watch on a phone');
  await phone.close();
  await step('Watch on a phone').getByText('Nobody is watching now').waitFor();

  // What was done before is out of the way, and there on request.
  await page.reload();
  const key = step('Get an API key');
  await key.getByText('Done', { exact: true }).waitFor();
  expect(await key.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  await key.getByRole('button', { name: 'Show: Get an API key' }).press('Enter');
  await key.getByRole('button', { name: /key/ }).nth(1).waitFor();
  await key.getByRole('button', { name: 'Hide: Get an API key' }).click();
  await expectAccessible(page, 'a collapsed step');
});

test('says that the new camera works when its stream does', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  await page.goto(`${gateway.apiUrl}/console/start`);
  const add = step('Add your first camera');
  expect(await add.getByRole('link', { name: 'Add a camera' }).getAttribute('href')).toBe(
    '/console/cameras/add',
  );
  const { cameraUuid } = await gateway.call('camera/createCamera', {
    name: '<b>Dock</b>',
    mainUrl: 'rtsp://192.0.2.1/stream',
  });
  await add.getByRole('link', { name: '<b>Dock</b>' }).waitFor();
  await add.getByRole('link', { name: 'Add another camera' }).waitFor();
  expect(await add.getByText('Done', { exact: true }).count()).toBe(0);
  await gateway.call('camera/delete', { cameraUuid });
});

test('tests the public URL from the gateway and from a phone', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  await page.goto(`${gateway.apiUrl}/console/start`);
  const outside = step('Test it from outside');
  // No phone opens an address that means the phone itself: both steps say so, and neither offers one.
  await outside.getByText(/^Links open only on this machine so far/).waitFor();
  await step('Watch on a phone').getByText('Phones cannot open links yet.').waitFor();
  expect(await outside.getByRole('button', { name: 'Make a test address' }).count()).toBe(0);
  expect(await page.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
  expect(await page.getByText(/Point a phone’s camera/).count()).toBe(0);

  // As if the gateway had a name that leads to it.
  await page.route(/console\/(?:validatePublicUrl|createPublicUrlCheck)$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll(gateway.mediaUrl, WATCH_URL),
    });
  });
  await page.reload();
  await outside.getByText(/The gateway reached itself at watch\.harbor\.example, without a proxy/).waitFor();
  await outside.getByText(/a test with a phone shows it/).waitFor();
  await outside.getByRole('button', { name: 'Make a test address' }).click();
  await outside.getByText('Not opened yet').waitFor();
  const shown = (await outside.getByRole('link').textContent())!;
  expect(shown.startsWith(`${WATCH_URL}/reach/`)).toBe(true);
  const address = shown.replace(WATCH_URL, gateway.mediaUrl);
  const { page: phone } = await openPage(browser);
  await phone.setViewportSize(PHONE);
  await phone.setExtraHTTPHeaders({ 'x-forwarded-for': '198.51.100.7' });
  await phone.goto(address);
  await phone.getByRole('heading', { name: 'This address works' }).waitFor();
  await expectAccessible(phone, 'test page');
  expect(await tooWide(phone)).toEqual([]);
  await phone.close();
  await outside
    .getByText(/Opened from 198\.51\.100\.7 .*, through the proxy 127\.0\.0\.1 \(x-forwarded-for\)/)
    .waitFor();
});

test('has lines for the configuration that the gateway accepts', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  await page.goto(`${gateway.apiUrl}/console/start`);
  const others = step('Let others in');
  await others.getByLabel('Host name of links').fill('video.example.org');
  await others.getByLabel('Host name of this console').fill('console.example.org');
  await others.getByRole('button', { name: 'Check these lines' }).click();
  await others.getByText('The gateway accepts these lines.').waitFor();
  await others.getByLabel('Host name of links').fill('video.example.org; return 200');
  await others.getByText('Write a complete host name.').waitFor();
  expect(await others.getByRole('region', { name: 'Lines for nginx' }).textContent()).not.toContain(
    'return 200',
  );
});

test('everyone can use it, and leave it out of the menu', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  await page.setViewportSize(PHONE);
  await page.goto(`${gateway.apiUrl}/console/start`);
  await step('Test it from outside')
    .getByText(/^Links open only on this machine so far/)
    .waitFor();
  await expectAccessible(page, 'first steps on a phone');
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  const menu = page.getByRole('navigation', { name: 'Console' });
  await page.getByRole('button', { name: 'Hide from the menu' }).click();
  expect(await menu.getByRole('link', { name: 'First steps' }).count()).toBe(0);
  await page.goto(`${gateway.apiUrl}/console/account`);
  await page.getByRole('link', { name: 'Open the first steps again' }).click();
  await page.getByRole('button', { name: 'Show in the menu' }).click();
  await menu.getByRole('link', { name: 'First steps' }).waitFor();
});

test('an administrator edits a door, and a viewer cannot', async () => {
  const { locationUuid } = await gateway.call('location/createLocation', {
    location: { name: 'Site', tz: 'UTC' },
  });
  const door = { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), locationUuid, name: 'Back door' };
  await gateway.call('ingest/doors', { rows: [door] });
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  await page.goto(`${gateway.apiUrl}/console/doors`);
  await page.getByRole('button', { name: 'Back door' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('<i>Front</i>');
  await dialog.getByLabel('Normal state').selectOption('UNLOCKED');
  await dialog.getByLabel('A badge or code unlocks it for').fill('many');
  await dialog.getByText('Write a whole number of seconds').waitFor();
  await dialog.getByLabel('A badge or code unlocks it for').fill('12');
  await dialog.getByLabel('Allow remote unlock').check();
  await expectAccessible(page, 'door');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: '<i>Front</i>' }).click();
  await page.getByRole('dialog').getByText('12 s').waitFor();
  const { accessControlledDoors } = await gateway.call('component/findAccessControlledDoors');
  expect(accessControlledDoors).toMatchObject([
    { name: '<i>Front</i>', defaultState: 'UNLOCKED', unlockTimeSec: 12, remoteUnlockEnabled: true },
  ]);
  await page.close();
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.goto(`${gateway.apiUrl}/console/doors`);
  await page.getByRole('button', { name: '<i>Front</i>' }).click();
  await page.getByRole('dialog').getByText('12 s').waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
});

test('the System page says which workers run, and what waits for what', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway));
  const worker = { purpose: 'camera', cores: 0.3, isYielding: false, ageMs: 61_000 };
  await page.route('**/api/console/getSystemState', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    answer.state.workers = {
      ...answer.state.workers,
      running: 1,
      maxWorkers: 1,
      cores: 0.3,
      maxCores: 2,
      refused: 3,
      active: [{ ...worker, cameraUuid: newRuuid(), cameraName: '<b>Gate</b>', memoryBytes: 84_000_000 }],
      line: [
        {
          ...worker,
          cameraUuid: newRuuid(),
          cameraName: 'Yard',
          ageMs: 4_000,
          urgency: 'viewer',
          ahead: 0,
          waitsFor: 'workers',
        },
      ],
    };
    await route.fulfill({ response, json: answer });
  });
  await page.goto(`${gateway.apiUrl}/console/system`);
  await page
    .getByText('1 of 1 run, and use 0.3 cores of 2 cores. 1 start waits. 3 waited too long since the start.')
    .waitFor();
  await page
    .getByRole('row', { name: /<b>Gate<\/b>.*Reads the camera.*0\.3 cores.*80\.1 MiB.*1 min/ })
    .waitFor();
  await page
    .getByRole('row', { name: /Yard.*The only conversion is in use; next, for a viewer.*4 s/ })
    .waitFor();
  // A gateway alone has none.
  expect(await page.getByText('Redis').count()).toBe(0);
  await expectAccessible(page, 'workers');
  await page.setViewportSize(PHONE);
  // The narrow rows come when the browser says that it is narrow.
  await expect.poll(() => tooWide(page)).toEqual([]);
});

test('is nothing for a viewer', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.goto(`${gateway.apiUrl}/console/start`);
  await page.getByText('There is no such page').waitFor();
  expect(await page.getByRole('link', { name: 'First steps' }).count()).toBe(0);
});
