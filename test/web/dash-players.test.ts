/**
 * dash.js and Shaka Player in Chromium, unmodified and with their own settings, against a whole gateway. They watch the
 * same restart at the same time, each in a browser of its own: a tab in the background shows no frames.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { takeShownFrames, watchFrames } from './frame-watch.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const MAIN_WIDTH_PX = 640;
const SUB_WIDTH_PX = 320;
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const PLAYERS: readonly PlayerName[] = ['dash.js', 'Shaka Player'];
const WAIT_MS = 100_000;

let mainCamera: SyntheticCamera;
let subCamera: SyntheticCamera;
let gateway: TestGateway;
let browsers: TestBrowser[] = [];
let pages: PlayerPages;
/** One in each browser, as in `PLAYERS`. */
let screens: Page[] = [];

async function startMain(port = 0): Promise<void> {
  const clip = await makeClip(MAIN_WIDTH_PX, 360, { gopSec: 2 });
  mainCamera = await startCamera(port, { clip });
}

beforeAll(async () => {
  await startMain();
  subCamera = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: mainCamera.url, substream: subCamera.url }],
  });
  browsers = await Promise.all(PLAYERS.map(() => startBrowser()));
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await Promise.all(browsers.map((browser) => browser.close()));
  await gateway?.dispose();
  await mainCamera?.close();
  await subCamera?.close();
});

beforeEach(async () => {
  screens = await Promise.all(browsers.map(async (browser) => (await openPage(browser)).page));
  await Promise.all(screens.map(watchFrames));
});

afterEach(() => Promise.all(screens.map((page) => page.close())));

/** At the same time, each on its screen. */
async function withBoth(watch: (player: PlayerName, page: Page) => Promise<void>): Promise<void> {
  const watched = PLAYERS.map((player, index) =>
    watch(player, screens[index]!).catch((error) => {
      throw new Error(`${player}: ${error}`, { cause: error });
    }),
  );
  await Promise.all(watched);
}

/** The manifest of a viewer's own grant. */
async function manifestUrl(fields: Json = {}): Promise<string> {
  const share = await gateway.share('Dock', fields);
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  return new URL('file.mpd', new URL(playlistUrl, gateway.mediaUrl)).href;
}

/** Resolves once the video has advanced by `seconds` from here on. */
async function playsOn(page: Page, seconds: number): Promise<void> {
  // Presentation time is epoch time: before the player has found the live edge, it is 0.
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1e9, null, {
    timeout: WAIT_MS,
  });
  const fromSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction(
    (untilSec) => document.querySelector('video')!.currentTime >= untilSec,
    fromSec + seconds,
    { timeout: WAIT_MS },
  );
}

async function hasWidth(page: Page, widthPx: number): Promise<void> {
  await page.waitForFunction((px) => document.querySelector('video')!.videoWidth === px, widthPx, {
    timeout: WAIT_MS,
  });
}

function playerErrors(page: Page): Promise<string[]> {
  return page.evaluate(() => window.playerErrors);
}

/**
 * How far behind the camera it was shown since the last call, by the numbers in the picture: the median. On a busy machine
 * a player may go over to the substream, which is a camera of its own here.
 */
async function takeBehindMs(page: Page): Promise<number> {
  const shown = (await takeShownFrames(page)).filter(({ number }) => number !== null);
  expect(shown).not.toEqual([]);
  const behind = shown.map(({ number, atEpochMs, widthPx }) => {
    const { startEpochMs } = widthPx === MAIN_WIDTH_PX ? mainCamera : subCamera;
    return (atEpochMs - (startEpochMs + number! * FRAME_MS)) % (CLIP_FRAMES * FRAME_MS);
  });
  return medianOf(behind);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function decodedAudioBytes(page: Page): Promise<number> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement & {
      webkitAudioDecodedByteCount: number;
    };
    return video.webkitAudioDecodedByteCount;
  });
}

test.each(PLAYERS)('%s plays live with audio, switches streams and back', async (player) => {
  const page = screens[PLAYERS.indexOf(player)]!;
  await pages.play(page, player, await manifestUrl());
  await playsOn(page, 6);
  const atFirstMs = await takeBehindMs(page);
  expect(await page.evaluate(() => window.streamWidths().toSorted((a, b) => a - b))).toEqual([
    SUB_WIDTH_PX,
    MAIN_WIDTH_PX,
  ]);
  await page.evaluate((px) => window.chooseWidth(px), SUB_WIDTH_PX);
  await hasWidth(page, SUB_WIDTH_PX);
  await playsOn(page, 3);
  await page.evaluate((px) => window.chooseWidth(px), MAIN_WIDTH_PX);
  await hasWidth(page, MAIN_WIDTH_PX);
  const audioBytes = await decodedAudioBytes(page);
  await takeShownFrames(page);
  await playsOn(page, 6);
  expect(await decodedAudioBytes(page)).toBeGreaterThan(audioBytes);
  const laterMs = await takeBehindMs(page);
  process.stdout.write(`${player}: ${Math.round(atFirstMs)}, then ${Math.round(laterMs)} ms behind\n`);
  expect(await playerErrors(page)).toEqual([]);
});

test('both play the manifest for scripts, with audio, and switch streams', async () => {
  const url = new URL('beside/file.mpd', await manifestUrl()).href;
  await withBoth(async (player, page) => {
    await pages.play(page, player, url);
    await playsOn(page, 6);
    for (const widthPx of [SUB_WIDTH_PX, MAIN_WIDTH_PX]) {
      await page.evaluate((px) => window.chooseWidth(px), widthPx);
      await hasWidth(page, widthPx);
      await playsOn(page, 3);
    }
    expect(await decodedAudioBytes(page)).toBeGreaterThan(0);
    expect(await playerErrors(page)).toEqual([]);
  });
});

test('both play on after the camera restarts', async () => {
  const url = await manifestUrl();
  await withBoth(async (player, page) => {
    await pages.play(page, player, url);
    await playsOn(page, 4);
  });
  const { port } = new URL(mainCamera.url);
  await mainCamera.close();
  await startMain(Number(port));
  const restartSec = Date.now() / 1_000;
  await withBoth(async (player, page) => {
    await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, restartSec + 1, {
      timeout: WAIT_MS,
    });
    await takeShownFrames(page);
    await playsOn(page, 6);
    const behindMs = await takeBehindMs(page);
    process.stdout.write(`${player}: after a restart ${Math.round(behindMs)} ms behind the camera\n`);
    // Less than 0 would be a frame from before the restart.
    expect(behindMs > 0).toBe(true);
    expect(await playerErrors(page)).toEqual([]);
  });
});

test('both play a share without audio', async () => {
  const url = await manifestUrl({ includeAudio: false });
  await withBoth(async (player, page) => {
    await pages.play(page, player, url);
    await playsOn(page, 4);
    expect(await decodedAudioBytes(page)).toBe(0);
    expect(await playerErrors(page)).toEqual([]);
  });
});

test('dash.js plays what it asks low latency for', async () => {
  const page = screens[0]!;
  await pages.play(page, 'dash.js', `${await manifestUrl()}?latency=low`);
  await playsOn(page, 15);
  await takeShownFrames(page);
  await playsOn(page, 10);
  const behindMs = await takeBehindMs(page);
  process.stdout.write(`dash.js, low latency: ${Math.round(behindMs)} ms behind the camera\n`);
  expect(await playerErrors(page)).toEqual([]);
});
