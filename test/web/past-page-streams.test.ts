/** The page of a share whose camera was recorded in two streams, in Chromium: it plays the one that fits, and changes between them. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { moveRecordings, recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { frameOnScreen } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

const MAIN = { widthPx: 640, heightPx: 360 };
const SUB = { widthPx: 320, heightPx: 180 };
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const DAY_MS = 86_400_000;
/** A playlist of a range of the past. */
const RANGE_LIST = /\/\d+\/\d+\/.*\.m3u8$/;
/** The recordings are yesterday's: their lists do not grow. */
const MOVED_MS = DAY_MS;
/** The page says whole seconds, and the picture moves on. */
const IN_STEP_FRAMES = 1.5 * FRAMES_PER_SEC;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let page: Page;

beforeAll(async () => {
  const clip = await makeClip(MAIN.widthPx, MAIN.heightPx, { gopSec: 2, durationSec: 64 });
  const subClip = await makeClip(SUB.widthPx, SUB.heightPx, { durationSec: 64 });
  main = await startCamera(0, { clip });
  sub = await startCamera(0, { clip: subClip });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: main.url, substream: sub.url, recording: 'always' }],
  });
  share = await gateway.share('Dock', { vodEnabled: true, name: 'Loading dock' });
  await recordMore(gateway, 1);
  await recordMore(gateway, 20);
  await gateway.end();
  moveRecordings(gateway, -MOVED_MS);
  const database = new DatabaseSync(join(gateway.folder, 'data', 'sluice.db'));
  database.prepare('update shares set created_at_ms = created_at_ms - ?').run(7 * DAY_MS);
  database.close();
  await gateway.run();
});

afterAll(async () => {
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

const opened = useGatewayPage(() => gateway);
beforeEach(() => {
  ({ page } = opened());
});

const widthOf = () => page.evaluate(() => document.querySelector('video')!.videoWidth);

/** The width of the picture, and the time that the page says. */
async function shownNow(): Promise<{ readonly widthPx: number; readonly atSec: number }> {
  const widthPx = await widthOf();
  return { widthPx, atSec: Number(await page.getAttribute('#timeline', 'aria-valuenow')) };
}

/** By how many frames the picture is later than the time that the page says. */
async function lateOf(): Promise<number | null> {
  const before = await shownNow();
  const number = (await frameOnScreen(page))?.number ?? null;
  const { widthPx, atSec } = await shownNow();
  // A busy machine: the picture may be of another time, or of the other stream.
  if (number === null || before.widthPx !== widthPx || before.atSec !== atSec) return null;
  // The streams count their frames from different times.
  const { startEpochMs } = widthPx === SUB.widthPx ? sub : main;
  const cameraMs = startEpochMs - MOVED_MS;
  const apart = Math.round(((atSec * 1_000 - cameraMs) * FRAMES_PER_SEC) / 1_000) - number;
  const turned = ((apart % CLIP_FRAMES) + CLIP_FRAMES) % CLIP_FRAMES;
  return turned > CLIP_FRAMES / 2 ? turned - CLIP_FRAMES : turned;
}

test('plays the stream that fits the page, and changes to the other one when the page grows', async () => {
  const lists: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (RANGE_LIST.test(pathname)) lists.push(pathname);
  });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await page.click('#day');
  await page.locator('#days .day').nth(1).click();
  await page.waitForSelector('#speed:not([hidden])');
  await waitForMotion(page);
  await until('the substream', async () => (await widthOf()) === SUB.widthPx);
  expect(Math.abs((await until('a picture', lateOf)) ?? 0)).toBeLessThanOrEqual(IN_STEP_FRAMES);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await until('the main stream', async () => (await widthOf()) === MAIN.widthPx);
  expect(Math.abs((await until('a picture', lateOf)) ?? 0)).toBeLessThanOrEqual(IN_STEP_FRAMES);
  expect(lists.some((path) => path.endsWith('/index.m3u8'))).toBe(true);
  expect(lists.some((path) => path.includes('/h264/'))).toBe(false);
});
