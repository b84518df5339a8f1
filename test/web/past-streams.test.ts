/**
 * hls.js, dash.js and Shaka Player in Chromium, unmodified and with their own settings, play the past of a camera of which both streams are
 * recorded, and change between them: every frame that they show has the number that its wall time says.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { rangeOf, recordMore, sessionQuery, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { takeShownFrames, watchFrames } from './frame-watch.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const PLAYERS: readonly PlayerName[] = ['hls.js', 'dash.js', 'Shaka Player'];
const MAIN = { widthPx: 640, heightPx: 360 };
const SUB = { widthPx: 320, heightPx: 180 };
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const WAIT_MS = 100_000;
/** Each change is watched for so long. */
const WATCHED_SEC = 3;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
let page: Page;
let range: TestRange;

declare global {
  interface Window {
    /** How often the video had nothing to show since it began. */
    stalls: number;
  }
}

beforeAll(async () => {
  main = await startCamera(0, {
    clip: await makeClip(MAIN.widthPx, MAIN.heightPx, { gopSec: 2, durationSec: 64 }),
  });
  sub = await startCamera(0, { clip: await makeClip(SUB.widthPx, SUB.heightPx, { durationSec: 64 }) });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms' },
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: main.url, substream: sub.url, recording: 'always' }],
  });
  await recordMore(gateway, 1);
  const fromMs = Date.now();
  await recordMore(gateway, 14);
  range = rangeOf(fromMs, Date.now() - 3_000);
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
  await page.addInitScript(() => {
    window.stalls = 0;
    document.addEventListener('DOMContentLoaded', () => {
      const video = document.querySelector('video')!;
      video.addEventListener('waiting', () => {
        if (video.currentTime > 0.5) window.stalls++;
      });
    });
  });
});

afterEach(() => page.close());

async function pastUrl(player: PlayerName): Promise<string> {
  const cameraUuid = await gateway.cameraUuid('Dock');
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
  const template: string = player === 'hls.js' ? uris.wanVodM3u8UriTemplate : uris.wanVodMpdUriTemplate;
  return (
    template.replace('{START_TIME}', `${range.startSec}`).replace('{DURATION}', `${range.durationSec}`) +
    (await sessionQuery(gateway)) +
    (player === 'hls.js' ? '&video=all' : '')
  );
}

async function playsOn(seconds: number): Promise<void> {
  const fromSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction(
    (untilSec) => {
      const video = document.querySelector('video')!;
      return video.ended || video.currentTime >= untilSec;
    },
    fromSec + seconds,
    { timeout: WAIT_MS },
  );
}

async function hasWidth(widthPx: number): Promise<void> {
  await page.waitForFunction((px) => document.querySelector('video')!.videoWidth === px, widthPx, {
    timeout: WAIT_MS,
  });
}

/** How many frames of each stream were shown, each as its wall time says. */
async function judgeFrames(): Promise<{ readonly main: number; readonly sub: number }> {
  const shown = (await takeShownFrames(page)).filter(({ number }) => number !== null);
  const wallMs = await page.evaluate(
    (frames) => frames.map(({ mediaSec, widthPx }) => window.playedWallMsAt(mediaSec, widthPx)),
    shown.map(({ mediaSec, widthPx }) => ({ mediaSec, widthPx })),
  );
  // A frame may be shown a moment before its player says what it plays.
  const all = shown
    .map(({ number, widthPx }, i) => ({ number, widthPx, wallMs: wallMs[i] ?? Number.NaN }))
    .filter((frame) => !Number.isNaN(frame.wallMs));
  const counts = [main, sub].map(({ startEpochMs }, i) => {
    const { widthPx } = [MAIN, SUB][i]!;
    const frames = all.filter((frame) => frame.widthPx === widthPx);
    if (frames.length > 0)
      expectNumbersInTime(frames, { startEpochMs, clipFrames: CLIP_FRAMES, fps: FRAMES_PER_SEC });
    return frames.length;
  });
  return { main: counts[0]!, sub: counts[1]! };
}

describe.each(PLAYERS)('%s', (player) => {
  test('changes between the streams of a recorded range, with every frame at its time', async () => {
    await pages.play(page, player, await pastUrl(player));
    await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.2, null, {
      timeout: WAIT_MS,
    });
    if (player !== 'hls.js') {
      await page.evaluate((ms) => {
        window.playedWallMsAt = (mediaSec) => ms + mediaSec * 1_000;
      }, range.startSec * 1_000);
    }
    const widths = await page.evaluate(() => window.streamWidths().toSorted((a, b) => a - b));
    expect(widths).toEqual([SUB.widthPx, MAIN.widthPx]);
    const seen = { main: 0, sub: 0 };
    for (const { widthPx } of [SUB, MAIN, SUB]) {
      await page.evaluate((px) => window.chooseWidth(px), widthPx);
      await hasWidth(widthPx);
      await playsOn(WATCHED_SEC);
      const judged = await judgeFrames();
      seen.main += judged.main;
      seen.sub += judged.sub;
    }
    process.stdout.write(`${player}: ${seen.main} frames of the main stream, ${seen.sub} of the substream\n`);
    expect(Math.min(seen.main, seen.sub)).toBeGreaterThan(FRAMES_PER_SEC);
    expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    // The others empty their buffers for a choice.
    if (player === 'hls.js') expect(await page.evaluate(() => window.stalls)).toBe(0);
  });
});
