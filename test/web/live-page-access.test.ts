/** The page of a shared link in Chromium, against a whole gateway: who loses access, and what comes back by itself. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { cardTitled, frameOnScreen, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

let camera: SyntheticCamera;
let fickle: SyntheticCamera;
let gateway: TestGateway;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  fickle = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
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

const nowSec = () => Math.ceil(Date.now() / 1_000);

/** Shows what it is used for in these intervals. */
async function newSchedule(intervalList: readonly { b: number; e: number }[]): Promise<string> {
  const schedule = { name: 'Shift', intervalList };
  return (await gateway.call('schedule/createAbsoluteSchedule', { schedule })).scheduleUuid;
}

describe('losing access while watching', () => {
  async function watch(fields: Record<string, unknown> = {}): Promise<TestShare> {
    const share = await gateway.share('Dock', fields);
    await page.goto(share.pageUrl);
    await waitForMotion(page);
    return share;
  }

  async function expectCutOff(title: string): Promise<string> {
    const card = await cardTitled(page, title);
    await expectNoPicture(page);
    return card.text;
  }

  test('to a withdrawn share', async () => {
    await gateway.revoke(await watch());
    await expectCutOff('This link has been turned off');
  });

  test('to an expired share', async () => {
    const { uuid } = await watch({ expirationTimeSecs: nowSec() + 3_600 });
    const soon = { expirationTimeSecs: nowSec() + 2, expirationTimeSecsUpdated: true };
    const changed = await gateway.call('camera/updateSharedLiveVideoStream', { uuid, ...soon });
    expect(changed).toMatchObject({ error: false });
    await expectCutOff('This link has expired');
    // Extended: without a reload.
    const longer = { expirationTimeSecs: nowSec() + 3_600, expirationTimeSecsUpdated: true };
    await gateway.call('camera/updateSharedLiveVideoStream', { uuid, ...longer });
    await waitForMotion(page);
  });

  test('when its owner hides it, and plays again when the owner shows it, long before the schedule does', async () => {
    const { uuid } = await watch();
    const scheduleUuid = await newSchedule([{ b: nowSec() + 3_600, e: nowSec() + 7_200 }]);
    const update = (scheduleUuid: string | null) =>
      gateway.call('camera/updateSharedLiveVideoStream', { uuid, scheduleUuid, scheduleUuidUpdated: true });
    await update(scheduleUuid);
    await expectCutOff('Not available right now');
    await update(null);
    await waitForMotion(page);
  });

  test('when the schedule hides it, saying when it returns; and plays again then', async () => {
    const uuid = await newSchedule([{ b: nowSec() - 60, e: nowSec() + 3_600 }]);
    await watch({ scheduleUuid: uuid });
    const hiddenSec = nowSec() + 2;
    const intervalList = [
      { b: hiddenSec - 60, e: hiddenSec },
      { b: hiddenSec + 5, e: hiddenSec + 600 },
    ];
    await gateway.call('schedule/updateAbsoluteSchedule', { schedule: { uuid, intervalList } });
    const text = await expectCutOff('Not available right now');
    expect(text).toMatch(/resumes today at \d{2}:\d{2}/);
    await waitForMotion(page);
    expect(Date.now()).toBeGreaterThanOrEqual((hiddenSec + 5) * 1_000);
  });

  test('when an inverted schedule begins', async () => {
    const uuid = await newSchedule([{ b: nowSec() + 3_600, e: nowSec() + 7_200 }]);
    await watch({ scheduleUuid: uuid, invertSchedule: true });
    const intervalList = [{ b: nowSec() + 2, e: nowSec() + 600 }];
    await gateway.call('schedule/updateAbsoluteSchedule', { schedule: { uuid, intervalList } });
    await expectCutOff('Not available right now');
  });

  test('when its schedule is changed or turned round', async () => {
    const wholeWeek = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 0 }];
    const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
      schedule: { name: 'Always', intervalList: wholeWeek },
    });
    const share = await watch({ scheduleUuid });
    await gateway.call('policy/updateSchedule', { schedule: { uuid: scheduleUuid, intervalList: [] } });
    await expectCutOff('Not available right now');
    await gateway.call('policy/updateSchedule', {
      schedule: { uuid: scheduleUuid, intervalList: wholeWeek },
    });
    await page.reload();
    await waitForMotion(page);
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid: share.uuid,
      invertSchedule: true,
      invertScheduleUpdated: true,
    });
    await expectCutOff('Not available right now');
  });

  test('when a password is set', async () => {
    const share = await watch();
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid: share.uuid,
      password: 'new',
      passwordUpdated: true,
    });
    await expectCutOff('Password required');
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
