/** The page of a share link in Chromium, against a whole gateway with a synthetic camera. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { cardTitled, firstPictureMs, playbackCounts, takeShownFrames, watchFrames } from './frame-watch.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

/** Frames in the clip: the number in the frame starts over after them. */
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const GOP_MS = 1_000;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const WATCH_MS = 30_000;
/** The published limits. */
const WARM_PICTURE_MS = 700;
const CUT_OFF_MS = 1_000;
const BEHIND_LIVE_MS = 1_500;
const COLD_CAMERAS = ['Cold one', 'Cold two', 'Cold three'];

let camera: SyntheticCamera;
/** When frame 0 was due, give or take the time the camera took to start listening. */
let cameraStartEpochMs: number;
let fickle: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  await (await startCamera()).close(); // makes the clip, which may take a while
  cameraStartEpochMs = Date.now();
  camera = await startCamera();
  fickle = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '2s' },
    hls: { idleStop: '5m' },
    api: { rateLimit: 1_000_000 },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Fickle', rtsp: fickle.url },
      ...COLD_CAMERAS.map((name) => ({ name, rtsp: camera.url })),
    ],
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
  await fickle?.close();
});

beforeEach(async () => {
  record = await openPage(browser);
  page = record.page;
  await watchFrames(page);
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
  expect([...record.origins].filter((origin) => origin !== gateway.mediaUrl)).toEqual([]);
});

/** Steps from one frame of the repeated clip to a later one. */
function framesFrom(before: number, after: number): number {
  return (after - before + CLIP_FRAMES) % CLIP_FRAMES;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

describe('watching', () => {
  afterEach(() => expect(record.failedLoads).toEqual([]));

  test('shows every picture of thirty seconds, in order, close behind the camera', async () => {
    const share = await gateway.share('Dock');
    await page.goto(share.pageUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    await takeShownFrames(page);
    const before = await playbackCounts(page);
    await page.waitForFunction(
      (endSec) => document.querySelector('video')!.currentTime >= endSec,
      before.currentSec + WATCH_MS / 1_000,
      { timeout: WATCH_MS * 2 },
    );
    const shown = await takeShownFrames(page);
    const after = await playbackCounts(page);
    expect(shown.filter(({ number }) => number === null)).toEqual([]);
    let frames = 0;
    const aheadOfMediaTime = shown.slice(1).map((later, i) => {
      frames += framesFrom(shown[i]!.number!, later.number!);
      return frames - Math.round((later.mediaSec - shown[0]!.mediaSec) * FRAMES_PER_SEC);
    });
    // The compositor can skip a frame; the stream cannot: numbers and media time advance together. A busy page may
    // read the number from the frame right after the one it was notified about.
    expect(Math.max(...aheadOfMediaTime.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(medianOf(aheadOfMediaTime)).toBe(0);
    expect(frames).toBeGreaterThan((WATCH_MS / FRAME_MS) * 0.95);
    // What neither reached the compositor nor came too late for it was not in the stream.
    const presented = shown.at(-1)!.presentedFrames - shown[0]!.presentedFrames;
    const dropped = after.droppedFrames - before.droppedFrames;
    expect(frames - presented - dropped).toBeLessThanOrEqual(0);
    expect(Math.abs(after.decodedFrames - before.decodedFrames - frames)).toBeLessThanOrEqual(FRAMES_PER_SEC);
    expect(after.bufferedRanges).toBe(1);
    const behindMs = shown.map(({ number, atEpochMs }) => {
      const dueMs = cameraStartEpochMs + number! * FRAME_MS;
      return (atEpochMs - dueMs) % (CLIP_FRAMES * FRAME_MS);
    });
    expect(medianOf(behindMs)).toBeLessThan(BEHIND_LIVE_MS);
    process.stdout.write(
      `30 s: ${frames} pictures, ${shown.length} seen one by one, ${presented} presented, ${dropped} dropped, ${Math.round(medianOf(behindMs))} ms behind\n`,
    );
  });

  test('has its first picture soon when the camera is open already', async () => {
    const share = await gateway.share('Dock');
    const measured: number[] = [];
    for (let round = 0; round < 5; round++) {
      await page.goto(share.pageUrl);
      measured.push(await firstPictureMs(page));
    }
    process.stdout.write(`first picture, warm: ${measured.map(Math.round).join(', ')} ms\n`);
    expect(medianOf(measured)).toBeLessThan(WARM_PICTURE_MS);
  });

  test('has its first picture one group of pictures later when the camera has to be opened', async () => {
    const measured: number[] = [];
    for (const name of COLD_CAMERAS) {
      await page.goto((await gateway.share(name)).pageUrl);
      measured.push(await firstPictureMs(page));
    }
    process.stdout.write(`first picture, cold: ${measured.map(Math.round).join(', ')} ms\n`);
    expect(medianOf(measured)).toBeLessThan(GOP_MS + WARM_PICTURE_MS);
  });

  test('shows itself on a phone and on a desk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
    await page.goto((await gateway.share('Dock')).pageUrl);
    await waitForMotion(page);
    for (const [width, height] of [
      [390, 844],
      [1_280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      const picture = await page.screenshot({ path: join(folder, `${width}.png`) });
      expect(picture.length).toBeGreaterThan(5_000);
      const stage = (await page.locator('#stage').boundingBox())!;
      expect([stage.x, Math.round(stage.width)]).toEqual([0, width]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await rm(folder, { recursive: true });
  });
});

describe('a password', () => {
  test('is asked for, and again after a wrong one', async () => {
    const share = await gateway.share('Dock', { password: 'Correct horse' });
    await page.goto(share.pageUrl);
    await page.fill('#password', 'correct horse');
    await page.press('#password', 'Enter');
    await expect.poll(() => page.textContent('#password-error')).toContain('isn’t right');
    await expectNoPicture(page);
    await page.fill('#password', 'Correct horse');
    await page.press('#password', 'Enter');
    await waitForMotion(page);
    expect((await takeShownFrames(page)).some(({ number }) => number !== null)).toBe(true);
  });
});

describe('losing access while watching', () => {
  async function watch(fields: Record<string, unknown> = {}): Promise<TestShare> {
    const share = await gateway.share('Dock', fields);
    await page.goto(share.pageUrl);
    await waitForMotion(page);
    return share;
  }

  async function expectCutOff(title: string, sinceEpochMs: number): Promise<string> {
    const card = await cardTitled(page, title);
    process.stdout.write(`cut off, "${title}": ${card.atEpochMs - sinceEpochMs} ms\n`);
    expect(card.atEpochMs - sinceEpochMs).toBeLessThan(CUT_OFF_MS);
    await expectNoPicture(page);
    return card.text;
  }

  test('to a withdrawn share', async () => {
    const share = await watch();
    const sinceMs = Date.now();
    await gateway.revoke(share);
    await expectCutOff('This link has been turned off', sinceMs);
  });

  test('to an expired share', async () => {
    const expiresAtSec = Math.ceil(Date.now() / 1_000) + 4;
    await watch({ expirationTimeSecs: expiresAtSec });
    await expectCutOff('This link has expired', expiresAtSec * 1_000);
  });

  test('when the schedule hides it, saying when it returns; and plays again then', async () => {
    const nowSec = Math.ceil(Date.now() / 1_000);
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', {
      schedule: {
        name: 'Two spans',
        intervalList: [
          { b: nowSec - 60, e: nowSec + 4 },
          { b: nowSec + 7, e: nowSec + 600 },
        ],
      },
    });
    await watch({ scheduleUuid });
    const text = await expectCutOff('Not available right now', (nowSec + 4) * 1_000);
    expect(text).toMatch(/resumes today at \d{2}:\d{2}/);
    await waitForMotion(page);
    expect(Date.now()).toBeGreaterThanOrEqual((nowSec + 7) * 1_000);
  });

  test('when an inverted schedule begins', async () => {
    const nowSec = Math.ceil(Date.now() / 1_000);
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', {
      schedule: { name: 'Hidden', intervalList: [{ b: nowSec + 4, e: nowSec + 600 }] },
    });
    await watch({ scheduleUuid, invertSchedule: true });
    await expectCutOff('Not available right now', (nowSec + 4) * 1_000);
  });

  test('when its schedule is changed or turned round', async () => {
    const wholeWeek = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 0 }];
    const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
      schedule: { name: 'Always', intervalList: wholeWeek },
    });
    const share = await watch({ scheduleUuid });
    const changedMs = Date.now();
    await gateway.call('policy/updateSchedule', { schedule: { uuid: scheduleUuid, intervalList: [] } });
    await expectCutOff('Not available right now', changedMs);
    await gateway.call('policy/updateSchedule', {
      schedule: { uuid: scheduleUuid, intervalList: wholeWeek },
    });
    await page.reload();
    await waitForMotion(page);
    const turnedMs = Date.now();
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid: share.uuid,
      invertSchedule: true,
      invertScheduleUpdated: true,
    });
    await expectCutOff('Not available right now', turnedMs);
  });

  test('when a password is set', async () => {
    const share = await watch();
    const sinceMs = Date.now();
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid: share.uuid,
      password: 'new',
      passwordUpdated: true,
    });
    await expectCutOff('Password required', sinceMs);
    await page.fill('#password', 'new');
    await page.press('#password', 'Enter');
    await waitForMotion(page);
  });
});

