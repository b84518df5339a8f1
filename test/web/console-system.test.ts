/** The pages about the gateway itself in Chromium: how it is doing, its log, its configuration. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MIN_TARGET_PX = 40;
const SECRET = 'a-publish-key-that-no-page-shows';

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({
    rtmp: { listen: '127.0.0.1:0' },
    cameras: [{ name: 'Dock', publishKey: SECRET }],
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway));
  await page.setViewportSize({ width: 1_440, height: 900 });
});
afterEach(() => page.close());

async function shoot(name: string): Promise<void> {
  if (process.env.SHOTS !== undefined) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

async function open(path: string): Promise<void> {
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('main h1').waitFor();
}

test('says how the gateway is doing, with its last hour and its log', async () => {
  await open('system');
  await page.getByText(/Node\.js v/).waitFor();
  await page.getByRole('img', { name: /^Processor in the last hour|^Processor: nothing is known/ }).waitFor();
  // Rows are drawn when they come near the screen.
  await page.getByRole('table', { name: 'Log' }).scrollIntoViewIfNeeded();
  await page.getByRole('row', { name: /ready/ }).waitFor();
  await page.getByLabel('Filter the log').fill('there is no such record');
  await page.keyboard.press('Enter');
  await page.getByText('No record matches').waitFor();
});

test('lists the nodes of a cluster', async () => {
  const load = { ownedCameras: 12, openStreams: 14, viewers: 21, busyShare: 0.254 };
  const node = { version: '1.2.3', isDraining: false, isSelf: false, isReached: true, ...load };
  const nodes = [
    { ...node, nodeId: 'north', address: '192.0.2.1:7700', isSelf: true },
    { ...node, nodeId: 'south', address: '192.0.2.2:7700', isDraining: true },
    { ...node, nodeId: 'west', address: '192.0.2.3:7700', isReached: false },
  ];
  await page.route('**/api/console/getSystemState', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const state = { ...body.state, cluster: { name: 'site', size: 3, nodes } };
    await route.fulfill({ response, json: { ...body, state } });
  });
  await open('system');
  await page.getByText('The cluster site has 3 live nodes.').waitFor();
  const table = page.getByRole('table', { name: 'Nodes' });
  await table.getByRole('row', { name: /north \(this one\).*192\.0\.2\.1:7700.*12.*14.*21.*25 %/ }).waitFor();
  await table.getByRole('row', { name: /south, about to stop/ }).waitFor();
  await table.getByRole('row', { name: /west, out of reach/ }).waitFor();
  const wide = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  await table.getByRole('row', { name: /north.*1\.2\.3.*pulls 12.*viewers 21.*busy 25 %/ }).waitFor();
  // Rows are drawn when they come near the screen.
  await table.getByRole('row', { name: /south/ }).scrollIntoViewIfNeeded();
  await table.getByRole('row', { name: /west/ }).waitFor();
  const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
  const lines = await table.locator('.others').all();
  expect(await Promise.all(lines.map((line) => line.evaluate(isCut)))).toEqual([false, false, false]);
  await page.setViewportSize(wide);
});

test('says how long recordings are kept, and when the disk fills', async () => {
  await open('system');
  await page.getByText('No camera was recorded in the last day.').waitFor();
  const day = 86_400_000;
  const forecast = {
    bytesPerDay: 173e9,
    keptMs: 11.4 * day,
    longestKeptMs: 30 * day,
    decidedBy: 'disk',
    diskFullInMs: 4.6 * day,
  };
  await page.route('**/api/console/getSystemState', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    Object.assign(body.state.recorder, { forecast, use: { recordedBytes: 1_180e9, heldBytes: 2e9 } });
    await route.fulfill({ response, json: body });
  });
  await open('system');
  await page
    .getByText('At today’s rate, recordings are kept for 11.4 days to 30 days, depending on the camera.')
    .waitFor();
  await page.getByText('The disk fills in 4.6 days.').waitFor();
  await page.getByText('161 GiB').waitFor();
  await shoot('recordings-desk');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await tooWide(page)).toEqual([]);
  await shoot('recordings-phone');
});

test('makes a support bundle without secrets', async () => {
  await open('system');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save a support bundle' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^sluice-support-.*\.json\.gz$/);
  const bundle = gunzipSync(await readFile(await download.path())).toString();
  expect(Object.keys(JSON.parse(bundle) as object).length).toBeGreaterThan(3);
  expect(bundle).not.toContain(SECRET);
});

test('says where a setting comes from, checks the file, and reloads it', async () => {
  await open('settings');
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('listen.api');
  await page
    .locator('[data-path="listen.api"]')
    .getByText(/From the file, line \d+/)
    .waitFor();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('The file is valid.').waitFor();
  const file = join(gateway.folder, 'sluice.yaml');
  const valid = await readFile(file, 'utf8');
  await writeFile(file, `${valid}\nhls: { window: 1s }\n`);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.locator('.findings li').first().waitFor();
  await expectAccessible(page, 'findings');
  await page.getByRole('button', { name: 'Reload the file' }).click();
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await writeFile(file, valid);
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await page.getByText(/^Reloaded: 0 cameras are new/).waitFor();
});

test.each(['system', 'settings'])('everyone can use %s', async (path) => {
  await open(path);
  await page.locator('main .row, main .setting-group').first().waitFor();
  await expectAccessible(page, path);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page, `${path} on a phone`);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
});

test('is nothing for a viewer', async () => {
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.goto(`${gateway.apiUrl}/console/system`);
  await page.getByText('There is no such page').waitFor();
  expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
});
