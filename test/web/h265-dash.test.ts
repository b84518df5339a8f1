/**
 * dash.js in Chromium, which does not decode H.265, with cameras that send it: file.mpd?video=h264 plays what the
 * gateway makes while it is watched, or the substream.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { workersOf } from '../support/processes.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { type ShownFrame, takeShownFrames, watchFrames } from './frame-watch.ts';
import { PlayerPages } from './player-page.ts';

const MAIN_WIDTH_PX = 640;
const SUB_WIDTH_PX = 320;
const CLIP_MS = 64_000;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
/** As for other streams (dash-players.test.ts), and what the transcoder takes on a busy machine. */
const MAX_BEHIND_MS = 16_000;
const WAIT_MS = 100_000;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
let page: Page;

beforeAll(async () => {
  main = await startCamera(0, { clip: await makeClip(MAIN_WIDTH_PX, 360, { codec: 'h265' }) });
  sub = await startCamera(0);
  gateway = await TestGateway.start({
    hls: { idleStop: '5s' },
    cameras: [
      { name: 'Alone', rtsp: main.url },
      { name: 'Both', rtsp: main.url, substream: sub.url },
    ],
  });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

beforeEach(async () => {
  ({ page } = await openPage(browser));
  await watchFrames(page);
});

afterEach(() => page.close());

const workers = (): number => workersOf(gateway.child.process.pid!).length;

/** The bare link of a share, as an integrator gets it. */
async function linkOf(camera: string): Promise<string> {
  const { m3u8Url } = await gateway.share(camera);
  return m3u8Url.replace('file.m3u8', 'file.mpd?video=h264');
}

/** The first of the frames that are shown from here on for which `is` holds; it has a number. */
function shownFrame(is: (frame: ShownFrame) => boolean): Promise<ShownFrame> {
  return until(
    'such a frame',
    async () => (await takeShownFrames(page)).find((frame) => frame.number !== null && is(frame)),
    WAIT_MS,
  );
}

function behindMs({ number, atEpochMs }: ShownFrame): number {
  const takenMs = main.startEpochMs + number! * FRAME_MS;
  return (((atEpochMs - takenMs) % CLIP_MS) + CLIP_MS) % CLIP_MS;
}

function decodedAudioBytes(): Promise<number> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement & {
      webkitAudioDecodedByteCount: number;
    };
    return video.webkitAudioDecodedByteCount;
  });
}

test('dash.js plays a camera in H.265 as H.264, with audio; the transcoder stops with its last viewer', async () => {
  const url = await linkOf('Alone');
  expect(workers()).toBe(0);
  await pages.play(page, 'dash.js', url);
  const first = await shownFrame((frame) => behindMs(frame) < MAX_BEHIND_MS);
  expect([first.widthPx, workers()]).toEqual([MAIN_WIDTH_PX, 1]);
  await shownFrame(({ mediaSec }) => mediaSec > first.mediaSec + 6);
  expect(await decodedAudioBytes()).toBeGreaterThan(0);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  await page.close();
  await until('no worker', () => workers() === 0);
});

test('dash.js plays the substream if that is H.264, without a transcoder', async () => {
  await pages.play(page, 'dash.js', await linkOf('Both'));
  const first = await shownFrame(() => true);
  await shownFrame(({ mediaSec }) => mediaSec > first.mediaSec + 3);
  expect(first.widthPx).toBe(SUB_WIDTH_PX);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(workers()).toBe(0);
});
