/** The page of service levels in Chromium: chosen shares are played, and what is measured is shown. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
/** A folder for pictures of the page, to look at. */
const { SHOTS } = process.env;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { idleStop: '10m' },
    cameras: [
      { name: 'Lobby', rtsp: camera.url },
      { name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/gate' },
    ],
    serviceLevels: { every: '10s', runTime: '5s', viewerReports: true },
  });
  share = await gateway.share('Lobby', { name: 'Front desk for visitors and deliveries' });
  await gateway.share('Gate', { name: 'Gate 3' });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway));
  await page.setViewportSize(DESK);
});
afterEach(() => page.close());

async function open(): Promise<void> {
  await page.goto(`${gateway.apiUrl}/console/service-levels`);
  await page.getByRole('heading', { name: 'Viewing quality', level: 1 }).waitFor();
}

async function shoot(name: string): Promise<void> {
  if (SHOTS === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}.png`), fullPage: true });
  }
}

async function everyoneCanUse(state: string): Promise<void> {
  await expectAccessible(page, state);
  await shoot(`${state}-desk`);
  await page.setViewportSize(PHONE);
  await expectAccessible(page, `${state} on a phone`);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await shoot(`${state}-phone`);
  await page.setViewportSize(DESK);
}

test('explains itself while nothing is measured', async () => {
  await open();
  await page.getByText('No share is measured yet').waitFor();
  await page.getByText(/for 5 s every 10 s/).waitFor();
  await everyoneCanUse('empty');
});

test('lets an admin choose shares, shows what came of the runs, and stops', async () => {
  await open();
  await page.getByRole('button', { name: 'Measure a share' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Measure Gate 3' }).click();
  await dialog.getByRole('button', { name: 'Stop measuring Gate 3' }).waitFor();
  await dialog.getByLabel('Find a share').fill('visitors');
  await dialog.getByRole('button', { name: 'Measure Front desk for visitors and deliveries' }).click();
  await dialog.getByRole('button', { name: /^Stop measuring Front desk/ }).waitFor();
  await everyoneCanUse('picking');
  await page.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('row', { name: /Front desk/ });
  await row.getByText('Plays').waitFor();
  await row.getByText('HTTP/1.1').waitFor();
  await page
    .getByRole('row', { name: /Gate 3/ })
    .getByText('Camera offline')
    .waitFor();
  await page.locator('.level-tile').first().getByText(/ms|s/).first().waitFor();
  await page.getByRole('img', { name: /^First picture in the last 24 hours: from/ }).waitFor();
  await everyoneCanUse('measured');

  await page.getByRole('button', { name: 'Stop measuring Gate 3' }).click();
  await page.getByRole('row', { name: /Gate 3/ }).waitFor({ state: 'detached' });
  const { shares } = await gateway.call('console/getServiceLevels');
  expect(shares.map(({ name }: { name: string }) => name)).toEqual([
    'Front desk for visitors and deliveries',
  ]);
});

test('says over which protocol the last run played, and what is wrong with a certificate', async () => {
  await page.route('**/console/getServiceLevels', async (route) => {
    const response = await route.fetch();
    const levels = await response.json();
    const [measured] = levels.shares;
    const [last] = measured.runs;
    const run = { startedAtMs: last.startedAtMs, isCold: false, protocol: 'h2', outcome: 'played' };
    const failed = { ...run, protocol: undefined, outcome: 'failed', reason: 'certificate-not-yet-valid' };
    const other = { ...measured, sharedLiveVideoStreamUuid: 'qqqqqqqqqqqqqqqqqqqqqg', name: 'Loading dock' };
    levels.shares = [
      { ...measured, runs: [run] },
      { ...other, state: 'failing', reason: failed.reason, runs: [failed, run] },
    ];
    await route.fulfill({ response, json: levels });
  });
  await open();
  await page
    .getByRole('row', { name: /Front desk.*Plays.*HTTP\/2/ })
    .first()
    .waitFor();
  await page.getByRole('row', { name: /Loading dock.*Certificate not valid yet.*HTTP\/2/ }).waitFor();
  await everyoneCanUse('certificate');
});

test('says which share was deleted', async () => {
  await gateway.revoke(share);
  await open();
  await page
    .getByRole('row', { name: /Front desk/ })
    .getByText('Deleted')
    .waitFor();
  await page.getByRole('button', { name: /^Stop measuring Front desk/ }).click();
  await page.getByRole('row', { name: /Front desk/ }).waitFor({ state: 'detached' });
});
