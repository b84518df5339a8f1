/** Yesterday's event becomes a shared clip, and a download, in few presses, on a desk and on a phone; picture and axis fit every screen. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { moveRecordings, recordMore } from '../support/recorded-past.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const DAY_MS = 86_400_000;
const MAX_PRESSES = 8;
const MIN_TARGET_PX = 40;
const MIN_PICTURE_PX = 100;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;
const EVENT = 'Person at the dock';

let dock: SyntheticCamera;
let gate: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let eventMs: number;

beforeAll(async () => {
  dock = await startCamera();
  gate = await startCamera();
  const camera = { location: 'Warehouse', recording: 'always' };
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    // Neither the browser's zone nor the gateway's.
    locations: [{ name: 'Warehouse', tz: 'America/New_York' }],
    cameras: [
      { ...camera, name: 'Dock', rtsp: dock.url },
      { ...camera, name: 'Gate', rtsp: gate.url },
    ],
  });
  await recordMore(gateway, 4);
  eventMs = Date.now() + 12_000 - DAY_MS;
  // Half a minute of both: from before the event to the end of its clip.
  for (let part = 0; part < 3; part++) await recordMore(gateway, 25);
  await gateway.end();
  moveRecordings(gateway, -DAY_MS);
  await gateway.run();
  const deviceUuid = await gateway.cameraUuid('Dock');
  await gateway.call('ingest/policyAlerts', {
    rows: [
      {
        uuid: newRuuid(),
        deviceUuid,
        timestampMs: Math.round(eventMs),
        durationSec: 3,
        policyAlertTriggers: ['MOTION_HUMAN'],
        textDescription: EVENT,
      },
    ],
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await dock?.close();
  await gate?.close();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway, 'operator'));
  await page.goto(`${gateway.apiUrl}/console/`);
});
afterEach(() => page.close());

const screenshot = async (name: string) => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/case-${name}.png` });
};
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** Clips of the event have its name, too. */
const eventRow = () => page.getByRole('button', { name: /^Motion: Person at the dock/ });

/** From any page to a clip of the event whose times are set. */
async function cutTheEvent(device: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Timeline' }).click();
  await button('Yesterday').click();
  await eventRow().locator('img').waitFor();
  await screenshot(`${device}-yesterday`);
  await eventRow().click();
  await until('playback from before the event', async () => {
    const head = page.getByRole('slider', { name: 'Play head' });
    const atMs = Number(await head.getAttribute('aria-valuenow')) * 1_000;
    return Math.abs(atMs - eventMs) < 60_000;
  });
  await button('Cut a clip').click();
  await page.getByRole('form', { name: 'New clip' }).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe(EVENT);
  await page.getByRole('slider', { name: 'Start of the clip' }).waitFor();
}

test.each([
  ['desk', DESK, true],
  ['phone', PHONE, false],
] as const)('yesterday’s event becomes a shared clip on a %s', async (device, size, isCase) => {
  await page.setViewportSize(size);
  const clicks = await countClicks(page);
  await cutTheEvent(device);
  await screenshot(`${device}-cut`);
  await expectAccessible(page, 'cutting');
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  if (isCase) await page.getByRole('form', { name: 'New clip' }).getByLabel('Gate').click();
  await button('Share').click();
  await button('Create link').click();
  await button('Copy link').click();
  expect(clicks.since()).toBeLessThanOrEqual(MAX_PRESSES);
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  await page.getByRole('heading', { name: `The link of ${EVENT} is ready` }).waitFor();
  const ready = page.getByRole('dialog').getByText('Ready', { exact: true });
  await until('all are made', async () => (await ready.count()) === (isCase ? 2 : 1));
  await expectAccessible(page, 'shared');
  await screenshot(`${device}-shared`);
  const strange = await browser.context.browser()!.newContext();
  const stranger = await strange.newPage();
  await stranger.goto(link);
  await stranger.getByText(EVENT).first().waitFor();
  await stranger.getByText(/Warehouse: Dock.*\(America\/New_York\)/).waitFor();
  const all = stranger.getByRole('link', { name: 'Download all as ZIP' });
  if (isCase) {
    const archive = stranger.waitForEvent('download');
    await all.click();
    expect((await archive).suggestedFilename()).toBe(`${EVENT}.zip`);
  } else expect(await all.isVisible()).toBe(false);
  await strange.close();
});

test.each([
  ['desk', DESK],
  ['phone', PHONE],
] as const)('yesterday’s event of two cameras is downloaded as one case on a %s', async (device, size) => {
  await page.setViewportSize(size);
  const clicks = await countClicks(page);
  await cutTheEvent(device);
  await page.getByRole('form', { name: 'New clip' }).getByLabel('Gate').click();
  await button('Download').click();
  const saved = page.getByRole('link', { name: 'Save file' });
  await saved.waitFor();
  expect(await page.getByRole('dialog').getByText('Ready', { exact: true }).count()).toBe(2);
  await screenshot(`${device}-case`);
  const download = page.waitForEvent('download');
  await saved.click();
  expect(clicks.since()).toBeLessThanOrEqual(MAX_PRESSES);
  expect((await download).suggestedFilename()).toBe(`${EVENT}.zip`);
});

test.each([
  ['phone', PHONE],
  ['desk', DESK],
  ['small desk', { width: 1_280, height: 720 }],
  ['wide screen', { width: 2_560, height: 1_080 }],
  ['phone on its side', { width: 844, height: 390 }],
  ['small phone', { width: 320, height: 640 }],
] as const)('picture and axis fit the first screen of a %s', async (device, size) => {
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/timeline`);
  await page.getByRole('slider', { name: 'Play head' }).waitFor();
  const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
  const menu = await boxOf('nav.menu');
  const bottom = size.width <= 720 ? menu.y : size.height;
  for (const selector of ['.step-tiles', '.lanes', '.transport']) {
    const { y, height } = await boxOf(selector);
    expect([selector, y >= 0, y + height <= bottom + 0.5]).toEqual([selector, true, true]);
  }
  expect((await boxOf('.step-tiles')).height).toBeGreaterThanOrEqual(MIN_PICTURE_PX);
  expect(await tooWide(page)).toEqual([]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await screenshot(`${device.replaceAll(' ', '-')}-${colorScheme}`);
  }
});
