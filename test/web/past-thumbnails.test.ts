/**
 * Thumbnails of the past, made while a camera is recorded: the tracks that dash.js and Shaka Player read with their own APIs, the I-frame playlist that
 * hls.js shows, and the page's timeline. Each shows the frame of its time, without the video being loaded.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { recordMore, sessionQuery } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { numberOf, watchFrames } from './frame-watch.ts';
import { type PlayerName, PlayerPages, type PlayerThumbnail } from './player-page.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const THUMBNAIL_MS = 10_000;
const RECORDED_SEC = 42;
const GOP_MS = 1_000;
const WAIT_MS = 100_000;
const SCREENSHOTS = process.env.TEST_SCREENSHOTS;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
let page: Page;
let share: TestShare;
let range = { startSec: 0, durationSec: 0 };
/** A frame's number says when it was sent. The gateway dates all of them by the first ones, which a busy machine reads later. */
let arrivalMs = 0;

beforeAll(async () => {
  camera = await startCamera(0, {
    clip: await makeClip(640, 360, { durationSec: 64, bitrateBitsPerSec: 2_000_000 }),
  });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms' },
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
  share = await gateway.share('Dock', { vodEnabled: true, name: 'Loading dock' });
  await recordMore(gateway, 2);
  const startSec = Math.ceil(Date.now() / 1_000);
  await recordMore(gateway, RECORDED_SEC);
  range = { startSec, durationSec: Math.floor(Date.now() / 1_000) - 2 - startSec };
  arrivalMs = await firstArrivalMs();
  browser = await startBrowser();
  pages = await PlayerPages.start();
}, 240_000);

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(async () => {
  ({ page } = await openPage(browser));
  await watchFrames(page);
});
afterEach(() => page.close());

async function pastUrl(template: 'wanVodM3u8UriTemplate' | 'wanVodMpdUriTemplate'): Promise<string> {
  const cameraUuid = await gateway.cameraUuid('Dock');
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
  const url: string = uris[template];
  const { startSec, durationSec } = range;
  return (
    url.replace('{START_TIME}', `${startSec}`).replace('{DURATION}', `${durationSec}`) +
    (await sessionQuery(gateway))
  );
}

/** How much later than it was sent the gateway dates the first frame of the range. */
async function firstArrivalMs(): Promise<number> {
  const folder = new URL(`vod/${range.startSec}/${range.durationSec}/`, await openShare(share.m3u8Url)).href;
  const playlist = (await fetchOk(`${folder}file.m3u8`)).toString();
  const datedMs = Date.parse(/PROGRAM-DATE-TIME:(.*)/.exec(playlist)![1]!);
  const media = [await fetchOk(`${folder}seg_init.mp4`), await fetchOk(`${folder}seg_1.m4v`)];
  const [number] = await decodedFrameNumbers(media, { widthPx: 640, heightPx: 360 });
  return datedMs - datedAt(number!, datedMs);
}

/** When the frame with this number was taken, by the gateway's dates, about `nearMs`. */
function datedAt(number: number, nearMs: number): number {
  const clipMs = (CLIP_FRAMES * 1_000) / FRAMES_PER_SEC;
  const firstMs = camera.startEpochMs + (number * 1_000) / FRAMES_PER_SEC + arrivalMs;
  return firstMs + Math.round((nearMs - firstMs) / clipMs) * clipMs;
}

/** The number of the frame that a part of a JPEG shows. */
async function numberIn(thumbnail: PlayerThumbnail): Promise<number | null> {
  const luma = await page.evaluate(async ({ url, x, y, width, height }) => {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [180, 4];
    const context = canvas.getContext('2d')!;
    context.drawImage(image, x, y, width, height / 12, 0, 0, 180, 4);
    const { data } = context.getImageData(0, 2, 180, 1);
    return Array.from({ length: 180 }, (_, column) => data[4 * column + 1]!);
  }, thumbnail);
  return numberOf(luma);
}

/** That the thumbnail of a time shows a key frame of these ten seconds. */
function expectOfTime(number: number | null, firstMs: number): void {
  expect(number).not.toBeNull();
  const epochMs = datedAt(number!, firstMs);
  expect(epochMs).toBeGreaterThan(firstMs - GOP_MS);
  expect(epochMs).toBeLessThan(firstMs + THUMBNAIL_MS + GOP_MS);
  expect(number! % FRAMES_PER_SEC).toBe(0);
}

