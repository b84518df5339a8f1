/** Shares of the console with the people who watch them, in Chromium, against a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { type ConsoleRecord, openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MIN_TARGET_PX = 40;
const PASSWORD = 'a long enough password';
/** More than a screen and what is drawn around it. */
const MANY = 260;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let visitor: ConsoleRecord;
let page: Page;
const phones: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Front desk', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(async () => {
  visitor = await visitConsole(browser, gateway, 'operator');
  page = visitor.page;
  await page.setViewportSize(DESKTOP);
});

afterEach(async () => {
  for (const record of [visitor, ...phones]) await record.page.close();
  expect([visitor, ...phones].flatMap(({ problems }) => problems)).toEqual([]);
  phones.length = 0;
  const { sharedStreams } = await gateway.call('camera/findSharedStreams', { limit: 500 });
  for (const { uuid } of sharedStreams as Json[]) {
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
  }
});

const dialog = () => page.getByRole('dialog');
const names = () => page.locator('.shares .open').allTextContents();
const linkOf = async (uuid: string): Promise<string> =>
  (await gateway.call('camera/findSharedStreams', { uuids: [uuid] })).sharedStreams[0].pageUrl;

async function watch(link: string, password = ''): Promise<Page> {
  const record = await openPage(browser);
  phones.push(record);
  await record.page.goto(link);
  if (password !== '') {
    await record.page.fill('#password', password);
    await record.page.click('#password-submit');
  }
  await record.page.waitForSelector('#live[data-state="live"]');
  return record.page;
}

async function inspect(state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

describe('a viewer', () => {
  test('of a share with schedule and password is seen, ended and kept away, and let in again', async () => {
    const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
      schedule: {
        name: 'Whole week',
        intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 7 * 24 * 60 }],
      },
    });
    const { uuid } = await gateway.share('Front desk', {
      name: 'Visitors',
      password: PASSWORD,
      scheduleUuid,
    });
    await openConsole(page, gateway, 'shares');
    await page.getByText('Never viewed').waitFor();
    await expect.poll(visitor.isFollowing).toBe(true);
    const phone = await watch(await linkOf(uuid), PASSWORD);
    await page.getByText('1 now').waitFor();

    await page.getByRole('button', { name: 'Visitors', exact: true }).click();
    await dialog()
      .getByText(/^Visible at .* because the schedule ‘Whole week’ is active\.$/)
      .waitFor();
    await dialog().getByText('127.0.0.1', { exact: true }).waitFor();
    await dialog()
      .getByText(/^HLS, (?:main stream|substream|H\.264 copy) · for .* · [\d.]+ [kM]?B$/)
      .waitFor();
    await inspect('viewers');

    await dialog().getByRole('button', { name: 'End the view from 127.0.0.1' }).click();
    await dialog().getByLabel('1 hour').check();
    await dialog().getByText('People in one building').waitFor();
    await inspect('end viewer');
    await dialog().getByRole('button', { name: 'End and block' }).click();
    await dialog().getByText('Ended 1 view from 127.0.0.1. The address is blocked.').waitFor();
    await dialog().getByText('No one is watching.').waitFor();
    await phone.waitForSelector('#message:not([hidden])');
    expect(await phone.locator('#message').textContent()).toMatch(/ended|closed|no longer/i);
    expect(await phone.evaluate(() => document.querySelector('video')?.paused !== false)).toBe(true);

    // It is kept away after a restart too.
    await gateway.restart();
    await phone.reload();
    await phone.waitForSelector('#message:not([hidden])');
    const viewers = { sharedLiveVideoStreamUuid: uuid };
    expect((await gateway.call('camera/getSharedStreamViewers', viewers)).blockedAddresses).toMatchObject([
      { address: '127.0.0.1' },
    ]);
    await expect.poll(visitor.isFollowing).toBe(true);
    await dialog().getByRole('heading', { name: 'Blocked addresses' }).waitFor();
    await dialog().getByRole('button', { name: 'Unblock 127.0.0.1' }).click();
    await dialog().getByRole('heading', { name: 'Blocked addresses' }).waitFor({ state: 'detached' });
    await watch(await linkOf(uuid), PASSWORD);
    await dialog().getByText('127.0.0.1', { exact: true }).waitFor();
  });
});

