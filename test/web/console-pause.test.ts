/** A camera that someone works on: paused and repaired from the console, on a desk, a phone, and with the keyboard alone. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;

let gateway: TestGateway;
let browser: TestBrowser;
let gate: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false, sources: { checkInterval: '2s' } });
  await gateway.call('camera/createCamera', { name: 'Gate', mainUrl: 'rtsp://127.0.0.1:1/none' });
  gate = await gateway.cameraUuid('Gate');
  browser = await startBrowser();
  await until('the camera to be offline', async () => (await unhealthy()).length === 1);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
  await gateway.call('camera/endCameraPause', { cameraUuid: gate });
});

const unhealthy = async (): Promise<unknown[]> =>
  (await gateway.call('event/getUnhealthyDeviceAlerts')).unhealthyDeviceAlerts;

async function open(path: string, size = DESK, role: PersonRole = 'admin'): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(size);
  await record.page.goto(`${gateway.apiUrl}/console/${path}`);
  return record.page;
}

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS !== undefined) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

test.each([
  ['desk', DESK],
  ['phone', PHONE],
  ['narrowest phone', NARROWEST],
])('pauses a camera, and ends the pause early, on a %s', async (device, size) => {
  const page = await open(`cameras/${gate}`, size);
  await page.getByRole('button', { name: 'Pause for maintenance…' }).click();
  await page.getByRole('radio', { name: 'In 4 hours' }).check();
  await expectAccessible(page, 'dialog');
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await shot(page, `pause-dialog-${device}`);
  await page.getByRole('button', { name: 'Pause camera' }).click();
  const text = /^Paused for maintenance until .+ by /;
  await page.getByText(text).waitFor();
  expect(await unhealthy()).toEqual([]);
  await expectAccessible(page, 'camera');
  expect(await tooWide(page)).toEqual([]);
  await shot(page, `pause-camera-${device}`);
  for (const path of ['', 'alerts', 'system']) {
    await page.goto(`${gateway.apiUrl}/console/${path}`);
    await page.getByText(text).waitFor();
    await expectAccessible(page, path);
    expect(await tooWide(page)).toEqual([]);
    await shot(page, `pause-${path || 'cameras'}-${device}`);
  }
  expect(await page.locator('.verdict .sign.offline').count()).toBe(0);
  await page.getByRole('button', { name: 'End pause: Gate' }).click();
  await page.getByText('1 camera is paused').waitFor({ state: 'detached' });
  expect(await unhealthy()).toHaveLength(1);
  await page.goto(`${gateway.apiUrl}/console/activity`);
  await page.getByText('Ended the pause of a camera').first().waitFor();
});

test('needs no mouse, and a pause until a time holds after a restart', async () => {
  const page = await open(`cameras/${gate}`);
  await page.getByRole('button', { name: 'Pause for maintenance…' }).press('Enter');
  await page.getByRole('radio', { name: 'In 1 hour' }).press('ArrowRight');
  await page.getByRole('radio', { name: 'In 4 hours' }).press('ArrowRight');
  const chosen = await page.getByLabel('Ends at').inputValue();
  await page.getByLabel('Ends at').press('Enter');
  await page.getByText(/^Paused for maintenance until/).waitFor();
  const pauses = async () => (await gateway.call('camera/getCameraPauses')).pauses;
  const before = await pauses();
  const shown = (epochMs: number) =>
    page.evaluate((atMs) => {
      const at = new Date(atMs);
      return `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;
    }, epochMs);
  expect(chosen).toContain(await shown(before[0].untilMs));
  await gateway.restart();
  expect(await pauses()).toEqual(before);
  expect(await unhealthy()).toEqual([]);
});

test('shows a viewer the pause, and no way to change it', async () => {
  await gateway.call('camera/pauseCamera', { cameraUuid: gate, durationSec: 3_600 });
  const page = await open(`cameras/${gate}`, DESK, 'viewer');
  await page.getByText(/^Paused for maintenance until/).waitFor();
  expect(await page.getByRole('button', { name: /maintenance|End pause|Change/ }).count()).toBe(0);
});

test.each([
  ['Pictures', DESK],
  ['Pictures', PHONE],
  ['Table', DESK],
] as const)('leads from an offline camera to what repairs it (%s)', async (layout, size) => {
  const page = await open('', size);
  if (size === PHONE) await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: layout }).click();
  const repair = page.getByRole('link', { name: 'Gate: Change address…' });
  await repair.waitFor();
  await expectAccessible(page, layout);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await shot(page, `repair-${layout}-${size.width}`);
  await repair.click();
  await page.getByRole('heading', { name: 'Gate', level: 1 }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
});
