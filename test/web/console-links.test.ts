/** Links to walls and clips, in Chromium: made in the console, opened by someone without an account on a phone. */

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { recordMore } from '../support/recorded-past.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
const HOUR_SEC = 3_600;
/** Between what the browser and the gateway take for now. */
const SLACK_SEC = 120;
const HOSTILE = '<img src=x onerror=alert(1)>';

let cameras: SyntheticCamera[];
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;
let dock: string;
let recordedMs: number;
const strangers: BrowserContext[] = [];

beforeAll(async () => {
  cameras = [await startCamera(), await startCamera()];
  gateway = await TestGateway.start({
    demo: false,
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    locations: [{ name: 'Harbor', tz: 'UTC' }],
    cameras: ['Dock', HOSTILE].map((name, i) => ({
      name,
      location: 'Harbor',
      rtsp: cameras[i]!.url,
      ...(i === 0 ? { recording: 'always' } : {}),
    })),
  });
  dock = await gateway.cameraUuid('Dock');
  await recordMore(gateway, 3);
  recordedMs = Date.now();
  await recordMore(gateway, 15);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  for (const camera of cameras ?? []) await camera.close();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'operator');
  ({ page } = record);
  await page.setViewportSize(DESKTOP);
});
afterEach(async () => {
  await page.close();
  for (const context of strangers.splice(0)) await context.close();
  expect(record.problems).toEqual([]);
});

const visit = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const dialog = () => page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name });

async function inspect(state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

/** How far a phone's page can be moved to the side. What plays reaches from edge to edge there. */
const sideways = (phone: Page): Promise<number> =>
  phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A phone of someone who never signed in. */
async function openOnPhone(link: string): Promise<Page> {
  const context = await browser.context.browser()!.newContext({ viewport: PHONE, locale: 'en-GB' });
  strangers.push(context);
  const phone = await context.newPage();
  phone.setDefaultTimeout(100_000);
  await phone.goto(link);
  return phone;
}

async function enter(phone: Page, password: string): Promise<void> {
  await phone.locator('#password-form').waitFor();
  await phone.fill('#password', 'not it');
  await phone.click('#password-submit');
  await phone.getByText('isn’t right').first().waitFor();
  expect(await sideways(phone)).toBe(0);
  await phone.fill('#password', password);
  await phone.click('#password-submit');
}

async function expectPlaying(phone: Page): Promise<void> {
  const video = phone.locator('#video');
  await until('the clip to load', () =>
    video.evaluate((shown: HTMLVideoElement) => shown.videoWidth > 0 && shown.readyState >= 2),
  );
  if (await video.evaluate(({ paused }: HTMLVideoElement) => paused)) await video.click();
  await until('the clip to play', () =>
    video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime > 0.2),
  );
}

/** For a field of seconds, whose value has none at whole minutes. */
function zoneTime(epochMs: number): string {
  const sec = Math.floor(epochMs / 1_000);
  return new Date((sec % 60 === 0 ? sec + 1 : sec) * 1_000).toISOString().slice(0, 19);
}

const secondsFromNow = (expirationTime: number) => expirationTime - Date.now() / 1_000;

