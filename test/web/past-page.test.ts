/** The page of a share that shows its past, in Chromium, against a whole gateway: the timeline, dragging, speeds, back to live. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import type { PastWindow } from '../../web/open.ts';
import { clipFile } from '../support/clip-files.ts';
import { API_KEY, TestGateway, type TestShare } from '../support/gateway.ts';
import { recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';
import { frameOnScreen, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { cutOffParts, visibleControls, waitForMotion } from './page-probes.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const DAY_MS = 86_400_000;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
/** When each life of the camera began, epoch milliseconds. */
const lives: number[] = [];
let page: Page;

async function startLife(port = 0): Promise<void> {
  camera = await startCamera(port);
  lives.push(Date.now());
}

/** A share shows nothing from before it existed: this one is a week old. */
async function ageShare(): Promise<void> {
  await gateway.end();
  const database = new DatabaseSync(join(gateway.folder, 'data', 'sluice.db'));
  database.prepare('update shares set created_at_ms = created_at_ms - ?').run(7 * DAY_MS);
  database.close();
  await gateway.run();
}

async function handOver(clipId: string, startMs: number, seconds: number): Promise<void> {
  const { status, body } = await tusUpload({
    endpoint: `${gateway.mediaUrl}/upload/clips`,
    key: API_KEY,
    file: clipFile({ seconds }),
    metadata: {
      clipId,
      cameraUuid: share.cameraUuid,
      timestampMs: String(startMs),
      title: clipId,
      filetype: 'video/mp4',
    },
  });
  expect(status, body).toBe(0);
}

