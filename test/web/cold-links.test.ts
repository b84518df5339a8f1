/**
 * Links of cameras that no one is watching yet and that have two streams: the page gets to the main one, and pullers can
 * choose.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { firstPictureMs, watchFrames } from './frame-watch.ts';
import { MAIN_WIDTH_PX, mainAfterMs } from './main-stream.ts';

const LINKS = 20;
const PAGES_AT_ONCE = 2;
const PULLED = Array.from({ length: LINKS }, (_, index) => `Pulled ${index}`);
const FRESH = Array.from({ length: LINKS / 2 }, (_, index) => `Fresh ${index}`);
/** The second half was opened before and has since been closed: its first segments are discontinuities. */
const WATCHED = [...FRESH, ...PULLED.slice(0, LINKS / 2)];

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  // More than hls.js assumes at first (4 Mbit/s): it begins with the substream and goes up from there.
  main = await startCamera(0, { clip: await makeClip(MAIN_WIDTH_PX, 720, { bitrateBitsPerSec: 4_500_000 }) });
  sub = await startCamera(0, { clip: await makeClip(640, 360, { gopSec: 2 }) });
  gateway = await TestGateway.start({
    // Shorter than the first ten links take.
    hls: { idleStop: '8s' },
    cameras: [...PULLED, ...FRESH].map((name) => ({ name, rtsp: main.url, substream: sub.url })),
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

test('twenty bare URLs of cold cameras name both streams to those who choose', async () => {
  const variants = await Promise.all(
    PULLED.map(async (name) => {
      const { m3u8Url } = await gateway.share(name);
      const text = await (await fetch(`${m3u8Url}?video=all`)).text();
      return text.split('\n').filter((line) => line.endsWith('stream.m3u8')).length;
    }),
  );
  expect(variants).toEqual(PULLED.map(() => 2));
});

test('twenty cold links reach the main stream in the page', { timeout: 400_000 }, async () => {
  const views: ColdView[] = [];
  for (let at = 0; at < WATCHED.length; at += PAGES_AT_ONCE) {
    views.push(...(await Promise.all(WATCHED.slice(at, at + PAGES_AT_ONCE).map(openCold))));
  }
  const list = (values: readonly (number | null)[]) => values.map((ms) => Math.round(ms ?? -1)).join(', ');
  const reached = views.map(({ mainMs }) => mainMs);
  process.stdout.write(
    `first picture: ${list(views.map(({ firstMs }) => firstMs))} ms\nmain stream: ${list(reached)} ms\n`,
  );
  expect(reached).not.toContain(null);
});

interface ColdView {
  readonly firstMs: number;
  /** null: not reached. */
  readonly mainMs: number | null;
}

async function openCold(name: string): Promise<ColdView> {
  const { pageUrl } = await gateway.share(name);
  const { page, problems, failedLoads } = await openPage(browser);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await watchFrames(page);
  await page.goto(pageUrl);
  const view = { firstMs: await firstPictureMs(page), mainMs: await mainAfterMs(page) };
  await page.close();
  expect([problems, failedLoads]).toEqual([[], []]);
  return view;
}
