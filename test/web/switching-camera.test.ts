/** A camera that switches its resolution every five seconds, within one RTSP session, in Chromium: our page and players of others. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';
import { PlayerPages } from './player-page.ts';

const SWITCHES = 2;

let camera: GstCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

beforeAll(async () => {
  camera = await startGstCamera('h264-switching-only');
  gateway = await TestGateway.start({ cameras: [{ name: 'Yard', rtsp: camera.url }] });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await camera?.stop();
});

function width(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('video')?.videoWidth ?? 0);
}

/** Each resolution is shown, and `moves` resolves in it. */
async function expectSwitches(page: Page, moves: (page: Page) => Promise<unknown>): Promise<void> {
  await moves(page);
  for (let switches = 0; switches < SWITCHES; switches++) {
    await page.waitForFunction(
      (px) => document.querySelector('video')?.videoWidth !== px,
      await width(page),
      { timeout: 60_000 },
    );
    await moves(page);
  }
  expect([320, 640]).toContain(await width(page));
}

/** Resolves once half a second has been played. */
async function waitForTime(page: Page): Promise<void> {
  const from = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec + 0.5, from, {
    timeout: 60_000,
  });
}

it('plays on in each resolution, without reopening the camera', async () => {
  const { page, problems } = await openPage(browser);
  await page.goto((await gateway.share('Yard')).pageUrl);
  await expectSwitches(page, waitForMotion);
  await page.close();
  expect(problems).toEqual([]);
  const opened = gateway.child.lines.filter((line) => line.includes('"msg":"stream opened"'));
  expect(opened).toHaveLength(1);
});

it.each([
  ['hls.js', 'm3u8'],
  ['Shaka Player', 'm3u8'],
  ['Shaka Player', 'mpd'],
  ['dash.js', 'mpd'],
] as const)('plays on in %s, by its %s URL', async (player, manifest) => {
  const { page, problems } = await openPage(browser);
  const { m3u8Url } = await gateway.share('Yard');
  await pages.play(page, player, m3u8Url.replace('m3u8', manifest));
  await expectSwitches(page, waitForTime);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  await page.close();
  expect(problems).toEqual([]);
});
