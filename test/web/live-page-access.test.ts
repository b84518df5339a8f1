/** The page of a shared link in Chromium, against a whole gateway: who loses access, and what comes back by itself. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { cardTitled, frameOnScreen, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

/** The published bound. */
const CUT_OFF_MS = 1_000;

let camera: SyntheticCamera;
let fickle: SyntheticCamera;
let gateway: TestGateway;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  fickle = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '2s' },
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Fickle', rtsp: fickle.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await fickle?.close();
});

const opened = useGatewayPage(() => gateway);
beforeEach(() => {
  page = opened().page;
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
    await until('a frame of the camera', async () => (await frameOnScreen(page))?.number);
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
