/** The page of a share link on a network that becomes slow: a camera with a substream, through a whole gateway. */

import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';

const MAIN_HEIGHT_PX = 360;
const SUB_HEIGHT_PX = 180;
const MAIN_BITS_PER_SEC = 2_500_000;
const SUB_BITS_PER_SEC = 200_000;

/** On the slow network, for the stream. */
const SLOW_SEC = 12;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;
let network: CDPSession;

beforeAll(async () => {
  const mainClip = await makeClip(640, MAIN_HEIGHT_PX, { bitrateBitsPerSec: MAIN_BITS_PER_SEC });
  const subClip = await makeClip(320, SUB_HEIGHT_PX, { bitrateBitsPerSec: SUB_BITS_PER_SEC });
  main = await startCamera(0, { clip: mainClip });
  sub = await startCamera(0, { clip: subClip });
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: main.url, substream: sub.url }],
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

beforeEach(async () => {
  record = await openPage(browser);
  page = record.page;
  await page.setViewportSize({ width: 1_280, height: 720 });
  network = await browser.context.newCDPSession(page);
  await network.send('Network.enable');
  await watchFrames(page);
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

async function shape(bitsPerSec: number, latencyMs: number, offline = false): Promise<void> {
  const bytesPerSec = bitsPerSec === Number.POSITIVE_INFINITY ? -1 : bitsPerSec / 8;
  await network.send('Network.emulateNetworkConditions', {
    offline,
    latency: latencyMs,
    downloadThroughput: bytesPerSec,
    uploadThroughput: bytesPerSec,
  });
}

/** Opens the page of a camera that is already playing, on its main stream. */
async function watchWarmCamera(): Promise<void> {
  const share = await gateway.share('Dock');
  await until('both variants', async () => {
    const response = await fetch(`${share.m3u8Url}?video=all`);
    return ((await response.text()).match(/#EXT-X-STREAM-INF/g)?.length ?? 0) === 2;
  });
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await waitForHeight(MAIN_HEIGHT_PX);
}

async function waitForHeight(heightPx: number): Promise<void> {
  await page.waitForFunction((px) => document.querySelector('video')?.videoHeight === px, heightPx);
}

describe('a network that becomes slow', () => {
  test('gets the sub stream, and the main stream, live, when the network is back', async () => {
    await watchWarmCamera();
    await shape(1_000_000, 150);
    await waitForHeight(SUB_HEIGHT_PX);
    const startSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
    await page.waitForFunction(
      (sec) => document.querySelector('video')!.currentTime > sec,
      startSec + SLOW_SEC,
    );
    await shape(Number.POSITIVE_INFINITY, 0);
    await waitForHeight(MAIN_HEIGHT_PX);
    await page.waitForSelector('#live[data-state="live"]');
  });
});

describe('a network that is gone', () => {
  test('is said so, over the last picture, and video is live after its return', async () => {
    await watchWarmCamera();
    await shape(Number.POSITIVE_INFINITY, 0, true);
    await page.waitForSelector('#notice[data-kind="reconnecting"]');
    expect(await page.textContent('#notice-title')).toBe('You’re offline');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.isVisible('#still')).toBe(true);
    await shape(Number.POSITIVE_INFINITY, 0);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
  });
});
