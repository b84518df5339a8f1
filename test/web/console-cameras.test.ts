/** The pages of cameras in Chromium: pictures, the table, and one camera live, for someone who may only look. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    locations: [{ name: 'Warehouse', tz: 'Europe/Berlin' }],
    cameras: [
      { name: 'Dock', location: 'Warehouse', rtsp: camera.url },
      { name: HOSTILE, rtsp: 'rtsp://127.0.0.1:1/none' },
    ],
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.setViewportSize(DESK);
  await page.goto(`${gateway.apiUrl}/console/`);
  await page.getByRole('link', { name: 'Dock' }).waitFor();
});
afterEach(() => page.close());

test('shows a picture of each camera that has one, and what to do about the other', async () => {
  const dock = page.getByRole('listitem', { name: 'Dock' });
  await dock.locator('img').waitFor();
  await page
    .getByRole('listitem', { name: HOSTILE })
    .getByText(/nothing accepts connections at this port/)
    .waitFor();
  await page.getByLabel('Filter by name').fill('warehouse');
  await page.getByText('1 of 2', { exact: true }).waitFor();
  expect(await page.locator('.card').count()).toBe(1);
  await page.getByLabel('Filter by name').fill('');
  await page.getByRole('button', { name: 'Offline 1' }).click();
  await page.getByRole('listitem', { name: HOSTILE }).waitFor();
  expect(await page.locator('.card').count()).toBe(1);
});

test('is a table too, which the browser remembers', async () => {
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByRole('row', { name: /Dock .*Warehouse/ }).waitFor();
  await page.reload();
  await page.getByRole('row', { name: /Dock .*Warehouse/ }).waitFor();
  await page.getByRole('button', { name: 'Pictures' }).click();
  await page.getByRole('listitem', { name: 'Dock' }).waitFor();
});

test('plays a camera live in the page, and says what its stream is like', async () => {
  await page.getByRole('link', { name: 'Dock' }).click();
  await page.getByRole('heading', { name: 'Dock', level: 1 }).waitFor();
  await page.locator('.stage-sign.live').waitFor();
  await page.getByRole('link', { name: 'Details' }).click();
  const player = page.frameLocator('iframe.preview');
  await player.locator('video').waitFor();
  const frame = page.frames().find((each) => each.url().startsWith(`${gateway.mediaUrl}/preview`))!;
  await frame.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5);
  await page.getByText(/avc1\./).waitFor();
  await page.getByText('1 viewer now, this page included.').waitFor();
  expect(await page.locator('.sign').first().textContent()).toMatch(/^Streaming/);
});

test('has the address that people try', async () => {
  await page.goto(`${gateway.apiUrl}/console/cameras`);
  await page.getByRole('link', { name: 'Dock' }).waitFor();
  const here = page.getByRole('navigation', { name: 'Console' }).locator('[aria-current="page"]');
  expect(await here.textContent()).toBe('Cameras');
});

test('says why a camera is not there', async () => {
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
  await page.locator('.trouble').getByText('DIRECT_UNREACHABLE').waitFor();
  await page.goto(`${gateway.apiUrl}/console/cameras/AAAAAAAAAAAAAAAAAAAAAA`);
  await page.getByText('There is no camera with this UUID.').waitFor();
});

test.each([
  ['phone', PHONE],
  ['desk', DESK],
])('everyone can use them on a %s', async (device, size) => {
  await page.setViewportSize(size);
  await page.getByRole('listitem', { name: 'Dock' }).locator('img').waitFor();
  if (device === 'phone') await page.getByRole('button', { name: 'Filters' }).click();
  for (const layout of ['Table', 'Pictures']) {
    await page.getByRole('button', { name: layout }).click();
    await expectAccessible(page, layout);
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  }
  await page.getByRole('link', { name: 'Dock' }).click();
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByText(/avc1\./).waitFor();
  await expectAccessible(page, 'camera');
  expect(await tooWide(page)).toEqual([]);
});
