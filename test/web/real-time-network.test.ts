/** The page in real time on a network that becomes slow: a camera with a substream, through a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { SlowNetwork } from '../support/slow-network.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { takeShownFrames, watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';

const MAIN_HEIGHT_PX = 360;
const SUB_HEIGHT_PX = 180;
const MAIN_BITS_PER_SEC = 2_500_000;
const SUB_BITS_PER_SEC = 200_000;
const SLOW_BITS_PER_SEC = 1_000_000;
const TOO_SLOW_BITS_PER_SEC = 120_000;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let network: SlowNetwork;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  const mainClip = await makeClip(640, MAIN_HEIGHT_PX, { bitrateBitsPerSec: MAIN_BITS_PER_SEC });
  const subClip = await makeClip(320, SUB_HEIGHT_PX, { bitrateBitsPerSec: SUB_BITS_PER_SEC });
  main = await startCamera(0, { clip: mainClip });
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

const player = () => page.evaluate(() => document.documentElement.dataset.player);

async function heightBecomes(heightPx: number): Promise<void> {
  await page.waitForFunction((px) => document.querySelector('video')?.videoHeight === px, heightPx);
}

test('takes the substream, and the main stream again when the network is back', async () => {
  await page.goto(`${network.through((await gateway.share('Dock')).pageUrl)}?realtime`);
  await waitForMotion(page);
  await heightBecomes(MAIN_HEIGHT_PX);
  network.limit(SLOW_BITS_PER_SEC);
  await heightBecomes(SUB_HEIGHT_PX);
  await takeShownFrames(page);
  await until('frames of it', async () =>
    (await takeShownFrames(page)).some(({ number }) => number !== null),
  );
  expect(await player()).toBe('realtime');
  network.limit(Number.POSITIVE_INFINITY);
  await heightBecomes(MAIN_HEIGHT_PX);
  expect(await player()).toBe('realtime');
});

test('gives way to HLS on a network that is too slow for the substream, and says so', async () => {
  await page.goto(`${network.through((await gateway.share('Dock')).pageUrl)}?realtime`);
  await waitForMotion(page);
  network.limit(TOO_SLOW_BITS_PER_SEC);
  await page.waitForSelector('#mode-note:text("This network is too slow for real time.")');
  expect(await player()).toBe('hls');
  network.limit(Number.POSITIVE_INFINITY);
  await waitForMotion(page);
});
