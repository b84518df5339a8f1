/** The page of a share link in Chromium, behind nginx as the guide sets it up: hls.js plays what the cache has. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { CountedOrigin, type MediaCache, startNginxCache } from '../support/media-cache.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';

const ROTATION_SEC = 11;

let camera: SyntheticCamera;
let gateway: TestGateway;
let origin: CountedOrigin;
let cache: MediaCache;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    cdn: true,
    cdnRotation: `${ROTATION_SEC}s`,
    hls: { segmentTarget: '1s', window: '4s' },
    cameras: [{ name: 'Dock', rtsp: camera.url, substream: camera.url }],
  });
  origin = await CountedOrigin.start(gateway.mediaUrl);
  cache = await startNginxCache(origin.url);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await cache?.stop();
  await origin?.close();
  await gateway?.dispose();
  await camera?.close();
});

test('plays on through several rotations, two pages from one copy', async () => {
  const share = await gateway.share('Dock');
  const url = share.pageUrl.replace(gateway.mediaUrl, cache.url);
  const records = [await openPage(browser), await openPage(browser)];
  const media: string[] = [];
  for (const { page } of records) {
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/seg_[\d.]+\.m(?:4v|p4)$/.test(pathname)) media.push(pathname);
    });
    await page.goto(url);
    await page.bringToFront();
    await waitForMotion(page);
  }
  const secondsOf = () =>
    records.map(({ page }) => page.evaluate(() => document.querySelector('video')!.currentTime));
  const starts = await Promise.all(secondsOf());
  for (const [index, { page }] of records.entries()) {
    await page.waitForFunction(
      (endSec) => document.querySelector('video')!.currentTime >= endSec,
      starts[index]! + 2.5 * ROTATION_SEC,
      { timeout: 5 * ROTATION_SEC * 1_000 },
    );
  }
  for (const { page, problems, failedLoads, origins } of records) {
    expect([problems, failedLoads, [...origins]]).toEqual([[], [], [cache.url]]);
    await page.close();
  }
  expect(media.filter((path) => !path.startsWith('/cdn/'))).toEqual([]);
  const requested = origin.shared();
  expect(requested.size).toBeGreaterThan(30);
  expect([...requested].filter(([, times]) => times > 1)).toEqual([]);
  // Both pages asked, and the cache had it for one of them.
  expect(media.length).toBeGreaterThan(requested.size * 1.3);
});