describe('a wall', () => {
  test('is shared with a password and an end, watched on a phone, and cut off', async () => {
    await visit('walls/new');
    await page.getByLabel('Name').fill('Gatehouse');
    for (const name of ['Dock', HOSTILE]) await page.getByRole('option', { name }).click();
    await button('Create wall').click();
    await page.getByRole('heading', { name: 'The wall is not shared' }).waitFor();
    await button('Share by link').click();
    await dialog().getByLabel('At a time').check();
    await dialog().getByLabel('Ends at').fill('2020-01-01T10:00');
    await button('Create link').click();
    await dialog().getByText('Choose a time in the future.').waitFor();
    await dialog().getByLabel('In 1 hour').check();
    await button('Generate').click();
    const password = await dialog().getByLabel('Password').inputValue();
    await inspect('share a wall');
    await button('Create link').click();
    const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
    expect(await dialog().locator('.once code').textContent()).toBe(password);
    await inspect('a shared wall');
    await button('Done').click();
    await page.getByText('With password', { exact: true }).waitFor();
    const { videoWalls } = await gateway.call('camera/getVideoWalls');
    const { sharedVideoWalls } = await gateway.call('camera/findSharedVideoWalls', {
      videoWallUuid: videoWalls[0].uuid,
    });
    expect(sharedVideoWalls).toMatchObject([{ passwordProtected: true, sharedVideoWallUrl: link }]);
    const restSec = secondsFromNow(sharedVideoWalls[0].expirationTime);
    expect(restSec).toBeGreaterThan(HOUR_SEC - SLACK_SEC);
    expect(restSec).toBeLessThan(HOUR_SEC + SLACK_SEC);

    const phone = await openOnPhone(link);
    await enter(phone, password);
    for (const name of ['Dock', HOSTILE]) {
      const tile = phone.locator('.tile').filter({ hasText: name });
      await until(`${name} live`, async () => (await tile.getAttribute('data-state')) === 'live');
    }
    expect(await phone.locator('img[src="x"]').count()).toBe(0);
    expect(await sideways(phone)).toBe(0);

    // The link is found again, without its password, and ended.
    await page.reload();
    await button(`Copy ${link}`).click();
    expect(await dialog().getByLabel('Link', { exact: true }).inputValue()).toBe(link);
    expect(await dialog().locator('.once').count()).toBe(0);
    await button('Done').click();
    await button(`End ${link}`).click();
    await button('End link').click();
    await page.getByRole('heading', { name: 'The wall is not shared' }).waitFor();
    await phone.locator('#message:not([hidden])').waitFor();
    await phone.reload();
    await phone.locator('#message:not([hidden])').waitFor();
    expect(
      await phone
        .locator('video')
        .evaluateAll((all) => all.filter((video) => !(video as HTMLVideoElement).paused).length),
    ).toBe(0);
  });

  test('whose link has ended says so', async () => {
    const { videoWalls } = await gateway.call('camera/getVideoWalls');
    const { sharedLiveVideoStreamUrl: link, sharedLiveVideoStreamUuid: uuid } = await gateway.call(
      'camera/createSharedVideoWall',
      { videoWallUuid: videoWalls[0].uuid, expirationTimeSecs: 600 },
    );
    const phone = await openOnPhone(link);
    await phone.locator('.tile[data-state="live"]').first().waitFor();
    await gateway.call('camera/updateSharedVideoWall', {
      uuid,
      expirationTimeSecs: Math.floor(Date.now() / 1_000) + 2,
      expirationTimeSecsUpdated: true,
    });
    await phone.locator('#message:not([hidden])').waitFor();
    await phone.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await visit(`walls/${videoWalls[0].uuid}`);
    await page.getByText('Has ended').waitFor();
  });
});