describe('a share', () => {
  test('says what it shows at a time that one chooses', async () => {
    // 2027-01-04 is a Monday. The camera has no location: its times are UTC. The browser is an hour ahead.
    const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
      schedule: { name: 'Mondays', intervalList: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }] },
    });
    const { uuid } = await gateway.share('Front desk', { name: 'Weekly', scheduleUuid });
    await openConsole(page, gateway, `shares?share=${uuid}`);
    await dialog().getByRole('button', { name: 'At another time…' }).click();
    const at = dialog().locator('input[type="datetime-local"]');
    await at.fill('2027-01-04T10:00');
    await dialog()
      .getByText('Visible at 2027-01-04 09:00 because the schedule ‘Mondays’ is active.')
      .waitFor();
    await at.fill('2027-01-04T18:00');
    await dialog()
      .getByText(/^Not visible at 2027-01-04 17:00 because the schedule ‘Mondays’/)
      .waitFor();
    await dialog()
      .getByText(/^Shown .* your time\.$/)
      .waitFor();
    await inspect('at another time');
    await dialog().getByRole('button', { name: 'Now', exact: true }).click();
    expect(await at.count()).toBe(0);
  });

  test('is ended and extended with others, and that is taken back', async () => {
    for (const name of ['One', 'Two', 'Three']) await gateway.share('Front desk', { name });
    await openConsole(page, gateway, 'shares');
    await page.getByLabel('Select One').check();
    await page.getByLabel('Select Two').check();
    await page.getByText('2 selected').waitFor();
    await inspect('selected');
    await page.getByRole('button', { name: 'End…', exact: true }).click();
    await inspect('bulk end');
    await dialog().getByRole('button', { name: 'End now' }).click();
    await dialog().getByText('2 shares are as chosen.').waitFor();
    await inspect('bulk results');
    await expect
      .poll(async () => (await gateway.call('camera/findSharedStreams', { states: ['EXPIRED'] })).totalCount)
      .toBe(2);
    await dialog().getByRole('button', { name: 'Undo 2 changes' }).click();
    await expect
      .poll(async () => (await gateway.call('camera/findSharedStreams', { states: ['VISIBLE'] })).totalCount)
      .toBe(3);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });

    await page.getByLabel('Select all').check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'End…', exact: true }).click();
    await dialog().getByLabel('They are deleted for good').check();
    await dialog().getByText('cannot be taken back').waitFor();
    // One is gone already: the others are done all the same, and the list says which failed.
    const [first] = (await gateway.call('camera/findSharedStreams', {})).sharedStreams as Json[];
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid: first!.uuid });
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog().getByText('2 shares are as chosen. 1 failed.').waitFor();
    await dialog().getByText('There is no shared live stream with this UUID.').waitFor();
    expect(await dialog().getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByText('Nothing is shared yet').waitFor();
  });
});

describe('the list', () => {
  test('reads and draws only what is near the screen, and follows changes by pages', async () => {
    for (let i = 0; i < MANY; i++) await gateway.share('Front desk', { name: `Share ${i}` });
    const bodies: Json[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/camera/findSharedStreams')) bodies.push(request.postDataJSON());
    });
    await openConsole(page, gateway, 'shares');
    await page.getByRole('button', { name: `Share ${MANY - 1}`, exact: true }).waitFor();
    await expect.poll(visitor.isFollowing).toBe(true);
    expect(bodies).toEqual([
      { order: 'CREATED', isDescending: true, offset: 0, limit: 100, withStateCounts: true },
    ]);
    expect(await page.locator('.shares .row').count()).toBeLessThan(45);

    await page.mouse.wheel(0, 100_000);
    await page.getByRole('button', { name: 'Share 0', exact: true }).waitFor();
    expect(bodies.length).toBeLessThanOrEqual(3);
    expect(bodies.map(({ offset }) => offset)).toContain(200);
    expect(await page.locator('.shares .row').count()).toBeLessThan(45);

    // A change reads the pages on the screen, and no other.
    bodies.length = 0;
    const last = (
      await gateway.call('camera/findSharedStreams', { order: 'CREATED', isDescending: false, limit: 1 })
    ).sharedStreams[0];
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid: last.uuid,
      name: 'The first of all',
      nameUpdated: true,
    });
    await page.getByRole('button', { name: 'The first of all', exact: true }).waitFor();
    expect(bodies.every(({ offset }) => offset >= 100)).toBe(true);
    expect(bodies.length).toBeLessThanOrEqual(2);
  });

  test('says that it is not current without a network, and recovers', async () => {
    await gateway.share('Front desk', { name: 'Before' });
    await openConsole(page, gateway, 'shares');
    await page.getByRole('button', { name: 'Before', exact: true }).waitFor();
    await expect.poll(visitor.isFollowing).toBe(true);
    await gateway.end();
    await page.getByText('1 share, not current').waitFor();
    expect(await names()).toEqual(['Before']);
    await page.getByLabel('Order').selectOption('By name');
    await page.getByRole('heading', { name: 'No connection to the gateway' }).waitFor();
    await inspect('without a network');
    await gateway.run();
    await gateway.share('Front desk', { name: 'Meanwhile' });
    await page.getByRole('button', { name: 'Meanwhile', exact: true }).waitFor();
    await page.getByText('2 shares', { exact: true }).waitFor();
    expect(await names()).toEqual(['Before', 'Meanwhile']);
  });
});
