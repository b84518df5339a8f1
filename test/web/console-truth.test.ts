/** The console after a start of the gateway: which cameras are broken, although no one has watched any. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const HOUR_MS = 3_600_000;
const NOWHERE = 'rtsp://127.0.0.1:1/none';

const SIZES = [
  [{ width: 390, height: 844 }, 'phone'],
  [{ width: 1_440, height: 900 }, 'desk'],
] as const;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    sources: { checkInterval: '2s' },
    locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }],
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Yard', rtsp: NOWHERE, location: 'Harbor' },
      { name: 'Gate', rtsp: NOWHERE, location: 'Harbor' },
      { name: 'Barn', rtsp: camera.url },
    ],
  });
  await gateway.call('camera/pauseCamera', {
    cameraUuid: await gateway.cameraUuid('Gate'),
    durationSec: 3_600,
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

test.each([
  ['phone', 390, 844],
  ['desk', 1_440, 900],
])('on a %s, one press shows what is broken and since when', async (_device, width, height) => {
  const { page } = await openConsolePage(browser, gateway, 'admin');
  await page.setViewportSize({ width, height });
  // This browser's clock is an hour ahead.
  await page.addInitScript((aheadMs) => {
    const now = Date.now;
    Date.now = () => now() + aheadMs;
  }, HOUR_MS);
  await page.goto(`${gateway.apiUrl}/console/system`);
  await page.getByText('2 ready, 2 offline').waitFor();
  const clicks = await countClicks(page);
  await openFromMenu(page, 'Alerts');
  const broken = page.locator('.unhealthy');
  await broken.getByText('1 of 4 cameras needs attention').waitFor();
  expect(await broken.getByRole('listitem').textContent()).toMatch(
    /^Yard\s*Cannot be reached for \d+ (?:s|min)$/,
  );
  expect(clicks.since()).toBeLessThanOrEqual(2);

  await page.goto(`${gateway.apiUrl}/console/cameras?state=offline`);
  const yard = page.getByRole('listitem', { name: 'Yard' });
  await yard.getByText(/^Offline for \d+ (?:s|min)$/).waitFor();
  expect(await yard.textContent()).not.toMatch(/ago|in \d+ hr/);
  await page.close();
});

test('every page counts the same cameras, and one sentence says whether all are fine', async () => {
  const { page } = await openConsolePage(browser, gateway, 'admin');
  const open = async (path: string) => {
    await page.goto(`${gateway.apiUrl}/console/${path}`);
  };
  await open('');
  await page.getByRole('listitem', { name: 'Yard' }).waitFor();
  const report = {
    id: newRuuid(),
    deviceUuid: await gateway.cameraUuid('Barn'),
    timestampMs: Date.now(),
    symptom: 'SLOW_INTERNET',
  };
  await gateway.call('ingest/deviceHealth', { rows: [report] });
  for (const path of ['', 'alerts', 'system']) {
    await open(path);
    const verdict = page.locator('.verdict');
    await verdict.getByText('2 of 4 cameras need attention').waitFor();
    await verdict.getByText('1 is offline and paused').waitFor();
    for (const [size, name] of SIZES) {
      await page.setViewportSize(size);
      await expectAccessible(page, `${path} on a ${name}`);
      expect(await tooWide(page), `${path} on a ${name}`).toEqual([]);
    }
    await verdict.getByText('2 of 4 cameras need attention').click();
    await page.getByRole('listitem', { name: 'Barn' }).waitFor();
    expect(await page.locator('.card h2').allTextContents()).toEqual(['Yard', 'Barn']);
    await page.getByRole('button', { name: 'Needs attention 2' }).waitFor();
    await page.getByRole('button', { name: 'Offline 2' }).waitFor();
  }
  await page.locator('.verdict').getByText('1 is offline and paused').click();
  await page.getByText('1 of 4', { exact: true }).waitFor();
  expect(await page.locator('.card h2').allTextContents()).toEqual(['Gate']);
  await open('system');
  await page.getByText('1 camera of this gateway is offline and not paused.').waitFor();
  await open('alerts');
  await expect.poll(() => page.locator('.unhealthy li').count()).toBe(2);
  await open('sites');
  await page.getByText('2 offline').first().waitFor();
  for (const name of ['Yard', 'Barn']) {
    await gateway.call('camera/pauseCamera', {
      cameraUuid: await gateway.cameraUuid(name),
      durationSec: 3_600,
    });
  }
  await open('');
  await page.getByText('No camera needs attention').waitFor();
  await page.getByText('2 are offline and paused').waitFor();
  await page.close();
});

/** On a phone, the menu shows the first pages and a button for the others. */
async function openFromMenu(page: Page, title: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Console' });
  const link = menu.getByRole('link', { name: title });
  if (!(await link.isVisible())) await menu.getByRole('button', { name: 'More' }).click();
  await link.click();
}