describe('a clip', () => {
  const row = (title: string) => page.locator('.clip-list > li').filter({ hasText: title });

  async function cut(title: string): Promise<void> {
    await visit(`timeline?camera=${dock}&at=${recordedMs + 6_000}&span=60000`);
    await page.getByRole('slider', { name: 'Play head' }).waitFor();
    await button('Cut a clip').click();
    const form = page.getByRole('form', { name: 'New clip' });
    const [from, to] = [recordedMs + 1_000, recordedMs + 7_000].map(zoneTime);
    await form.getByLabel('From').fill(from!);
    await form.getByLabel('To', { exact: true }).fill(to!);
    await form.getByText(/^[567] s/).waitFor();
    await form.getByLabel('Title').fill(title);
    await form.getByRole('button', { name: 'Save' }).click();
    await button('Done').click();
    await row(title).waitFor();
  }

  test('is shared as soon as it is ordered, with a password and an end, and plays on a phone', async () => {
    await cut('Delivery <b>');
    await button('Share Delivery <b>').click();
    await dialog().getByLabel('At a time').check();
    await dialog().getByLabel('Ends at').fill('2020-01-01T10:00');
    await button('Create link').click();
    await dialog().getByText('Choose a time in the future.').waitFor();
    await dialog().getByLabel('In 1 hour').check();
    await button('Generate').click();
    const password = await dialog().getByLabel('Password').inputValue();
    await inspect('share a clip');
    await button('Create link').click();
    const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
    expect(await dialog().locator('.once code').textContent()).toBe(password);
    await inspect('a shared clip');
    await button('Done').click();

    const phone = await openOnPhone(link);
    expect(await phone.locator('body').textContent()).not.toContain('Delivery');
    await enter(phone, password);
    await phone.getByRole('heading', { name: 'Delivery <b>', level: 1 }).waitFor();
    await expectPlaying(phone);
    expect(await sideways(phone)).toBe(0);
    await expectAccessible(phone, 'a clip on a phone');
    expect(await phone.context().cookies(gateway.apiUrl)).toEqual([]);

    // Shares list it with its end, and end it: what plays is gone.
    await visit('shares');
    await page.getByRole('button', { name: 'Delivery <b>', exact: true }).click();
    await dialog().getByRole('button', { name: 'End share' }).click();
    await dialog().getByRole('button', { name: 'End share' }).click();
    await page.getByRole('button', { name: 'Delivery <b>', exact: true }).waitFor({ state: 'detached' });
    await phone.reload();
    await phone.locator('#message:not([hidden])').waitFor();
    expect(await phone.locator('body').textContent()).not.toContain('Delivery');
  });

  test('is shared from the list later, without a password and an end', async () => {
    await cut('For the insurance');
    await row('For the insurance').getByText('Ready').waitFor();
    await page.reload();
    await button('Share For the insurance').click();
    await dialog().getByLabel('Never').check();
    await dialog().getByText('Without a password, everyone who has the link can watch.').waitFor();
    await button('Create link').click();
    const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
    expect(await dialog().getByLabel('Password, which is not shown again').count()).toBe(0);
    await button('Done').click();
    const phone = await openOnPhone(link);
    await phone.getByRole('heading', { name: 'For the insurance', level: 1 }).waitFor();
    await expectPlaying(phone);
  });

  test('is deleted after a question, in two presses', async () => {
    await visit(`timeline?camera=${dock}&at=${recordedMs + 6_000}&span=60000`);
    await row('Delivery <b>').waitFor();
    const clicks = await countClicks(page);
    await button('Delete Delivery <b>').click();
    await dialog().getByText('are deleted for good').waitFor();
    await inspect('delete a clip');
    await button('Delete clip').click();
    await row('Delivery <b>').waitFor({ state: 'detached' });
    expect(clicks.since()).toBe(2);
    const { savedClips } = await gateway.call('event/getSavedClips');
    expect((savedClips as Json[]).map(({ title }) => title)).not.toContain('Delivery <b>');
  });

  test('is no one’s to cut or share who only watches', async () => {
    await page.close();
    record = await openConsolePage(browser, gateway, 'viewer');
    ({ page } = record);
    await page.setViewportSize(DESKTOP);
    await visit(`timeline?camera=${dock}&at=${recordedMs + 6_000}&span=60000`);
    await row('For the insurance').getByText('Ready').waitFor();
    expect(await button('Share For the insurance').count()).toBe(0);
    expect(await button('Cut a clip').count()).toBe(0);
    const { savedClips } = await gateway.call('event/getSavedClipsV2', { maxPageSize: 10 });
    const response = await page.request.post(`${gateway.apiUrl}/api/event/createSharedClipGroupV3`, {
      headers: { origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
      data: { uuids: [{ eventUuid: savedClips[0].uuid }], title: 'Forged' },
    });
    expect(response.status()).toBe(403);
  });
});
