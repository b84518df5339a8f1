/** What the console says of cameras that sign their video, in Chromium, against a whole gateway and GStreamer's cameras. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { rangeOf, recordMore } from '../support/recorded-past.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 1_440, height: 900 },
];
const MIN_TARGET_PX = 40;

let peers: GstCamera[];
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  peers = await Promise.all([startGstCamera('h264-signed-only'), startGstCamera('h264-signed-changed-only')]);
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    recording: { minFree: '16MiB' },
    cameras: ['Gate', 'Yard'].map((name, at) => ({ name, rtsp: peers[at]!.url, recording: 'always' })),
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  for (const peer of peers ?? []) await peer.stop();
});

async function inspect(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${name} at ${size.width}`);
    expect(await tooWide(page), name).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), name).toEqual([]);
    const { TEST_SCREENSHOTS: folder } = process.env;
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/${name}-${size.width}.png`, fullPage: true });
  }
}

test.each([
  ['Gate', 'Signed by the camera', 'The live video is as the camera signed it.'],
  ['Yard', 'Not as the camera signed it', 'Within the last hour'],
])('the page of %s says “%s”, and its details who signed', async (name, sign, text) => {
  const { page } = await openConsolePage(browser, gateway, 'viewer');
  await page.goto(`${gateway.apiUrl}/console/cameras/${await gateway.cameraUuid(name)}`);
  const badge = page.locator('.camera-head').getByRole('link', { name: sign, exact: true });
  await badge.waitFor();
  await inspect(page, `${name} live`);
  await badge.click();
  const part = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Signature of the camera' }) });
  await part.getByText(text).waitFor();
  await part.getByText('Test camera', { exact: true }).waitFor();
  await part.getByText('Not checked: the gateway has no certificates of manufacturers').waitFor();
  expect(await part.getByText('Last changed video').count()).toBe(name === 'Yard' ? 1 : 0);
  await inspect(page, `${name} details`);
  await page.close();
});

test('a clip of both cameras says what each signed', async () => {
  const fromMs = Date.now();
  await recordMore(gateway, 4);
  const range = rangeOf(fromMs, Date.now());
  const uuids = [await gateway.cameraUuid('Gate'), await gateway.cameraUuid('Yard')];
  const { clipUuid } = await gateway.call('video/spliceV3', {
    deviceUuids: uuids,
    startTimeMillis: range.startSec * 1_000,
    durationSec: range.durationSec,
    saveToConsole: true,
    title: 'Delivery',
  });
  await until('the clip', async () => {
    const { clip } = await gateway.call('event/getClipWithProgress', { clipUuid });
    expect(clip.status).not.toBe('FAILED');
    return clip.status === 'COMPLETE';
  });
  const { page } = await openConsolePage(browser, gateway, 'viewer');
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${uuids[0]}`);
  const clip = page.locator('.clip-list li').filter({ hasText: 'Delivery' });
  await clip.getByText('Gate: Signed by the camera').waitFor();
  await clip.getByText('Yard: Not as the camera signed it').waitFor();
  expect(await clip.getByText('Certificate: Test camera').count()).toBe(2);
  await inspect(page, 'clip');
  await page.close();
});
