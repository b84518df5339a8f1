/** The console after a start of the gateway: which cameras are broken, although no one has watched any. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { openConsolePage } from './console-page.ts';

const HOUR_MS = 3_600_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    sources: { checkInterval: '2s' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Yard', rtsp: 'rtsp://127.0.0.1:1/none' },
    ],
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
  await page.getByText('1 ready, 1 offline').waitFor();
  const clicks = await countClicks(page);
  await openFromMenu(page, 'Alerts');
  const broken = page.locator('.unhealthy');
  await broken.getByText('1 device needs attention').waitFor();
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

/** On a phone, the menu shows the first pages and a button for the others. */
async function openFromMenu(page: Page, title: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Console' });
  const link = menu.getByRole('link', { name: title });
  if (!(await link.isVisible())) await menu.getByRole('button', { name: 'More' }).click();
  await link.click();
}
