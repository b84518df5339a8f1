/** The page on a network that carries the stream, but is too far away for its parts: each of them costs a round trip. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { SlowNetwork } from '../support/slow-network.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

const VIDEO_BITS_PER_SEC = 600_000;
/** The stream with its sound takes four fifths of it. */
const LINK_BITS_PER_SEC = 800_000;
/** What hangs does not come close again within this. */
const HANG_MS = 400_000;
const ADAPT_SEC = 10;
const WATCH_SEC = 20;
/** On a busy machine, what comes late may be the machine's. In parts, there are more than ten. */
const MAX_STALLS = 3;
/** Segments of 2 s, and what is loaded ahead. Parts would be sixty. */
const MAX_MEDIA_REQUESTS = 16;
/** A first picture needs one or two. */
const MAX_PARTS_BEFORE_PICTURE = 8;

let camera: SyntheticCamera;
let gateway: TestGateway;
let network: SlowNetwork;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;
let mediaRequests: string[];

beforeAll(async () => {
  camera = await startCamera(0, {
    clip: await makeClip(320, 180, { bitrateBitsPerSec: VIDEO_BITS_PER_SEC }),
  });
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: ['Dock', 'Ramp'].map((name) => ({ name, rtsp: camera.url })),
  });
  network = await SlowNetwork.to(gateway.mediaUrl);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await network?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(async () => {
  record = await openPage(browser);
  page = record.page;
  mediaRequests = [];
  page.on('request', (request) => {
    if (request.url().endsWith('.m4v')) mediaRequests.push(request.url());
  });
  await page.addInitScript(() => {
    window.stalls = 0;
    document.addEventListener('DOMContentLoaded', () => {
      const video = document.querySelector('video')!;
      video.addEventListener('waiting', () => {
        if (!video.seeking) window.stalls++;
      });
    });
  });
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

declare global {
  interface Window {
    stalls: number;
  }
}

/** How the page loads (web/load-plan.ts). On a busy machine, parts may be late for reasons of its own: they are tried again. */
async function waitForLoading(mode: string): Promise<void> {
  const isMode = (wanted: string) => document.documentElement.dataset.loading === wanted;
  await page.waitForFunction(isMode, mode, { timeout: HANG_MS });
}

async function playFor(seconds: number): Promise<void> {
  const startSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, startSec + seconds);
}

test(
  'takes whole segments, does not stall, and comes back close to live when the network is near again',
  async () => {
    await page.goto(network.through((await gateway.share('Dock')).pageUrl));
    await waitForMotion(page);
    await waitForLoading('close');
    network.limit(LINK_BITS_PER_SEC, 300);
    await waitForLoading('steady');
    await playFor(ADAPT_SEC);
    await page.evaluate(() => {
      window.stalls = 0;
    });
    mediaRequests = [];
    await watchPlayback(page);
    await playFor(WATCH_SEC);
    expect(await page.evaluate(() => window.stalls)).toBeLessThanOrEqual(MAX_STALLS);
    expect(mediaRequests.length).toBeLessThanOrEqual(MAX_MEDIA_REQUESTS);
    expect(await page.getAttribute('#notice', 'data-kind')).toBe('none');

    network.limit(Number.POSITIVE_INFINITY, 20);
    await waitForLoading('close');
    // The end of the buffer is a part away from live. Without a jump, the distance shrinks while the video plays.
    await page.waitForFunction(() => {
      const video = document.querySelector('video')!;
      return (
        video.buffered.end(video.buffered.length - 1) - video.currentTime < 1.5 && video.playbackRate === 1
      );
    });
    expect((await takePlayback(page)).breaks).toEqual([]);
    await page.waitForSelector('#live[data-state="live"]');
  },
  2 * HANG_MS,
);

test('shows the first picture of a camera that it wakes as soon as it has it', async () => {
  network.limit(Number.POSITIVE_INFINITY, 300);
  await page.goto(network.through((await gateway.share('Ramp')).pageUrl));
  await page.waitForFunction(
    () => document.querySelector('video')!.getVideoPlaybackQuality().totalVideoFrames > 0,
  );
  expect(mediaRequests.length).toBeLessThanOrEqual(MAX_PARTS_BEFORE_PICTURE);
});