describe('a link that leads nowhere', () => {
  test('is 404, with the page that says so and offers nothing that cannot help', async () => {
    const { pageUrl } = await gateway.share('Dock');
    const cut = await page.goto(pageUrl.slice(0, -1));
    expect(cut?.status()).toBe(404);
    await cardTitled(page, 'This link doesn’t work');
    expect(await page.isVisible('#message-retry')).toBe(false);
    await expectNoPicture(page);
  });
});

describe('a gateway that restarts', () => {
  test('is said to be reconnected to, over the last picture, and video goes on by itself', async () => {
    await page.goto((await gateway.share('Dock')).pageUrl);
    await waitForMotion(page);
    const openedAtMs = await page.evaluate(() => performance.timeOrigin);
    await gateway.end();
    await page.waitForSelector('#notice[data-kind="reconnecting"]');
    expect(await page.textContent('#notice-title')).toBe('Reconnecting…');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.isVisible('#still')).toBe(true);
    expect(await page.isVisible('#live')).toBe(false);
    await gateway.run();
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAtMs);
  });
});

describe('a camera that goes away', () => {
  test('is said to be offline, and plays again by itself when it is back', async () => {
    await page.goto((await gateway.share('Fickle')).pageUrl);
    await waitForMotion(page);
    const openedAtMs = await page.evaluate(() => performance.timeOrigin);
    const { port } = fickle;
    await fickle.close();
    await page.waitForSelector('#notice[data-kind="offline"]');
    expect(await page.textContent('#notice-title')).toBe('The camera is offline');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    fickle = await until('the port to be free', () => startCamera(port));
    await waitForMotion(page);
    await takeShownFrames(page);
    await until('pictures', async () => (await takeShownFrames(page)).length > 0);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAtMs);
  });
});
