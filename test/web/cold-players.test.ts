/**
 * hls.js and Shaka Player in Chromium, with their own settings, at the bare URL of a camera that they open: they begin with
 * its first frame, and show no frame twice or out of place, across the end of its first group of pictures.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectInOrder } from '../support/frame-order.ts';
import { TestGateway } from '../support/gateway.ts';
import { PromptCamera } from '../support/prompt-camera.ts';
import { FRAMES_PER_SEC, makeClip } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { takePictures, watchFrames } from './frame-watch.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const CASES = (['hls.js', 'Shaka Player'] as const).flatMap((player) =>
  [2, 10].map((gopSec) => ({ player, gopSec })),
);
/** Beyond the first group of pictures. */
const WATCHED_SEC = 13;
/** A player may begin a little behind the first frame. */
const LATE_FRAMES = FRAMES_PER_SEC;

let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
const cameras = new Map<string, PromptCamera>();

function nameOf(player: PlayerName, gopSec: number): string {
  return `${player} ${gopSec}`;
}

beforeAll(async () => {
  for (const { player, gopSec } of CASES) {
    cameras.set(nameOf(player, gopSec), await PromptCamera.start(await makeClip(640, 360, { gopSec })));
  }
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [...cameras].map(([name, { url }]) => ({ name, rtsp: url })),
  });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await Promise.all([...cameras.values()].map((camera) => camera.close()));
});

test.each(CASES)(
  '$player plays a cold camera with a key frame every $gopSec s',
  async ({ player, gopSec }) => {
    const { m3u8Url } = await gateway.share(nameOf(player, gopSec));
    const { page } = await openPage(browser);
    await watchFrames(page);
    await pages.play(page, player, m3u8Url);
    const shown = await takePictures(page, (WATCHED_SEC * FRAMES_PER_SEC * 3) / 4);
    const keyEpochMs = await cameras.get(nameOf(player, gopSec))!.keyEpochMs();
    const gaps = shown.slice(1).map(({ atEpochMs }, index) => atEpochMs - shown[index]!.atEpochMs);
    process.stdout.write(
      `${player}, key frame every ${gopSec} s: first frame ${shown[0]!.number} after ${shown[0]!.atEpochMs - keyEpochMs} ms, ` +
        `longest pause ${Math.max(...gaps)} ms\n`,
    );
    expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    expect(shown[0]!.number).toBeLessThan(LATE_FRAMES);
    expectInOrder(shown, { fps: FRAMES_PER_SEC, clipFrames: CLIP_FRAMES });
    await page.close();
  },
);
