/** The page of a share link in Chromium, against a whole gateway with a synthetic camera. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import type { PageRecord } from './browser.ts';
import { firstPictureMs, takeCountedFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

/** Frames in the clip: the number in the frame starts over after them. */
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const WATCH_SEC = 30;
const COLD_CAMERAS = ['Cold one', 'Cold two', 'Cold three'];

let camera: SyntheticCamera;
let gateway: TestGateway;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
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

  test('shows every picture of thirty seconds, in order', async () => {
    const share = await gateway.share('Dock');
    await page.goto(share.pageUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    const { counts: before } = await takeCountedFrames(page);
    await page.waitForFunction(
      (endSec) => document.querySelector('video')!.currentTime >= endSec,
      before.currentSec + WATCH_SEC,
      { timeout: 3 * WATCH_SEC * 1_000 },
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
    expect(shown.length).toBeGreaterThan(1);
    // What neither reached the compositor nor came too late for it was not in the stream.
    const presented = shown.at(-1)!.presentedFrames - shown[0]!.presentedFrames;
    const dropped = after.droppedFrames - before.droppedFrames;
    expect(frames - presented - dropped).toBeLessThanOrEqual(0);
    expect(Math.abs(after.decodedFrames - before.decodedFrames - frames)).toBeLessThanOrEqual(FRAMES_PER_SEC);
    expect(after.bufferedRanges).toBe(1);
    process.stdout.write(
      `30 s: ${frames} pictures, ${shown.length} seen one by one, ${presented} presented, ${dropped} dropped\n`,
    );
  });

  test('has a picture each time it is opened, whether the camera is open already or not', async () => {
    const dock = await gateway.share('Dock');
    const cold = await Promise.all(COLD_CAMERAS.map((name) => gateway.share(name)));
    for (const { pageUrl } of [dock, dock, dock, ...cold]) {
      await page.goto(pageUrl);
      await firstPictureMs(page);
    }
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
