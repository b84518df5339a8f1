/** The page of a share link in Chromium, against a whole gateway with a synthetic camera. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import type { PageRecord } from './browser.ts';
import { firstPictureMs, takeCountedFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

/** Frames in the clip: the number in the frame starts over after them. */
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const GOP_MS = 1_000;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const WATCH_MS = 30_000;
/** The published limits. */
const WARM_PICTURE_MS = 700;
const BEHIND_LIVE_MS = 1_500;
const COLD_CAMERAS = ['Cold one', 'Cold two', 'Cold three'];

let camera: SyntheticCamera;
/** When frame 0 was due, give or take the time the camera took to start listening. */
let cameraStartEpochMs: number;
let gateway: TestGateway;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  await (await startCamera()).close(); // makes the clip, which may take a while
  cameraStartEpochMs = Date.now();
  camera = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '2s' },
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      ...COLD_CAMERAS.map((name) => ({ name, rtsp: camera.url })),
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const opened = useGatewayPage(() => gateway);
beforeEach(() => {
  record = opened();
  page = record.page;
});

/** Steps from one frame of the repeated clip to a later one. */
function framesFrom(before: number, after: number): number {
  return (after - before + CLIP_FRAMES) % CLIP_FRAMES;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

describe('watching', () => {
  afterEach(() => expect(record.failedLoads).toEqual([]));

  test('shows every picture of thirty seconds, in order, close behind the camera', async () => {
    const share = await gateway.share('Dock');
    await page.goto(share.pageUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    const { counts: before } = await takeCountedFrames(page);
    await page.waitForFunction(
      (endSec) => document.querySelector('video')!.currentTime >= endSec,
      before.currentSec + WATCH_MS / 1_000,
      { timeout: WATCH_MS * 2 },
    );
    const { shown, counts: after } = await takeCountedFrames(page);
    expect(shown.filter(({ number }) => number === null)).toEqual([]);
    let frames = 0;
    const aheadOfMediaTime = shown.slice(1).map((later, i) => {
      frames += framesFrom(shown[i]!.number!, later.number!);
      return frames - Math.round((later.mediaSec - shown[0]!.mediaSec) * FRAMES_PER_SEC);
    });
    // The compositor can skip a frame; the stream cannot: numbers and media time advance together. A busy page may
    // read the number from the frame right after the one it was notified about.
    expect(Math.max(...aheadOfMediaTime.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(medianOf(aheadOfMediaTime)).toBe(0);
    expect(frames).toBeGreaterThan((WATCH_MS / FRAME_MS) * 0.95);
    // What neither reached the compositor nor came too late for it was not in the stream.
    const presented = shown.at(-1)!.presentedFrames - shown[0]!.presentedFrames;
    const dropped = after.droppedFrames - before.droppedFrames;
    expect(frames - presented - dropped).toBeLessThanOrEqual(0);
    expect(Math.abs(after.decodedFrames - before.decodedFrames - frames)).toBeLessThanOrEqual(FRAMES_PER_SEC);
    expect(after.bufferedRanges).toBe(1);
    const behindMs = shown.map(({ number, atEpochMs }) => {
      const dueMs = cameraStartEpochMs + number! * FRAME_MS;
      return (atEpochMs - dueMs) % (CLIP_FRAMES * FRAME_MS);
    });
    expect(medianOf(behindMs)).toBeLessThan(BEHIND_LIVE_MS);
    process.stdout.write(
      `30 s: ${frames} pictures, ${shown.length} seen one by one, ${presented} presented, ${dropped} dropped, ${Math.round(medianOf(behindMs))} ms behind\n`,
    );
  });

  test('has its first picture soon when the camera is open already', async () => {
    const share = await gateway.share('Dock');
    const measured: number[] = [];
    for (let round = 0; round < 5; round++) {
      await page.goto(share.pageUrl);
      measured.push(await firstPictureMs(page));
    }
    process.stdout.write(`first picture, warm: ${measured.map(Math.round).join(', ')} ms\n`);
    expect(medianOf(measured)).toBeLessThan(WARM_PICTURE_MS);
  });

  test('has its first picture one group of pictures later when the camera has to be opened', async () => {
    const measured: number[] = [];
    for (const name of COLD_CAMERAS) {
      await page.goto((await gateway.share(name)).pageUrl);
      measured.push(await firstPictureMs(page));
    }
    process.stdout.write(`first picture, cold: ${measured.map(Math.round).join(', ')} ms\n`);
    expect(medianOf(measured)).toBeLessThan(GOP_MS + WARM_PICTURE_MS);
  });

  test('shows itself on a phone and on a desk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
    await page.goto((await gateway.share('Dock')).pageUrl);
    await waitForMotion(page);
    for (const [width, height] of [
      [390, 844],
      [1_280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      const picture = await page.screenshot({ path: join(folder, `${width}.png`) });
      expect(picture.length).toBeGreaterThan(5_000);
      const stage = (await page.locator('#stage').boundingBox())!;
      expect([stage.x, Math.round(stage.width)]).toEqual([0, width]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await rm(folder, { recursive: true });
  });
});
