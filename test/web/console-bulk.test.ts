/** The list of cameras in Chromium: filters in the address, a selection, and what is done with several at once. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const PHONE = { width: 400, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
const CHECK_MS = 100_000;
const HOSTILE = '<img src=x onerror=alert(1)>';

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    locations: [
      { name: 'Harbor', tz: 'Asia/Kathmandu' },
      { name: 'Office', tz: 'Europe/Berlin' },
    ],
    nvrs: [{ name: 'Core', location: 'Harbor' }],
    cameras: [{ name: 'Declared', rtsp: camera.url, nvr: 'Core', location: 'Harbor' }],
  });
  for (const [name, mainUrl] of [
    ['Alpha', camera.url],
    ['Beta', 'rtsp://127.0.0.1:9/none'],
    [HOSTILE, camera.url],
  ]) {
    await gateway.call('camera/createCamera', { name, mainUrl });
  }
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
beforeEach(async () => {
  page = await open('admin');
});
afterEach(async () => {
  for (const { page: opened } of records) await opened.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function open(role: PersonRole): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(DESKTOP);
  await record.page.goto(`${gateway.apiUrl}/console/?sort=name`);
  await record.page.getByRole('button', { name: 'Table' }).click();
  await record.page.getByRole('link', { name: 'Alpha' }).waitFor();
  return record.page;
}

const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const result = (name: string) =>
  page
    .getByRole('dialog')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name, exact: true }) });

test('the filters live in the address', async () => {
  await page.getByLabel('NVR').selectOption({ label: 'Core' });
  await page.getByText('1 of 4', { exact: true }).waitFor();
  await page.getByLabel('Filter by name').fill('decl');
  await page.getByLabel('Site', { exact: true }).selectOption({ label: 'Harbor' });
  expect(new URL(page.url()).searchParams.get('text')).toBe('decl');
  await page.reload();
  await page.getByText('1 of 4', { exact: true }).waitFor();
  expect(await page.getByLabel('Filter by name').inputValue()).toBe('decl');
  await page.getByRole('link', { name: 'Declared' }).click();
  await page.getByRole('heading', { name: 'Declared', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('1 of 4', { exact: true }).waitFor();
  await page.getByLabel('Filter by name').fill('nothing');
  await page.getByText('No camera matches').waitFor();
  await page.getByRole('link', { name: 'Show all cameras' }).click();
  await page.getByRole('link', { name: 'Alpha' }).waitFor();
});

test('three are selected by keyboard and shared with the same terms, and their links are copied', async () => {
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.apiUrl });
  await box(HOSTILE).focus();
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await box('Beta').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await box('Beta').focus();
  await page.keyboard.press('Space');
  await box(HOSTILE).focus();
  await page.keyboard.press('Shift+Space');
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Share…' }).click();
  await page.getByRole('radio', { name: 'In 7 days' }).check();
  await page.getByLabel('Password for all').fill('open sesame 42');
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, 'share');
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Create 3 links' }).click();
  await page.getByText('3 of 3 done.').waitFor();
  await page.getByRole('button', { name: 'Copy 3 links' }).click();
  await page.getByRole('button', { name: 'Copied' }).or(page.getByText('Copied').first()).first().waitFor();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
  expect(lines.map((line) => line.split('\t')[0]).sort()).toEqual([HOSTILE, 'Alpha', 'Beta'].sort());
  for (const line of lines) expect(line.split('\t')[1]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  await expectAccessible(page, 'links');
  const { sharedLiveVideoStreams: shares } = await gateway.call('camera/findAllSharedLiveVideoStreams');
  expect(shares).toHaveLength(3);
  for (const share of shares as Json[]) {
    expect(share.passwordProtected).toBe(true);
    expect(share.expirationTime - Date.now() / 1_000).toBeGreaterThan(6.9 * 86_400);
  }
});

test('several are checked, each with its result', async () => {
  await page.getByLabel('Select all').check();
  await page.getByText('4 selected').waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('4 of 4 done.').waitFor({ timeout: 2 * CHECK_MS });
  await result('Alpha')
    .getByText(/avc1\..*320 × 180/)
    .waitFor();
  await result('Beta').getByText('The camera cannot be reached').waitFor();
  await expectAccessible(page, 'checked');
  expect(await tooWide(page)).toEqual([]);
});

test('several are moved, and what the file declares says why it stays', async () => {
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 4 cameras' });
  await dialog.getByLabel('Site', { exact: true }).selectOption({ label: 'Office' });
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('4 of 4 done, 1 failed.').waitFor();
  await result('Declared').getByText('The configuration file declares Declared').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('row', { name: /Alpha.*Office/ }).waitFor();
});

test('an operator shares only, and a viewer only watches', async () => {
  page = await open('operator');
  await box('Alpha').check();
  await page.getByRole('button', { name: 'Share…' }).waitFor();
  expect(await page.getByRole('button', { name: 'Check', exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Move…' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Add cameras' }).count()).toBe(0);
  page = await open('viewer');
  await box('Alpha').check();
  await page.getByRole('link', { name: 'Watch as a wall' }).waitFor();
  const deeds = page.getByRole('region', { name: 'Selected cameras' }).locator('button:not(.square)');
  expect(await deeds.count()).toBe(0);
});

test.each(['Table', 'Pictures'])('everyone can select in %s', async (layout) => {
  await page.getByRole('button', { name: layout }).click();
  await box('Alpha').check();
  await page.getByText('1 selected').waitFor();
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await box('Alpha').waitFor();
    await expectAccessible(page, `${layout}, ${size.width} px`);
    expect(await tooWide(page)).toEqual([]);
  }
});