beforeAll(async () => {
  await startLife();
  gateway = await TestGateway.start({
    // A gap that can be seen.
    sources: { backoffMin: '3s', backoffMax: '3s' },
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
  share = await gateway.share('Dock', { vodEnabled: true, name: 'Loading dock' });
  await ageShare();
  await recordMore(gateway, 8);
  const { port } = camera;
  await camera.close();
  await startLife(port);
  await recordMore(gateway, 18);
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const opened = useGatewayPage(() => gateway);
beforeEach(() => {
  ({ page } = opened());
});

async function openPast(span = '600'): Promise<void> {
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await page.selectOption('#span', span);
  await page.waitForFunction(() => document.querySelectorAll('#timeline-windows span').length > 0);
}

/** Where an instant is on the timeline, in pixels of the page. */
async function pointOf(epochMs: number): Promise<{ x: number; y: number }> {
  const box = (await page.locator('#timeline').boundingBox())!;
  const spanMs = Number(await page.inputValue('#span')) * 1_000;
  return { x: box.x + box.width * (1 - (Date.now() - epochMs) / spanMs), y: box.y + box.height / 2 };
}

/** By how many frames the newest frame on the screen is later than the time under the video says. */
async function lateOf(pictureMs: number, number: number): Promise<number> {
  const lifeMs = lives.findLast((atMs) => atMs <= pictureMs)!;
  const apart = (Math.round((pictureMs - lifeMs) / FRAME_MS) - number + CLIP_FRAMES) % CLIP_FRAMES;
  return apart > CLIP_FRAMES / 2 ? apart - CLIP_FRAMES : apart;
}

const valueNow = async () => Number(await page.getAttribute('#timeline', 'aria-valuenow')) * 1_000;
const isPast = () => page.waitForSelector('#speed:not([hidden])');
const screenshot = async (name: string) => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
};

describe.each([
  ['phone', 390, 844],
  ['desktop', 1280, 800],
])('on a %s', (device, width, height) => {
  beforeEach(() => page.setViewportSize({ width, height }));

  test('shows the frames of the times that the viewer drags over, plays from there, faster, and back to live', async () => {
    await openPast();
    await screenshot(`${device}-live`);
    const targetMs = lives[1]! + 6_000;
    const from = await pointOf(Date.now());
    const to = await pointOf(targetMs);
    await page.mouse.move(from.x - 1, from.y);
    await page.mouse.down();
    for (let step = 1; step <= 10; step++) {
      await page.mouse.move(from.x + ((to.x - from.x) * step) / 10, from.y);
    }
    await isPast();
    // A frame of that time, before the button is released.
    const preview = await until('the preview', async () => {
      const number = (await frameOnScreen(page))?.number ?? null;
      const late = number === null ? null : await lateOf(await valueNow(), number);
      return late !== null && Math.abs(late) <= FRAMES_PER_SEC ? number : null;
    });
    await screenshot(`${device}-dragging`);
    expect(await page.evaluate(() => document.querySelector('video')!.paused)).toBe(true);
    await page.mouse.up();
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="behind"]');
    await screenshot(`${device}-past`);
    const shown = await until('a frame', async () => (await frameOnScreen(page))?.number);
    expect(shown).toBeGreaterThanOrEqual(preview - 2 * FRAMES_PER_SEC);
    await page.selectOption('#speed', '4');
    expect(await page.evaluate(() => document.querySelector('video')!.playbackRate)).toBe(4);
    expect(await cutOffParts(page)).toEqual([]);
    for (const { name, width: wide, height: high } of await visibleControls(page)) {
      expect(name).not.toBe('');
      expect(Math.min(wide, high), name).toBeGreaterThanOrEqual(44);
    }
    await page.click('#live');
    await page.waitForSelector('#live[data-state="live"]');
    expect(await page.isHidden('#speed')).toBe(true);
    expect(await page.evaluate(() => document.querySelector('video')!.playbackRate)).toBeLessThan(2);
  });
});

test('a click into a gap plays where the recording goes on, and keys step through the past', async () => {
  await openPast();
  const windows = await page.$$eval('#timeline-windows span', (bars) =>
    bars.map((bar) => [Number.parseFloat(bar.style.left), Number.parseFloat(bar.style.width)]),
  );
  expect(windows.length).toBeGreaterThanOrEqual(2);
  const { x, y } = await pointOf(lives[1]! - 200);
  await page.mouse.click(x, y);
  await isPast();
  await waitForMotion(page);
  expect(await valueNow()).toBeGreaterThanOrEqual(lives[1]! - 2_000);
  await page.focus('#timeline');
  await page.keyboard.press('ArrowLeft');
  await until('an earlier time', async () => (await valueNow()) < lives[1]!);
  await page.keyboard.press('k');
  await page.waitForSelector('#live[data-state="paused"]');
  const pausedMs = await valueNow();
  await page.keyboard.press('k');
  await waitForMotion(page);
  // A pause in the past goes on where it was, perhaps over the gap by now.
  const resumedMs = await valueNow();
  expect(resumedMs).toBeGreaterThanOrEqual(pausedMs);
  expect(resumedMs).toBeLessThan(Date.now() - 10_000);
  await page.keyboard.press('End');
  await page.waitForSelector('#live[data-state="live"]');
});

test('a share that does not show its past has no timeline, and one that is revoked leaves nothing of it', async () => {
  const without = await gateway.share('Dock', { vodEnabled: false });
  await page.goto(without.pageUrl);
  await waitForMotion(page);
  expect(await page.isHidden('#past')).toBe(true);
  const revoked = await gateway.share('Dock', { vodEnabled: true });
  await page.goto(revoked.pageUrl);
  await waitForMotion(page);
  await page.selectOption('#span', '600');
  await page.waitForFunction(() => document.querySelectorAll('#timeline-windows span').length > 0);
  const { x, y } = await pointOf(Date.now() - 15_000);
  await page.mouse.click(x, y);
  await isPast();
  await waitForMotion(page);
  await gateway.revoke(revoked);
  await page.waitForSelector('#message:not([hidden])');
  expect(await page.textContent('#message-title')).toBe('This link has been turned off');
  expect(await page.isHidden('#past')).toBe(true);
});

/** The folder of the past for a new viewer of the share. */
async function pastFolder(): Promise<string> {
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { pastUrl } = (await opened.json()) as { pastUrl: string };
  return new URL(`${pastUrl}/`, gateway.mediaUrl).href;
}

test('a clip that a recorder hands over fills a gap: on the timeline, for the player, for ffprobe', async () => {
  const folder = await pastFolder();
  const range = `${Math.floor(lives[0]! / 1_000) - 1}/${Math.ceil((Date.now() - lives[0]!) / 1_000)}`;
  const readWindows = async () =>
    ((await (await fetch(`${folder}${range}/windows.json`)).json()) as { windows: PastWindow[] }).windows;
  const gapMs = ([before, after]: readonly PastWindow[]) => after!.fromMs - before!.toMs;
  const borderIndex = (windows: readonly PastWindow[]) =>
    windows.findLastIndex(({ fromMs }) => fromMs <= lives[1]! - 1_000);
  const windows = await readWindows();
  const own = windows.slice(borderIndex(windows), borderIndex(windows) + 2);
  const seconds = Math.floor(gapMs(own) / 1_000);
  expect(seconds).toBeGreaterThanOrEqual(2);
  const clipStartMs = Math.ceil(own[0]!.toMs) + 20;
  await handOver('gap', clipStartMs, seconds);
  // What is left of the gap is shorter than a second: no gap to anyone who looks at the timeline.
  await until('no gap', async () => (await readWindows()).length === windows.length - 1);
  await openPast();
  const barAt = (epochMs: number) =>
    page.evaluate(
      (share) =>
        [...document.querySelectorAll<HTMLElement>('#timeline-windows span')].some(
          ({ style: { left, width } }) =>
            Number.parseFloat(left) < share && Number.parseFloat(left) + Number.parseFloat(width) > share,
        ),
      100 * (1 - (Date.now() - epochMs) / 600_000),
    );
  await until('the clip on the timeline', () => barAt(clipStartMs + (seconds * 1_000) / 2));
  const { x, y } = await pointOf(own[0]!.toMs - 1_500);
  await page.mouse.click(x, y);
  await isPast();
  await waitForMotion(page);
  await takeShownFrames(page);
  await until('the video after the clip', async () => (await valueNow()) > own[1]!.fromMs + 1_000);
  const frames = await takeShownFrames(page);
  // The clip has no numbers.
  expect(frames.some(({ number }) => number === null)).toBe(true);
  expect(frames.at(-1)!.number).not.toBeNull();
  const startSec = Math.ceil((own[0]!.toMs - 2_000) / 1_000);
  const durationSec = seconds + 4;
  const probed = Number(
    execFileSync(
      'ffprobe',
      [
        ...'-v error -show_entries format=duration -of csv=p=0'.split(' '),
        `${folder}${startSec}/${durationSec}/clip.mp4`,
      ],
      { encoding: 'utf8' },
    ),
  );
  // A movie leaves out what no one recorded.
  const leftOutSec = gapMs(own) / 1_000 - seconds;
  expect(Math.abs(probed - (durationSec - leftOutSec))).toBeLessThan(0.1);
});

describe('another day', () => {
  // Around noon, as far as can be from another day.
  const yesterdayMs = Date.parse(`${berlinMinute(Date.now() - DAY_MS).slice(0, 10)}T11:00:00Z`);
  beforeAll(() => handOver('yesterday', yesterdayMs, 20));

  /** It plays from there on, and the next thing that was recorded is of today. */
  async function expectYesterday(): Promise<void> {
    const playedMs = (await valueNow()) - yesterdayMs;
    expect(playedMs >= -5_000 && playedMs < DAY_MS / 2).toBe(true);
  }

  test('is found by its list and by its time, with the keyboard alone', async () => {
    await openPast('3600');
    await page.focus('#day');
    await page.keyboard.press('Enter');
    const dialog = page.locator('#days');
    await dialog.locator('.day').nth(1).waitFor();
    expect(await dialog.locator('.day-name').allTextContents()).toEqual(['Today', 'Yesterday']);
    expect(await page.textContent('#go-zone')).toMatch(
      /^Times are in Central European (?:Standard|Summer) Time/,
    );
    await screenshot('days');
    // Keys of the page do nothing here.
    await page.keyboard.press('k');
    expect(await page.evaluate(() => document.querySelector('video')!.paused)).toBe(false);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#days')).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('day');
    await page.keyboard.press('Enter');
    await dialog.locator('.day').nth(1).focus();
    await page.keyboard.press('Enter');
    await isPast();
    await waitForMotion(page);
    expect(await page.inputValue('#span')).toBe('86400');
    expect(await page.textContent('#day-text')).toBe('Yesterday');
    await expectYesterday();
    await until('how far behind it is', async () =>
      /^(?:1 d \d+ h|\d+ h \d+ min) behind$/.test((await page.textContent('#live-text'))!),
    );
    // By paging to the present and back; the video stays where it is.
    await page.focus('#later');
    await page.keyboard.press('Enter');
    await until('today', async () => (await page.textContent('#day-text')) === 'Today');
    await expectYesterday();
    await page.focus('#day');
    await page.keyboard.press('Enter');
    await page.fill('#go-time', berlinMinute(yesterdayMs));
    await page.keyboard.press('Enter');
    await until('that minute', async () => {
      const nowMs = await valueNow();
      return nowMs >= yesterdayMs && nowMs < yesterdayMs + 8_000;
    });
    expect(await page.textContent('#day-text')).toBe('Yesterday');
    expect(await page.getAttribute('#timeline', 'aria-valuetext')).toMatch(/, Yesterday$/);
  });

  test('a pause while it loads is kept, and playing goes on there', async () => {
    await openPast('3600');
    const { promise: isHeld, resolve: onHeld } = Promise.withResolvers<void>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/vod\/\d+\/3600\/(?:h264\/)?file\.m3u8/, async (route) => {
      onHeld();
      await isReleased;
      await route.continue();
    });
    await page.click('#day');
    await page.locator('#days .day').nth(1).click();
    await isHeld;
    expect(await page.getAttribute('#play', 'aria-label')).toBe('Pause');
    await page.keyboard.press('k');
    await page.waitForSelector('#play[data-state="paused"]');
    release();
    await page.waitForFunction(
      () => document.querySelector('video')!.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA,
    );
    await page.waitForSelector('#live[data-state="paused"]');
    expect(await page.evaluate(() => document.querySelector('video')!.paused)).toBe(true);
    await page.keyboard.press('k');
    await waitForMotion(page);
    await expectYesterday();
  });

  test('is reached by touch at 320 pixels, where a finger drags to the frame', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [at] });
    const tap = async (selector: string): Promise<void> => {
      const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
      await touch('touchStart', { x: x + width / 2, y: y + height / 2 });
      await touch('touchEnd');
    };
    await openPast('600');
    const from = await pointOf(lives[1]! + 9_000);
    const to = await pointOf(lives[1]! + 4_000);
    await touch('touchStart', from);
    for (let step = 1; step <= 5; step++) {
      await touch('touchMove', { x: from.x + ((to.x - from.x) * step) / 5, y: from.y });
    }
    await isPast();
    expect(await page.evaluate(() => document.querySelector('video')!.paused)).toBe(true);
    // Lifted while the last seek is on its way.
    await Promise.all([touch('touchMove', { x: to.x - 2, y: from.y }), touch('touchEnd')]);
    await waitForMotion(page);
    expect(await cutOffParts(page)).toEqual([]);
    for (const { name, width, height } of await visibleControls(page)) {
      expect(name).not.toBe('');
      expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44);
    }
    await tap('#day');
    await page.locator('.day').nth(1).waitFor();
    for (const { name, width, height } of await visibleControls(page)) {
      expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44);
    }
    const wide = await page.evaluate(() => document.querySelector('#days')!.getBoundingClientRect().width);
    expect(wide).toBeLessThanOrEqual(320);
    await tap('.day >> nth=1');
    await until('yesterday', async () => Math.abs((await valueNow()) - yesterdayMs) < 60_000);
    await tap('#live');
    await page.waitForSelector('#live[data-state="live"]');
    expect(await page.textContent('#day-text')).toBe('Today');
  });
});

/** As the browser's field has it, in the time zone of the test's browser. */
function berlinMinute(epochMs: number): string {
  const text = new Date(epochMs).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
  return text.slice(0, 16).replace(' ', 'T');
}
