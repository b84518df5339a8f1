/** What a viewer in Chromium sees of a UDP camera on a network that loses packets. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PacketLossOptions } from '../../src/synthetic-camera/packet-loss.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { type ShownFrame, takeShownFrames, watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';
import { type PlaybackShare, takePlayback, watchPlayback } from './playback-watch.ts';

const WATCH_SEC = 40;
/** To a viewer, a frame that stays longer than this stands still. */
const HELD_SEC = 0.2;
/** A player that only holds the last frame after a loss moves 22% and 55% of the time. */
const LEAST_MOVING_SHARE = 0.7;
const LOSS_SHARE = 0.01;
const NETWORKS: Record<string, PacketLossOptions> = {
  random: { share: LOSS_SHARE, seed: 1 },
  bursts: { share: LOSS_SHARE, meanBurstPackets: 5, seed: 2 },
};

const cameras: SyntheticCamera[] = [];
let gateway: TestGateway;
/** One for each network: a tab behind another shows nothing for a moment. */
let browsers: Map<string, TestBrowser>;

beforeAll(async () => {
  const clip = await makeHeavyClip();
  for (const loss of Object.values(NETWORKS)) {
    cameras.push(await startCamera(0, { clip, faults: { loss }, transports: ['udp'] }));
  }
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: Object.keys(NETWORKS).map((name, index) => ({
      name,
      rtsp: cameras[index]!.url,
      transport: 'udp',
    })),
  });
  const started = Object.keys(NETWORKS).map(async (name) => [name, await startBrowser()] as const);
  browsers = new Map(await Promise.all(started));
});

afterAll(async () => {
  await Promise.all(Array.from(browsers?.values() ?? [], (browser) => browser.close()));
  await gateway?.dispose();
  for (const camera of cameras) await camera.close();
});

/**
 * Out of the media time between the first and the last frame: the frame before was at most `HELD_SEC` earlier. A busy page
 * is not notified of each frame that is presented; those in between moved.
 */
function movingShare(shown: readonly ShownFrame[]): number {
  let heldSec = 0;
  let last = shown[0]!;
  for (const frame of shown) {
    if (frame.number === null || frame.number === last.number) continue;
    const presented = Math.max(1, frame.presentedFrames - last.presentedFrames);
    heldSec += Math.max(0, frame.mediaSec - last.mediaSec - presented * HELD_SEC);
    last = frame;
  }
  return 1 - heldSec / (shown.at(-1)!.mediaSec - shown[0]!.mediaSec);
}

describe('one packet in a hundred lost', () => {
  test.concurrent.each([
    ['at random', 'random'],
    ['in bursts of five', 'bursts'],
  ])('%s: the picture plays on, and moves', async (_title, network) => {
    const { page, problems } = await openPage(browsers.get(network)!);
    await watchFrames(page);
    await page.goto((await gateway.share(network)).pageUrl);
    await waitForMotion(page);
    expect(await watch(network, page)).toBeGreaterThanOrEqual(LEAST_MOVING_SHARE);
    await page.close();
    expect(problems).toEqual([]);
  });
});

/** How much of the time it moves. */
async function watch(network: string, page: Page): Promise<number> {
  await takeShownFrames(page);
  await watchPlayback(page);
  const startSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction(
    (sec) => document.querySelector('video')!.currentTime >= sec,
    startSec + WATCH_SEC,
    { timeout: 3 * WATCH_SEC * 1_000 },
  );
  const playback = await takePlayback(page);
  const shown = await takeShownFrames(page);
  const moving = movingShare(shown);
  report(network, playback, moving, shown);
  return moving;
}

function report(
  network: string,
  playback: PlaybackShare,
  moving: number,
  shown: readonly ShownFrame[],
): void {
  const numbers = new Set(shown.map(({ number }) => number).filter((number) => number !== null));
  const sent = (playback.watchedMs / 1_000) * FRAMES_PER_SEC;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  process.stdout.write(
    `1 % lost, ${network}: plays ${percent(playback.playingShare)}, moves ${percent(moving)}, longest stall ` +
      `${Math.round(playback.longestStallMs)} ms, ${percent(numbers.size / sent)} of the numbers readable\n`,
  );
}
