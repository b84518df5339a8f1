/**
 * Devices without video in Chromium: the page of a link says that there is no picture and how to hear the sound; players of
 * others play it too. What is decoded is counted. The cameras are GStreamer's.
 */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const KINDS = ['none-aac', 'none-pcmu', 'none-opus'] as const;
const WAIT_MS = 100_000;
const WATCHED_SEC = 6;

let cameras: GstCamera[] = [];
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

beforeAll(async () => {
  cameras = await Promise.all(KINDS.map((kind) => startGstCamera(kind)));
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: KINDS.map((kind, index) => ({ name: kind, rtsp: cameras[index]!.url })),
  });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.stop()));
});

interface Progress {
  readonly sec: number;
  readonly decodedBytes: number;
}

function progressOf(page: Page): Promise<Progress> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement & {
      webkitAudioDecodedByteCount: number;
    };
    return { sec: video.currentTime, decodedBytes: video.webkitAudioDecodedByteCount };
  });
}

/** Whether sound is decoded as time goes on. */
async function expectToPlay(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1, null, {
    timeout: WAIT_MS,
  });
  const before = await progressOf(page);
  await page.waitForFunction(
    (sec) => document.querySelector('video')!.currentTime > sec,
    before.sec + WATCHED_SEC,
    { timeout: WAIT_MS },
  );
  expect((await progressOf(page)).decodedBytes).toBeGreaterThan(before.decodedBytes);
}

describe('the page of a link', () => {
  test.each(KINDS)('plays %s, says that there is no picture, and turns the sound on', async (kind) => {
    const { page } = await openPage(browser);
    const share = await gateway.share(kind);
    await page.goto(share.pageUrl);
    const button = page.getByRole('button', { name: 'Turn on sound' });
    await button.waitFor({ state: 'visible', timeout: WAIT_MS });
    const says = page.locator('#sound-only-text');
    await page.getByText('This camera has no picture', { exact: true }).waitFor({ state: 'visible' });
    await says.and(page.getByText('It sends only sound, which is off.', { exact: true })).waitFor();
    await page.locator('#mute').waitFor({ state: 'visible' });
    await page.waitForSelector('#live[data-state="live"]', { timeout: WAIT_MS });
    await button.click();
    await page.waitForFunction(() => !document.querySelector('video')!.muted);
    await button.waitFor({ state: 'hidden' });
    await says.and(page.getByText('It sends only sound. You’re listening.', { exact: true })).waitFor();
    await expectToPlay(page);
    expect(await page.getAttribute('#live', 'data-state')).toBe('live');
    await page.keyboard.press('m');
    await button.waitFor({ state: 'visible' });
    await page.close();
  });

  test('tells screen readers', async () => {
    const { page } = await openPage(browser);
    const said: string[] = [];
    await page.exposeFunction('hear', (text: string) => said.push(text));
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        const status = document.querySelector('#announce')!;
        const tell = (): void => (window as unknown as { hear(text: string): void }).hear(status.textContent);
        new MutationObserver(tell).observe(status, { childList: true, characterData: true, subtree: true });
      });
    });
    await page.goto((await gateway.share('none-aac')).pageUrl);
    await page.waitForSelector('#live[data-state="live"]', { timeout: WAIT_MS });
    await until('it is said', () =>
      said.some((text) => text.startsWith('This camera has no picture. It sends')),
    );
    await page.close();
  });

  test('of a link without sound says why there is nothing', async () => {
    const { page } = await openPage(browser);
    const share = await gateway.share('none-aac', { includeAudio: false });
    await page.goto(share.pageUrl);
    await page
      .getByRole('heading', { name: 'This camera sends only sound' })
      .waitFor({ state: 'visible', timeout: WAIT_MS });
    expect(await page.textContent('#message-text')).toMatch(/^This link doesn’t include sound\./);
    // The page asks whether there is video, and keeps the card: it does not connect again and again.
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname.split('/').at(-1)!));
    for (const times of [1, 2]) {
      await page.getByRole('button', { name: 'Try again' }).click();
      await until('it asks', () => requested.length >= times);
    }
    expect(new Set(requested)).toEqual(new Set(['status']));
    expect(await page.isVisible('#message-title')).toBe(true);
    await page.close();
  });

  test('that wants real time plays HLS instead, and says why', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${(await gateway.share('none-aac')).pageUrl}?realtime`);
    await page.getByText('Real time has no sound').waitFor({ state: 'visible', timeout: WAIT_MS });
    await page.waitForSelector('#live[data-state="live"]', { timeout: WAIT_MS });
    await expectToPlay(page);
    await page.close();
  });
});

describe('a video wall', () => {
  test('says on the tile that there is no picture', async () => {
    const { page } = await openPage(browser);
    const deviceList = [await gateway.cameraUuid('none-aac')];
    const { uuid } = await gateway.call('camera/createVideoWall', {
      videoWall: { displayName: 'Doors', deviceList },
    });
    const shared = await gateway.call('camera/createSharedVideoWall', { videoWallUuid: uuid });
    await page.goto(shared.sharedLiveVideoStreamUrl);
    const tile = page.locator('.tile[data-state="no-picture"]');
    await tile.waitFor({ state: 'visible', timeout: WAIT_MS });
    const shown = await tile.locator('.tile-title, .tile-text, .tile-badge').allInnerTexts();
    expect(shown).toEqual(['This camera has no picture', 'It sends only sound.', 'No picture']);
    expect(await tile.getAttribute('data-alarm')).toBe('false');
    expect(await tile.locator('button').getAttribute('aria-label')).toBe(
      'none-aac. This camera has no picture. Enlarge',
    );
    await page.close();
  });
});

test.each<[(typeof KINDS)[number], PlayerName]>([
  ['none-aac', 'hls.js'],
  ['none-pcmu', 'hls.js'],
  ['none-opus', 'hls.js'],
  ['none-aac', 'dash.js'],
  ['none-aac', 'Shaka Player'],
])('%s plays in %s with its own settings', async (kind, player) => {
  const { page } = await openPage(browser);
  const { m3u8Url } = await gateway.share(kind);
  const url = player === 'hls.js' ? m3u8Url : (await openShare(m3u8Url)).replace(/[^/]*$/, 'file.mpd');
  await pages.play(page, player, url);
  await expectToPlay(page);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  await page.close();
});
