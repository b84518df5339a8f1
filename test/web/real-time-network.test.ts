/** The page in real time on a network that becomes slow: a camera with a substream, through a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { SlowNetwork } from '../support/slow-network.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { takeShownFrames, watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';

const MAIN_HEIGHT_PX = 360;
const SUB_HEIGHT_PX = 180;
const MAIN_BITS_PER_SEC = 2_500_000;
const SUB_BITS_PER_SEC = 200_000;
const SLOW_BITS_PER_SEC = 1_000_000;
const CLIP_MS = 64_000;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
/** The published limits (docs/design/real-time.md). */
const SWITCH_DOWN_MS = 6_000;
const SWITCH_UP_MS = 20_000;
const BEHIND_MS = 500;
const TOO_SLOW_BITS_PER_SEC = 120_000;
const TOO_SLOW_MS = 40_000;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let subStartEpochMs: number;
let gateway: TestGateway;
let network: SlowNetwork;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  const mainClip = await makeClip(640, MAIN_HEIGHT_PX, { bitrateBitsPerSec: MAIN_BITS_PER_SEC });
  const subClip = await makeClip(320, SUB_HEIGHT_PX, { bitrateBitsPerSec: SUB_BITS_PER_SEC });
  main = await startCamera(0, { clip: mainClip });
  subStartEpochMs = Date.now();
  sub = await startCamera(0, { clip: subClip });
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: main.url, substream: sub.url }],
  });
  network = await SlowNetwork.to(gateway.mediaUrl);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await network?.close();
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

beforeEach(async () => {
  record = await openPage(browser);
  page = record.page;
  await watchFrames(page);
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

async function heightBecomes(heightPx: number, timeoutMs: number): Promise<number> {
  const sinceMs = performance.now();
  await page.waitForFunction((px) => document.querySelector('video')?.videoHeight === px, heightPx, {
    timeout: timeoutMs,
  });
  return performance.now() - sinceMs;
}

test('takes the substream, close behind the camera, and the main stream again when the network is back', async () => {
  await page.goto(`${network.through((await gateway.share('Dock')).pageUrl)}?realtime`);
  await waitForMotion(page);
  await heightBecomes(MAIN_HEIGHT_PX, SWITCH_UP_MS);
  network.limit(SLOW_BITS_PER_SEC);
  const downMs = await heightBecomes(SUB_HEIGHT_PX, 3 * SWITCH_DOWN_MS);
  await takeShownFrames(page);
  const behindMs = await until('a frame close behind the camera', async () => {
    const newest = (await takeShownFrames(page)).findLast(({ number }) => number !== null);
    if (newest === undefined) return null;
    const lateMs = (newest.atEpochMs - subStartEpochMs - newest.number! * FRAME_MS) % CLIP_MS;
    return lateMs < BEHIND_MS ? lateMs : null;
  });
  network.limit(Number.POSITIVE_INFINITY);
  const upMs = await heightBecomes(MAIN_HEIGHT_PX, 2 * SWITCH_UP_MS);
  process.stdout.write(
    `real time: substream after ${Math.round(downMs)} ms, ${Math.round(behindMs)} ms behind; main stream after ${Math.round(upMs)} ms\n`,
  );
  expect(downMs).toBeLessThan(SWITCH_DOWN_MS);
  expect(upMs).toBeLessThan(SWITCH_UP_MS);
});

test('gives way to HLS on a network that is too slow for the substream, and says so', async () => {
  await page.goto(`${network.through((await gateway.share('Dock')).pageUrl)}?realtime`);
  await waitForMotion(page);
  network.limit(TOO_SLOW_BITS_PER_SEC);
  await page.waitForSelector('#mode-note:text("This network is too slow for real time.")', {
    timeout: 2 * TOO_SLOW_MS,
  });
  expect(await page.evaluate(() => document.documentElement.dataset.player)).toBe('hls');
  network.limit(Number.POSITIVE_INFINITY);
  await waitForMotion(page);
});