describe.each<[PlayerName, string, 'wanVodM3u8UriTemplate' | 'wanVodMpdUriTemplate']>([
  ['dash.js', 'DASH', 'wanVodMpdUriTemplate'],
  ['Shaka Player', 'DASH', 'wanVodMpdUriTemplate'],
  ['Shaka Player', 'HLS', 'wanVodM3u8UriTemplate'],
])('%s over %s', (player, _protocol, template) => {
  test('shows a thumbnail of each ten seconds with its own API', async () => {
    await pages.play(page, player, await pastUrl(template));
    await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.2, null, {
      timeout: WAIT_MS,
    });
    const numbers: number[] = [];
    for (let slot = 0; (slot + 1) * THUMBNAIL_MS <= range.durationSec * 1_000; slot++) {
      const slotMs = range.startSec * 1_000 + slot * THUMBNAIL_MS;
      const thumbnail = await page.evaluate((sec) => window.thumbnailAt(sec), slot * 10 + 5);
      expect(thumbnail).toMatchObject({ width: 256, height: 144 });
      const number = await numberIn(thumbnail!);
      expectOfTime(number, slotMs);
      numbers.push(number!);
    }
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBeGreaterThanOrEqual(3);
    expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  });
});

test('hls.js shows single frames of the I-frame playlist', async () => {
  await pages.play(page, 'hls.js', await pastUrl('wanVodM3u8UriTemplate'));
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.2, null, {
    timeout: WAIT_MS,
  });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  for (const sec of [25, 8, 16]) {
    const wallMs = (range.startSec + sec) * 1_000 + 500;
    const luma = await page.evaluate((ms) => window.keyFrameAt(window.mediaSecAt(ms)), wallMs);
    const number = numberOf(luma);
    expect(number! % FRAMES_PER_SEC).toBe(0);
    const behindMs = wallMs - datedAt(number!, wallMs);
    expect(Math.abs(behindMs)).toBeLessThanOrEqual(GOP_MS);
  }
  expect(requested.some((path) => path.includes('/key-frames/seg_'))).toBe(true);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
});

describe.each([
  ['phone', 390, 844],
  ['desktop', 1280, 800],
])('the timeline of a page on a %s', (device, width, height) => {
  test('shows what was recorded at the time under the pointer, and loads no video for it', async () => {
    await page.setViewportSize({ width, height });
    await page.goto(share.pageUrl);
    await page.selectOption('#span', '600');
    await page.waitForFunction(() => document.querySelectorAll('#timeline-windows span').length > 0);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    const box = (await page.locator('#timeline').boundingBox())!;
    for (const sec of [5, 15, 25]) {
      const slotMs = thumbnailSlot((range.startSec + sec) * 1_000);
      const number = await until('a thumbnail', async () => {
        const x = box.x + box.width * (1 - (Date.now() - slotMs - THUMBNAIL_MS / 2) / 600_000);
        await page.mouse.move(x, box.y + box.height / 2);
        const shown = await shownThumbnail();
        return shown === null ? null : numberIn(shown);
      });
      expectOfTime(number, slotMs);
    }
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/thumbnail-${device}.png` });
    expect(requested.some((path) => path.includes('/thumbnails/'))).toBe(true);
    // Live video is not below `/vod/`.
    expect(requested.filter((path) => /\/vod\/.*\/seg_/.test(path))).toEqual([]);
    const path = requested.find((each) => each.includes('/thumbnails/'))!;
    process.stdout.write(`${device}: a sheet is loaded and decoded in ${await sheetMs(path)} ms\n`);
    await page.mouse.move(1, 1);
    expect(await page.isVisible('#timeline-thumbnail')).toBe(false);
  });
});

/** Median of the time that a page takes until it can draw a thumbnail of five minutes that it does not have yet. For people: nothing is judged. */
function sheetMs(path: string): Promise<number> {
  return page.evaluate(async (url) => {
    const samples: number[] = [];
    for (let sample = 0; sample < 15; sample++) {
      const start = performance.now();
      const response = await fetch(url, { cache: 'no-store' });
      await createImageBitmap(await response.blob());
      samples.push(performance.now() - start);
    }
    return Math.round(samples.toSorted((a, b) => a - b)[7]!);
  }, path);
}

/** The page's thumbnails begin with each ten seconds. */
function thumbnailSlot(epochMs: number): number {
  return Math.floor(epochMs / THUMBNAIL_MS) * THUMBNAIL_MS;
}

/** What the timeline shows; null: nothing. */
async function shownThumbnail(): Promise<PlayerThumbnail | null> {
  return page.evaluate(() => {
    const shown = document.querySelector<HTMLElement>('#timeline-thumbnail')!;
    if (shown.hidden) return null;
    const [, url] = /url\("([^"]+)"\)/.exec(shown.style.backgroundImage) ?? [];
    const [column, row] = shown.style.backgroundPosition.split(' ').map((part) => Number.parseFloat(part));
    if (url === undefined || column === undefined || row === undefined) return null;
    return { url, x: (column / 25) * 256, y: (row / 20) * 144, width: 256, height: 144 };
  });
}
