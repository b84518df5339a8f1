/** Pages when the browser cannot decode what it has: hls.js sets the video up again, and it plays on. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { failDecoder, keepMediaSource, waitForMotion } from './page-probes.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Dock', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

/** The page of a link or a wall, whose media sources the test reaches. */
async function openWithMediaSource(url: string): Promise<PageRecord> {
  const record = await openPage(browser);
  await keepMediaSource(record.page);
  // Walls decode frames on their own where browsers can.
  await record.page.addInitScript(() => Reflect.deleteProperty(window, 'VideoDecoder'));
  await record.page.goto(url);
  return record;
}

test('a failed decoder is replaced, and the video of a link plays on', async () => {
  const { page, problems } = await openWithMediaSource((await gateway.share('Dock')).pageUrl);
  await waitForMotion(page);
  await failDecoder(page);
  await waitForMotion(page);
  await page.waitForSelector('#live[data-state="live"]');
  expect(problems).toEqual([]);
  await page.close();
});

test('a failed decoder is replaced, and the tile of a wall plays on', async () => {
  const deviceList = [await gateway.cameraUuid('Dock')];
  const videoWall = { displayName: 'Control room', deviceList };
  const { uuid } = await gateway.call('camera/createVideoWall', { videoWall });
  const share = await gateway.call('camera/createSharedVideoWall', { videoWallUuid: uuid });
  const { page, problems } = await openWithMediaSource(share.sharedLiveVideoStreamUrl);
  await waitForTime(page);
  await failDecoder(page);
  await waitForTime(page);
  await page.waitForSelector('.tile[data-state="live"]');
  expect(problems).toEqual([]);
  await page.close();
});

/** Resolves when the video of the tile has played for a moment. */
async function waitForTime(page: Page): Promise<void> {
  const timeSec = () =>
    document.querySelector<HTMLVideoElement>('video[data-layer="front"]')?.currentTime ?? 0;
  await page.waitForFunction(timeSec);
  const from = await page.evaluate(timeSec);
  await page.waitForFunction(
    (sec) => document.querySelector<HTMLVideoElement>('video[data-layer="front"]')!.currentTime > sec + 0.5,
    from,
  );
}
