/** The timeline in Chromium, of a camera whose NVR has more than the gateway: its row, and playback from the middle of an hour. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { FakeRecorder } from '../support/fake-recorder.ts';
import { TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const STRIP_PX = 180;
const HOUR_MS = 3_600_000;
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
/** The head, and the frame on the screen. */
const APART_FRAMES = 2 * FRAMES_PER_SEC;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;
/** From a whole hour on: the middle is far from the start of what is listed for the hour. */
const startMs = Math.floor((Date.now() - 3 * HOUR_MS) / HOUR_MS) * HOUR_MS;
const SPAN = { fromMs: startMs, toMs: startMs + HOUR_MS };
const MIDDLE_MS = startMs + HOUR_MS / 2;

let camera: SyntheticCamera;
let recorder: FakeRecorder;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  recorder = await FakeRecorder.start(await makeClip(320, 180, { audio: false }), [SPAN], {
    clockAheadMs: 7 * 60_000,
    maxSessions: 1,
  });
  gateway = await TestGateway.start({
    locations: [{ name: 'Warehouse', tz: 'Europe/Berlin' }],
    nvrs: [
      { name: 'Core', playback: 'onvif', playbackUrl: recorder.httpUrl, playbackRtsp: recorder.rtspUrl },
    ],
    cameras: [{ name: 'Dock', location: 'Warehouse', nvr: 'Core', rtsp: camera.url }],
  });
  browser = await startBrowser();
  ({ page } = await openConsolePage(browser, gateway, 'operator'));
  await page.setViewportSize(DESK);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await recorder?.close();
  await camera?.close();
});

const slider = () => page.getByRole('slider', { name: 'Play head' });

/** The number that was recorded into the frame on the screen; null: none is there. */
async function shownNumber(): Promise<number | null> {
  const handle = await page.locator('iframe[title="Dock, at the play head"]').elementHandle();
  const luma = await (await handle!.contentFrame())!.evaluate((widthPx) => {
    const video = document.querySelector('video');
    if (video === null || video.readyState < 2 || video.seeking) return null;
    const canvas = new OffscreenCanvas(widthPx, 4);
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.drawImage(video, 0, 0, video.videoWidth, (video.videoHeight * 12) / 180, 0, 0, widthPx, 4);
    const { data } = context.getImageData(0, 0, widthPx, 4);
    return Array.from({ length: widthPx }, (_, x) => data[(2 * widthPx + x) * 4]!);
  }, STRIP_PX);
  return luma === null ? null : readFrameNumberStrip((x) => luma[Math.floor(x * STRIP_PX)]!);
}

test('shows what the NVR has in a row of its own, and plays it from where one looks', async () => {
  const uuid = await gateway.cameraUuid('Dock');
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${uuid}&at=${MIDDLE_MS}&span=120000`);
  await slider().waitFor();
  await page.locator('.lanes-legend .of-nvr').waitFor();
  const apart = await until('the frame of the time at the head', async () => {
    const number = await shownNumber();
    if (number === null) return null;
    const headMs = Number(await slider().getAttribute('aria-valuenow')) * 1_000;
    const frames = (((number - recorder.numberAt(headMs)) % CLIP_FRAMES) + CLIP_FRAMES) % CLIP_FRAMES;
    const distance = Math.min(frames, CLIP_FRAMES - frames);
    return distance <= APART_FRAMES ? distance : null;
  });
  expect(apart).toBeLessThanOrEqual(APART_FRAMES);
  expect(recorder.mostSessions).toBe(1);
  await expectAccessible(page, 'the timeline with an NVR');
  for (const [name, size] of Object.entries({ desk: DESK, phone: PHONE })) {
    await page.setViewportSize(size);
    expect(await tooWide(page)).toEqual([]);
    if (SCREENSHOTS !== undefined) {
      await page.screenshot({ path: `${SCREENSHOTS}/nvr-${name}.png`, fullPage: true });
    }
  }
});
