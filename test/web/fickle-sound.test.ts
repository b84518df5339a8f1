/** The page of a share link in Chromium while the camera's microphone is off, late, or comes and goes. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CameraFaults } from '../../src/synthetic-camera/faults.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { firstPictureMs, takeCountedFrames, watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

interface Case {
  readonly title: string;
  readonly faults: CameraFaults;
  readonly watchSec: number;
}

const NEVER_MS = Number.POSITIVE_INFINITY;
const CASES: readonly Case[] = [
  { title: 'off from the start', faults: { muted: [{ fromMs: 0, toMs: NEVER_MS }] }, watchSec: 10 },
  { title: 'on 8 s late', faults: { muted: [{ fromMs: 0, toMs: 8_000 }] }, watchSec: 16 },
  {
    title: 'off for 10 s and on again',
    faults: { muted: [{ fromMs: 8_000, toMs: 18_000 }] },
    watchSec: 26,
  },
  { title: 'off for ever', faults: { muted: [{ fromMs: 8_000, toMs: NEVER_MS }] }, watchSec: 18 },
  {
    title: 'reported in another epoch from the middle on',
    faults: { audioReportsOff: { afterMs: 6_000, byMs: 1_900 }, staleRtpInfo: true },
    watchSec: 18,
  },
];

let cameras: SyntheticCamera[] = [];
let gateway: TestGateway;
let browsers: TestBrowser[] = [];

beforeAll(async () => {
  cameras = await Promise.all(CASES.map(({ faults }) => startCamera(0, { faults })));
  gateway = await TestGateway.start({
    cameras: CASES.map(({ title }, index) => ({ name: title, rtsp: cameras[index]!.url })),
  });
  browsers = await Promise.all(CASES.map(() => startBrowser()));
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

/** The page that was opened last, once its picture moves: the next one is opened then, and none is held up by another. */
let opened: Promise<unknown> = Promise.resolve();

/** In a browser of its own: a tab behind another shows nothing for a moment. */
function openShareOf(name: string): Promise<{ readonly record: PageRecord; readonly share: TestShare }> {
  const open = async () => {
    const record = await openPage(browsers[CASES.findIndex(({ title }) => title === name)]!);
    await watchFrames(record.page);
    const share = await gateway.share(name);
    await record.page.goto(share.pageUrl);
    await waitForMotion(record.page);
    return { record, share };
  };
  const opening = opened.then(open, open);
  opened = opening;
  return opening;
}

// Side by side, each in a page of its own: they wait for what the cameras do.
test.concurrent.each(CASES)(
  'the picture plays on while the microphone is $title',
  async ({ title, watchSec }) => {
    const { record, share } = await openShareOf(title);
    const { page, problems } = record;
    await firstPictureMs(page);
    await watchPlayback(page);
    const { currentSec, decodedFrames } = (await takeCountedFrames(page)).counts;
    await page.waitForFunction(
      (endSec) => document.querySelector('video')!.currentTime >= endSec,
      currentSec + watchSec,
      { timeout: watchSec * 4_000 },
    );
    const { counts: after } = await takeCountedFrames(page);
    const { longestStallMs, breaks } = await takePlayback(page);
    process.stdout.write(`${title}: longest stall ${Math.round(longestStallMs)} ms\n`);
    expect(breaks).toEqual([]);
    expect(after.decodedFrames - decodedFrames).toBeGreaterThan(watchSec * FRAMES_PER_SEC * 0.95);
    expect(after.bufferedRanges).toBe(1);
    await gateway.revoke(share);
    await page.close();
    expect(problems).toEqual([]);
  },
);
