/** The console's pages for shares and schedules, in Chromium, against a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** For a finger. */
const MIN_TARGET_PX = 40;
const DAY_MINUTES = 24 * 60;
const HOUR_MINUTES = 60;
const HOSTILE_NAME = '<img src=x onerror=alert(1)>"&';

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    locations: [{ name: 'Harbor', tz: 'Asia/Kathmandu' }],
    nvrs: [{ name: 'Core', location: 'Harbor' }],
    cameras: [
      { name: 'Front desk', rtsp: camera.url },
      { name: 'Dock', rtsp: 'rtsp://127.0.0.1:9/none', nvr: 'Core' },
    ],
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(async () => {
  page = await openConsole();
});

afterEach(async () => {
  for (const { page: opened } of records) await opened.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function openConsole(role?: PersonRole): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(DESKTOP);
  return record.page;
}

const open = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const dialog = () => page.getByRole('dialog');
const cell = (name: string) => page.getByRole('gridcell', { name });
const words = () => page.locator('.words').first().locator('li').allTextContents();
const shares = async (): Promise<Json[]> =>
  (await gateway.call('camera/findAllSharedLiveVideoStreams')).sharedLiveVideoStreams;

/** Looks at what is shown, on a phone and on a desk. `isOtherOnDesk`: there it has parts that a phone does not show. */
async function inspect(state: string, isOtherOnDesk = false): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    if (size === PHONE || isOtherOnDesk) await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

describe('a share', () => {
  test('is made with password and schedule, watched on a phone, and ended', async () => {
    const intervalList = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 7 * DAY_MINUTES }];
    await gateway.call('schedule/createWeeklySchedule', { schedule: { name: 'Whole week', intervalList } });

    await open('shares');
    await page.getByText('Nothing is shared yet').waitFor();
    await inspect('no shares');

    await page.getByRole('link', { name: 'New share' }).click();
    await dialog().getByLabel('What to share').selectOption({ label: 'Front desk' });
    await dialog().getByLabel('Name', { exact: true }).fill('Visitors');
    await dialog().getByLabel('In 1 hour').check();
    await dialog().getByLabel('Password').fill('camera');
    await dialog().getByText('Weak: easy to guess').waitFor();
    await dialog().getByRole('button', { name: 'Generate' }).click();
    const password = await dialog().getByLabel('Password').inputValue();
    await dialog().getByLabel('Schedule', { exact: true }).selectOption({ label: 'Whole week' });
    await dialog().getByText('Always.', { exact: true }).waitFor();
    await dialog()
      .getByText('This camera is at no site: the schedule runs in UTC')
      .or(dialog().getByText('Times are those of'))
      .first()
      .waitFor();
    await inspect('new share');
    await dialog().getByRole('button', { name: 'Create link' }).click();

    await dialog().getByRole('heading', { name: 'The link of Visitors is ready' }).waitFor();
    const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
    expect(
      await dialog()
        .getByRole('img', { name: /^QR code/ })
        .count(),
    ).toBe(0);
    expect(await dialog().locator('.once code').textContent()).toBe(password);
    await inspect('created share');
    const [made] = await shares();
    expect(made).toMatchObject({
      name: 'Visitors',
      passwordProtected: true,
      sharedLiveVideoStreamUrl: link,
      invertSchedule: false,
      scheduleUuid: expect.any(String),
      expirationTime: expect.any(Number),
    });

    const { page: phone } = await openPage(browser);
    await phone.goto(link);
    await phone.fill('#password', password);
    await phone.click('#password-submit');
    await phone.waitForSelector('#live[data-state="live"]');

    await dialog().getByRole('button', { name: 'Share settings' }).click();
    await dialog().getByRole('button', { name: 'End share' }).click();
    await dialog().getByText('cut off immediately').waitFor();
    await inspect('end');
    await dialog().getByRole('button', { name: 'End share' }).click();
    await page.getByText('Nothing is shared yet').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    expect(await shares()).toEqual([]);
    await phone.waitForSelector('#message:not([hidden])');
    await phone.close();
  });

  test('is edited, extended and gets a new password; only what is different is sent', async () => {
    const { uuid } = await gateway.share('Front desk', { name: 'Old name', expirationTimeSecs: 3_600 });
    const before = (await shares()).find((share) => share.uuid === uuid)!;
    await open('shares');
    await page.getByRole('button', { name: 'Old name', exact: true }).click();
    await inspect('share');

    await dialog().getByRole('button', { name: 'Edit' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill(HOSTILE_NAME);
    await inspect('edit');
    const sent = page.waitForRequest(/updateSharedLiveVideoStream/);
    await dialog().getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({ uuid, name: HOSTILE_NAME, nameUpdated: true });
    await dialog().getByRole('heading', { name: HOSTILE_NAME, exact: true }).waitFor();

    await dialog().getByRole('button', { name: 'Extend' }).click();
    await dialog().getByLabel('7 days').check();
    await inspect('extend');
    await dialog().getByRole('button', { name: 'Extend' }).click();
    await dialog().getByRole('button', { name: 'Set a password' }).click();
    await dialog().getByRole('button', { name: 'Set password' }).click();
    await dialog().getByText('Enter a password, or generate one.').waitFor();
    await dialog().getByLabel('New password').fill('a long enough password');
    await inspect('password');
    await dialog().getByRole('button', { name: 'Set password' }).click();
    await dialog().getByText('it is not shown again').waitFor();
    expect((await shares()).find((share) => share.uuid === uuid)).toMatchObject({
      name: HOSTILE_NAME,
      passwordProtected: true,
      expirationTime: before.expirationTime + 7 * DAY_MINUTES * 60,
    });

    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(HOSTILE_NAME);
    await inspect('shares', true);
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  });

  test('is found by name, camera and state', async () => {
    const never = {
      scheduleUuid: (
        await gateway.call('schedule/createWeeklySchedule', {
          schedule: { name: 'Never', intervalList: [] },
        })
      ).scheduleUuid,
    };
    const made = [
      await gateway.share('Front desk', { name: 'Reception' }),
      await gateway.share('Front desk', { name: 'Hidden one', ...never }),
      await gateway.share('Dock', { name: 'Carriers', invertSchedule: true, ...never }),
    ];
    await open('shares');
    const names = () => page.locator('.shares .open').allTextContents();
    await expect.poll(names).toEqual(['Carriers', 'Hidden one', 'Reception']);
    await page.getByRole('button', { name: /^Hidden now/ }).click();
    await expect.poll(names).toEqual(['Hidden one']);
    await page.getByRole('button', { name: /^Visible/ }).click();
    await expect.poll(names).toEqual(['Carriers', 'Reception']);
    await page.getByLabel('Camera', { exact: true }).selectOption('Dock');
    await expect.poll(names).toEqual(['Carriers']);
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('No share matches').waitFor();
    // What was chosen is in the address: it is there again after a reload.
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('nothing like this');
    await page.reload();
    await page.getByText('No share matches').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('nothing like this');
    await page.getByRole('link', { name: 'Show all shares' }).click();
    await expect.poll(names).toEqual(['Carriers', 'Hidden one', 'Reception']);
    await page.getByLabel('Order').selectOption('By camera');
    await expect.poll(names).toEqual(['Carriers', 'Hidden one', 'Reception']);
    await page.getByLabel('Order').selectOption('Oldest first');
    await expect.poll(names).toEqual(['Reception', 'Hidden one', 'Carriers']);
    for (const { uuid } of made) await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  });

  test('is one of many: the list has the length of all rows, and only those near the screen', async () => {
    const made: Json[] = [];
    for (let i = 0; i < 60; i++) made.push(await gateway.share('Front desk', { name: `Share ${i}` }));
    await open('shares');
    await page.getByRole('button', { name: 'Share 59', exact: true }).waitFor();
    expect(await page.locator('.shares .open').count()).toBeLessThan(40);
    const list = page.getByRole('table', { name: 'Shares' });
    expect(await list.getAttribute('aria-rowcount')).toBe('61');
    expect((await list.boundingBox())!.height).toBeGreaterThan(60 * MIN_TARGET_PX);
    await page.mouse.wheel(0, 10_000);
    await page.getByRole('button', { name: 'Share 0', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Share 59', exact: true }).count()).toBe(0);
    for (const { uuid } of made) await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  });

  test('of someone who may only look has no link to pass on, and nothing to change', async () => {
    const { uuid } = await gateway.share('Front desk', { name: 'Seen only' });
    page = await openConsole('viewer');
    await open('shares');
    await page.getByRole('button', { name: 'Seen only', exact: true }).click();
    await dialog().getByText('not pass on links').waitFor();
    await dialog()
      .getByText(/^Visible at /)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'End share' }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
    await inspect('read-only share');
    expect(await page.getByRole('link', { name: 'New share' }).count()).toBe(0);
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  });
});

describe('a schedule', () => {
  test('is painted with the mouse and the keyboard, and says what it is in words', async () => {
    await open('schedules/new');
    await page.getByLabel('Name', { exact: true }).fill('Painted');
    await drag('Monday 9:00 to 9:15', 'Friday 16:45 to 17:00');
    expect(await words()).toEqual(['Monday to Friday 9:00 to 17:00']);
    await drag('Monday 12:00 to 12:15', 'Monday 12:45 to 13:00');
    await expect
      .poll(words)
      .toEqual(['Monday 9:00 to 12:00', 'Monday 13:00 to 17:00', 'Tuesday to Friday 9:00 to 17:00']);

    await cell('Sunday 23:30 to 23:45').click();
    for (const key of ['ArrowRight', 'Space', 'Home', 'ArrowUp', 'Shift+ArrowRight', 'Space']) {
      await page.keyboard.press(key);
    }
    await expect
      .poll(words)
      .toEqual([
        'Monday 9:00 to 12:00',
        'Monday 13:00 to 17:00',
        'Tuesday to Friday 9:00 to 17:00',
        'Saturday 0:00 to 0:30',
        'Sunday 23:30 to 24:00',
      ]);
    expect(await cell('Saturday 0:15 to 0:30, on').getAttribute('aria-selected')).toBe('true');
    await page.getByRole('rowheader', { name: 'Monday 9:00 to 12:00 and 13:00 to 17:00' }).waitFor();
    await inspect('painted week', true);

    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { level: 1, name: 'Painted' }).waitFor();
    const { weeklySchedules } = await gateway.call('schedule/getSchedules');
    const stored = weeklySchedules.find(({ name }: Json) => name === 'Painted');
    const at = (day: number, fromHour: number, toHour: number) => ({
      minuteOfWeekStart: day * DAY_MINUTES + fromHour * HOUR_MINUTES,
      minuteOfWeekStop: day * DAY_MINUTES + toHour * HOUR_MINUTES,
    });
    expect(stored.intervalList).toEqual([
      at(0, 9, 12),
      at(0, 13, 17),
      at(1, 9, 17),
      at(2, 9, 17),
      at(3, 9, 17),
      at(4, 9, 17),
      at(5, 0, 0.5),
      at(6, 23.5, 24),
    ]);

    await page.getByRole('button', { name: 'Nights' }).click();
    expect(await words()).toEqual(['Every day 22:00 to 6:00 the next day']);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await gateway.call('schedule/findWeeklySchedule', { uuid: stored.uuid })).schedule)
      .toMatchObject({
        intervalList: expect.arrayContaining([{ minuteOfWeekStart: 9_960, minuteOfWeekStop: 360 }]),
      });
    await page.getByRole('button', { name: 'Delete' }).click();
    await inspect('delete schedule');
    await dialog().getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(await page.getByRole('link', { name: 'Painted' }).count()).toBe(0);
    await inspect('schedules', true);
  });

  test('is painted along a day by a finger, while a finger up and down scrolls', async () => {
    await page.setViewportSize(PHONE);
    await open('schedules/new');
    await page.waitForSelector('.week-grid');
    expect(await page.locator('.week-grid').evaluate((grid) => getComputedStyle(grid).touchAction)).toBe(
      'pan-y',
    );
    const from = (await cell('Tuesday 6:00 to 6:15').boundingBox())!;
    const to = (await cell('Tuesday 17:45 to 18:00').boundingBox())!;
    const devTools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: { x: number; y: number } | null) =>
      devTools.send('Input.dispatchTouchEvent', { type, touchPoints: at === null ? [] : [at] });
    const y = from.y + from.height / 2;
    await touch('touchStart', { x: from.x + 1, y });
    for (let step = 1; step <= 8; step++) {
      await touch('touchMove', { x: from.x + ((to.x + 1 - from.x) * step) / 8, y });
    }
    await touch('touchEnd', null);
    await expect.poll(words).toEqual(['Tuesday 6:00 to 18:00']);
    await page.getByLabel('Days').selectOption({ label: 'Tuesday' });
    await page.getByLabel('From').fill('12:05');
    await page.getByLabel('To', { exact: true }).fill('12:55');
    await page.getByRole('button', { name: 'Turn off' }).click();
    expect(await words()).toEqual(['Tuesday 6:00 to 12:05', 'Tuesday 12:55 to 18:00']);
    await cell('Tuesday 12:00 to 12:15, partly on').waitFor();
  });

  test('that shares use names them, and is not deleted', async () => {
    const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
      schedule: { name: 'In use', intervalList: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }] },
    });
    const { uuid } = await gateway.share('Dock', { name: 'Guests', scheduleUuid });
    await open(`schedules/${scheduleUuid}`);
    await page.getByRole('link', { name: 'Guests' }).waitFor();
    // The zone of the camera's NVR, because it has no location of its own.
    await page.getByText('Asia/Kathmandu', { exact: true }).waitFor();
    await inspect('schedule');
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await dialog().getByRole('button', { name: 'Delete schedule' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Guests' }).click();
    await dialog().getByRole('heading', { name: 'Guests' }).waitFor();
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  });
});

async function drag(fromCell: string, toCell: string): Promise<void> {
  const [from, to] = [(await cell(fromCell).boundingBox())!, (await cell(toCell).boundingBox())!];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
  await page.mouse.up();
}
