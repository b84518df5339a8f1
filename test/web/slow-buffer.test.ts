/** The page on a device whose media buffer is slow: it goes on loading whatever happens at the same time. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

/** Longer than from one part to the next: while hls.js trims the buffer, a part comes. */
const TRIM_MS = 400;
const SEGMENT_SEC = 2;
/** Of buffer that is trimmed once for each segment. */
const TRIMS = 6;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera(0, { clip: await makeClip(320, 180, { gopSec: 2 }) });
  gateway = await TestGateway.start({ cameras: [{ name: 'Dock', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

declare global {
  interface Window {
    trims: number;
  }
}

test('parts that come while the buffer is trimmed do not stop the picture', async () => {
  const { page, problems } = await openPage(browser);
  await page.addInitScript((trimMs) => {
    window.trims = 0;
    const { remove } = SourceBuffer.prototype;
    SourceBuffer.prototype.remove = function (this: SourceBuffer, startSec: number, endSec: number): void {
      window.trims += 1;
      setTimeout(() => remove.call(this, startSec, endSec), trimMs);
    };
  }, TRIM_MS);
  await page.goto((await gateway.share('Dock')).pageUrl);
  await waitForMotion(page);
  const startSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await watchPlayback(page);
  await page.waitForFunction((trims) => window.trims >= trims, TRIMS);
  // A page that no longer loads anything freezes before that, and one that starts again jumps.
  await page.waitForFunction(
    (sec) => document.querySelector('video')!.currentTime > sec,
    startSec + (TRIMS + 1) * SEGMENT_SEC,
  );
  expect((await takePlayback(page)).breaks).toEqual([]);
  expect(problems).toEqual([]);
});
