/** A camera becomes a link with a painted schedule, a password, and an end in few presses, on a desk and on a phone. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MAX_PRESSES = 8;
const MIN_TARGET_PX = 40;
const DAY_MINUTES = 24 * 60;
const WEEK_SEC = 7 * 86_400;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const SMALL = { width: 320, height: 640 };
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    rtsp: { listen: '127.0.0.1:0' },
    locations: [{ name: 'Harbor', tz: 'Asia/Kathmandu' }],
    cameras: [{ name: 'Front desk', location: 'Harbor', rtsp: camera.url }],
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'operator');
  ({ page } = record);
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

const dialog = () => page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const cell = (name: string) => page.getByRole('gridcell', { name });
const shares = async (): Promise<Json[]> =>
  (await gateway.call('camera/findAllSharedLiveVideoStreams')).sharedLiveVideoStreams;
const schedules = async (): Promise<Json[]> => (await gateway.call('schedule/getSchedules')).weeklySchedules;

async function inspect(state: string): Promise<void> {
  const before = page.viewportSize()!;
  await expectAccessible(page, state);
  for (const size of [before, SMALL]) {
    await page.setViewportSize(size);
    // The page behind follows the new size a frame later.
    await expect.poll(() => tooWide(page), { message: `${state} at ${size.width}` }).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
  await page.setViewportSize(before);
  if (SCREENSHOTS !== undefined) {
    const path = `${SCREENSHOTS}/share-${state.replaceAll(' ', '-')}-${before.width}`;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${path}-${colorScheme}.png` });
    }
  }
}

async function dragTo(from: string, to: string): Promise<void> {
  await cell(from).scrollIntoViewIfNeeded();
  await cell(from).hover();
  await page.mouse.down();
  await cell(to).hover();
  await page.mouse.up();
}

test.each([
  ['desk', DESK],
  ['phone', PHONE],
] as const)('a camera is shared with schedule, password, and end on a %s', async (_device, size) => {
  await page.setViewportSize(size);
  // No browser on Linux has the system's share sheet.
  await page.addInitScript(() => {
    const sent: unknown[] = [];
    Object.assign(globalThis, { sent });
    Object.defineProperty(navigator, 'share', { value: async (data: unknown) => void sent.push(data) });
  });
  await page.goto(`${gateway.apiUrl}/console/`);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Front desk' }).first().click();
  await button('Share').click();
  await dialog().getByLabel('In 7 days').check();
  await button('Generate').click();
  await button('New schedule').click();
  await dialog().getByText('Times are those of Harbor: Asia/Kathmandu').waitFor();
  if (size === DESK) await dragTo('Monday 9:00 to 9:15', 'Friday 16:45 to 17:00');
  else await button('Office hours').click();
  await dialog().getByText('Monday to Friday 9:00 to 17:00').first().waitFor();
  await inspect('terms');
  const password = await dialog().getByLabel('Password').inputValue();
  const sent = page.waitForRequest(/createProtectedSharedLiveVideoStream/);
  await button('Create link').click();
  expect((await sent).postDataJSON()).toMatchObject({ expirationTimeSecs: WEEK_SEC });
  await dialog().getByRole('heading', { name: 'The link of Front desk is ready' }).waitFor();
  await button('Copy link').click();
  expect(clicks.since()).toBeLessThanOrEqual(MAX_PRESSES);

  const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
  // A code would lead a phone to itself.
  expect(
    await dialog()
      .getByRole('img', { name: /^QR code/ })
      .count(),
  ).toBe(0);
  expect(await dialog().locator('.once code').textContent()).toBe(password);
  await dialog().getByText('This link opens only on this machine.').waitFor();
  for (const name of ['Copy HLS link (M3U8)', 'Copy RTSP link', 'Copy embed code']) {
    await button(name).waitFor();
  }
  await button('Send…').click();
  expect(await page.evaluate(() => (globalThis as unknown as { sent: unknown[] }).sent)).toEqual([
    { title: 'Front desk', url: link },
  ]);
  await inspect('ready');

  const [share] = await shares();
  const [schedule] = await schedules();
  expect(share).toMatchObject({
    passwordProtected: true,
    sharedLiveVideoStreamUrl: link,
    scheduleUuid: schedule!.uuid,
    invertSchedule: false,
  });
  expect(schedule).toMatchObject({
    name: 'Monday to Friday 9:00 to 17:00',
    intervalList: [0, 1, 2, 3, 4].map((day) => ({
      minuteOfWeekStart: day * DAY_MINUTES + 9 * 60,
      minuteOfWeekStop: day * DAY_MINUTES + 17 * 60,
    })),
  });
  await button('Done').click();
  await dialog().waitFor({ state: 'detached' });
  await gateway.call('camera/deleteSharedLiveVideoStream', { uuid: share!.uuid });
  await gateway.call('schedule/deleteSchedule', { scheduleUuid: schedule!.uuid });
});

test('viewers see the past as far back as someone chose, until it is turned off, on a phone', async () => {
  await page.setViewportSize(PHONE);
  await page.goto(`${gateway.apiUrl}/console/cameras/${await gateway.cameraUuid('Front desk')}`);
  const clicks = await countClicks(page);
  await button('Share').click();
  await dialog().getByLabel('Viewers can also see the past').check();
  await dialog().getByRole('group', { name: 'How far back' }).getByLabel('1 day').check();
  await dialog().getByRole('group', { name: 'The past ends' }).getByLabel('In 1 hour').check();
  await inspect('past');
  const sent = page.waitForRequest(/createSharedLiveVideoStream/);
  await button('Create link').click();
  expect((await sent).postDataJSON()).toMatchObject({
    vodEnabled: true,
    vodPastSecs: 86_400,
    vodExpirationTimeSecs: 3_600,
  });
  const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
  expect(clicks.since()).toBe(5);
  const pastUrl = async () => {
    const response = await fetch(`${link}/open`, { method: 'POST' });
    return ((await response.json()) as Json).pastUrl as string | undefined;
  };
  expect(await pastUrl()).toMatch(/\/vod$/);

  await dialog().getByRole('link', { name: 'Share settings' }).click();
  await dialog().getByText('Viewers see 1 day back').waitFor();
  await button('Edit').click();
  await dialog().getByLabel('Viewers can also see the past').uncheck();
  const saved = page.waitForRequest(/updateSharedLiveVideoStream/);
  await button('Save').click();
  const [share] = await shares();
  expect((await saved).postDataJSON()).toEqual({
    uuid: share!.uuid,
    vodEnabled: false,
    vodEnabledUpdated: true,
    vodPastSecsUpdated: true,
    vodExpirationTimeSecsUpdated: true,
  });
  await dialog().getByText('Viewers see live video only').waitFor();
  expect(await pastUrl()).toBeUndefined();
  await gateway.call('camera/deleteSharedLiveVideoStream', { uuid: share!.uuid });
});

test('a share that fails keeps its painted schedule for the next try, and stores it once', async () => {
  await page.setViewportSize(DESK);
  await page.goto(`${gateway.apiUrl}/console/shares?new`);
  await button('New schedule').click();
  await button('Create link').click();
  await dialog().getByText('Paint when viewers can watch').waitFor();
  await button('Nights').click();
  let refusals = 0;
  await page.route('**/camera/createSharedLiveVideoStream', async (route) => {
    refusals += 1;
    if (refusals > 1) return route.continue();
    return route.fulfill({ status: 500, json: { error: true, errorMsg: 'The disk is full.' } });
  });
  await button('Create link').click();
  await dialog().getByText('The disk is full.').waitFor();
  await button('Create link').click();
  await dialog()
    .getByRole('heading', { name: /is ready$/ })
    .waitFor();
  expect((await schedules()).map(({ name }) => name)).toEqual(['Every day 22:00 to 6:00 the next day']);
});
