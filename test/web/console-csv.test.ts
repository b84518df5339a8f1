/** Cameras from a file and into a file, in the console. */

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Json, TestGateway } from '../support/gateway.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 320, height: 700 },
  { width: 1_440, height: 900 },
];
const MIN_TARGET_PX = 40;
const FORMULA = '=HYPERLINK("http://192.0.2.1","x")';
const PASSWORD = 'p@s:s,"w;o';

let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false, locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }] });
  await gateway.call('camera/createCamera', {
    name: FORMULA,
    mainUrl: 'rtsp://127.0.0.1:9/first',
    username: 'admin',
    password: PASSWORD,
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

async function expectFits(state: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state}, ${size.width} px`);
    expect(await tooWide(page), `${state}, ${size.width} px`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state}, ${size.width} px`).toEqual([]);
  }
}

async function choose(lines: readonly string[]): Promise<void> {
  const file = { name: 'cameras.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
  await page.getByLabel('CSV file').setInputFiles(file);
}

async function exported(): Promise<string> {
  await page.goto(`${gateway.apiUrl}/console/`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^cameras-\d{4}-\d\d-\d\d\.csv$/);
  return readFileSync(await download.path(), 'utf8');
}

test('an export has no login, and a name that is a formula is a text', async () => {
  const text = await exported();
  expect(text).toContain(`"'=HYPERLINK(`);
  expect(text).toContain('"rtsp://127.0.0.1:9/first"');
  expect(text).not.toContain('admin');
  expect(text).not.toContain('p@s');
});

test('a file is shown row by row before anything is created, in three clicks', async () => {
  await page.goto(`${gateway.apiUrl}/console/`);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Add cameras' }).click();
  await page.getByRole('link', { name: 'From a file' }).click();
  await choose(['color', 'red']);
  await page.getByText('“name” is missing').waitFor();
  await choose([
    'Name;Site;Address;Username;Password',
    `Dock;harbor;rtsp://127.0.0.1:9/dock;viewer;"p@s:s,""w;o"`,
    'Yard;Moon;rtsp://127.0.0.1:9/yard;;',
    'Gate;;rtsp://127.0.0.1:9/first;;',
    '<img src=x onerror=alert(1)>;;rtsp://127.0.0.1:9/gate;;',
  ]);
  await page.getByRole('heading', { name: '2 new, 0 changed, 0 as before, 2 with errors' }).waitFor();
  await page.getByText('Line 3: There is no site “Moon”.').waitFor();
  await page.getByText(/^Line 4: .* has this address already\.$/).waitFor();
  await expectFits('preview');
  expect((await gateway.call('camera/getMinimalCameraStateList')).cameraStates).toHaveLength(1);
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByRole('heading', { name: '2 done' }).waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(3);
  const cameraUuid = await gateway.cameraUuid('Dock');
  const { source, locationUuid } = await gateway.call('camera/getCameraSource', { cameraUuid });
  expect(source).toMatchObject({
    mainUrl: 'rtsp://127.0.0.1:9/dock',
    username: 'viewer',
    hasPassword: true,
  });
  expect(locationUuid).toBeTruthy();
});

test('names that were changed in an export come back, and nothing else changes', async () => {
  const text = (await exported()).replace('"Dock"', '"Dock 2"');
  await page.goto(`${gateway.apiUrl}/console/cameras/add?way=file`);
  await choose([text]);
  await page.getByRole('heading', { name: '0 new, 1 changed, 2 as before, 0 with errors' }).waitFor();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('heading', { name: '1 done' }).waitFor();
  const { source } = await gateway.call('camera/getCameraSource', {
    cameraUuid: await gateway.cameraUuid('Dock 2'),
  });
  expect(source).toMatchObject({ username: 'viewer', hasPassword: true });
});

test('200 cameras of a file are created with errors by line, and moved together', async () => {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${gateway.apiUrl}/console/cameras/add?way=file`);
  const known = (await gateway.call('camera/getMinimalCameraStateList')).cameraStates.length;
  const rows = Array.from({ length: 200 }, (_, at) => `Mast ${at + 1};;rtsp://127.0.0.1:9/mast-${at + 1}`);
  // Lines 51 and 151 of the file.
  rows[49] = 'Mast 50;Moon;rtsp://127.0.0.1:9/mast-50';
  rows[149] = 'Mast 150;;rtsp://127.0.0.1:9/first';
  await choose(['Name;Site;Address', ...rows]);
  await page.getByRole('heading', { name: '198 new, 0 changed, 0 as before, 2 with errors' }).waitFor();
  await page.getByText('Line 51: There is no site “Moon”.').waitFor();
  await page.getByText(/^Line 151: .* has this address already\.$/).waitFor();
  const frames = await countFrames(page);
  await page.getByRole('button', { name: 'Import 198 rows' }).click();
  await page.getByRole('heading', { name: '198 done' }).waitFor();
  const cameras = async () => (await gateway.call('camera/getMinimalCameraStateList')).cameraStates as Json[];
  expect(await cameras()).toHaveLength(known + 198);
  // The page went on drawing all the while.
  expect(await frames()).toBeGreaterThan(10);
  await page.goto(`${gateway.apiUrl}/console/?text=Mast`);
  await page.getByText(`198 of ${known + 198}`).waitFor();
  const moved = await countFrames(page);
  await page.getByLabel('Select all').check();
  await page.getByText('198 selected').waitFor();
  await page.getByRole('button', { name: 'Move…' }).click();
  await page.getByRole('dialog').getByLabel('Site').selectOption({ label: 'Harbor' });
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await expect
    .poll(async () => (await cameras()).filter(({ locationUuid }) => locationUuid !== undefined).length, {
      timeout: 90_000,
    })
    .toBeGreaterThanOrEqual(198);
  expect(await moved()).toBeGreaterThan(10);
});

/** Counts frames that the page draws from now on. */
async function countFrames(of: Page): Promise<() => Promise<number>> {
  await of.evaluate(() => {
    const counted = Object.assign(globalThis, { drawnFrames: 0 });
    const draw = () => {
      counted.drawnFrames += 1;
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  });
  return () => of.evaluate(() => (globalThis as unknown as { drawnFrames: number }).drawnFrames);
}
