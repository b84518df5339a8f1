/**
 * A camera with a key frame every 10 s: its link plays, cold and in the middle of a group of pictures, and the page changes
 * to it from a substream.
 */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { firstPictureMs, takeCountedFrames, watchFrames } from './frame-watch.ts';
import { MAIN_WIDTH_PX, mainAfterMs } from './main-stream.ts';

const LONG_GOP_SEC = 10;
/** Clips start over after it. */
const CLIP_SEC = 64;
const WARM_ROUNDS = 3;
/** Parts of 8 pictures. */
const PART_SEC = 0.32;
/** What comes while the page is being opened, before its clock begins. */
const SPARE_PARTS = 3;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let smartCodec: SyntheticCamera;
/** When a key frame of it was due, give or take the time the camera took to listen. */
let smartCodecStartEpochMs: number;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  const bitrate = { bitrateBitsPerSec: 4_500_000 };
  main = await startCamera(0, { clip: await makeClip(MAIN_WIDTH_PX, 720, bitrate) });
  sub = await startCamera(0, { clip: await makeClip(640, 360, { gopSec: 2 }) });
  const longClip = await makeClip(MAIN_WIDTH_PX, 720, { gopSec: LONG_GOP_SEC, ...bitrate });
  smartCodecStartEpochMs = Date.now();
  smartCodec = await startCamera(0, { clip: longClip });
  gateway = await TestGateway.start({
    // Longer than the wait for the middle of a group of pictures. Unlike other cameras, a synthetic one sends nothing
    // before its first key frame: that must not count as silence.
    hls: { idleStop: '15s' },
    sources: { silenceTimeout: '30s' },
    cameras: [
      { name: 'Smart codec', rtsp: smartCodec.url },
      { name: 'Every second', rtsp: main.url },
      { name: 'Late main', rtsp: smartCodec.url, substream: sub.url },
    ],
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
  await smartCodec?.close();
});

/** The newest key frame of the smart codec is half a group of pictures old. The last group of the clip is shorter. */
function isMiddleOfGroup(): boolean {
  const groups = (((Date.now() - smartCodecStartEpochMs) / 1_000) % CLIP_SEC) / LONG_GOP_SEC;
  return Math.abs((groups % 1) - 0.5) < 0.05;
}

interface WarmView {
  readonly firstPictureMs: number;
  /** Parts loaded before it. */
  readonly parts: number;
}

async function openWarm(page: Page, pageUrl: string): Promise<WarmView> {
  await page.goto(pageUrl);
  const pictureMs = await firstPictureMs(page);
  const startsMs = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\/seg_\d+\.\d+\.m4v$/.test(name))
      .map(({ startTime }) => startTime),
  );
  const parts = startsMs.filter((ms) => ms < pictureMs).length;
  return { firstPictureMs: pictureMs, parts };
}

test('a camera with a key frame every 10 s plays, cold and in the middle of a group of pictures', {
  timeout: 240_000,
}, async () => {
  const { pageUrl } = await gateway.share('Smart codec');
  const { page, problems, failedLoads } = await openPage(browser);
  await watchFrames(page);
  await page.goto(pageUrl, { waitUntil: 'commit' });
  const cold = await firstPictureMs(page);
  const startSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  const everySecond = await gateway.share('Every second');
  const warm = await openPage(browser);
  await watchFrames(warm.page);
  await warm.page.goto(everySecond.pageUrl);
  await firstPictureMs(warm.page);
  const usual: WarmView[] = [];
  const middle: WarmView[] = [];
  for (let round = 0; round < WARM_ROUNDS; round++) {
    usual.push(await openWarm(warm.page, everySecond.pageUrl));
    await until('the middle of a group of pictures', isMiddleOfGroup);
    middle.push(await openWarm(warm.page, pageUrl));
  }
  // Across two key frames: from the first segment, which was played in parts, into complete ones.
  await page.waitForFunction(
    (sec) => document.querySelector('video')!.currentTime >= sec,
    startSec + 2 * LONG_GOP_SEC,
    // The rounds above take from 5 s to a few groups of pictures, whenever the middle of one comes.
    { timeout: 10 * LONG_GOP_SEC * 1_000 },
  );
  const list = (views: readonly WarmView[]) =>
    views.map((view) => `${Math.round(view.firstPictureMs)} (${view.parts} parts)`).join(', ');
  process.stdout.write(
    `key frame every 10 s, first picture cold ${Math.round(cold)}, in the middle of a group ${list(middle)}, ` +
      `with a key frame every second ${list(usual)} ms\n`,
  );
  for (const { firstPictureMs, parts } of middle) {
    const groupSec = 0.55 * LONG_GOP_SEC + firstPictureMs / 1_000;
    expect(parts).toBeLessThanOrEqual(groupSec / PART_SEC + SPARE_PARTS);
  }
  await Promise.all([page.close(), warm.page.close()]);
  expect([problems, failedLoads]).toEqual([[], []]);
  expect([warm.problems, warm.failedLoads]).toEqual([[], []]);
});

test('the page changes to the parts of a main stream that began seconds after the sub stream', async () => {
  const { pageUrl } = await gateway.share('Late main');
  const { page } = await openPage(browser);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await watchFrames(page);
  await page.goto(pageUrl, { waitUntil: 'commit' });
  const firstMs = await firstPictureMs(page);
  const mainMs = await mainAfterMs(page);
  const { currentSec } = (await takeCountedFrames(page)).counts;
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime >= sec, currentSec + 2);
  process.stdout.write(`late main: first ${Math.round(firstMs)}, main ${Math.round(mainMs ?? -1)} ms\n`);
  expect(mainMs).not.toBeNull();
  // A player that freezes while it changes streams waits for the next complete segment: 10 s here.
  const media = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => /[^/]+\/seg_\d[\d.]*\.m4v$/.exec(name) ?? []),
  );
  const ofMain = media.filter((name) => !name.startsWith('sub/'));
  expect(ofMain.find((name) => !/seg_\d+\.\d+\.m4v$/.test(name)) ?? null).not.toBe(ofMain[0]);
  await page.close();
});
