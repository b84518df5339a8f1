/** A watched wall never lets a camera look live that is not: what is offline, is connecting, or is hidden looks like it. */

import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { openConsolePage } from './console-page.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NAMES = ['Dock', 'Gate', 'Yard', 'Lobby'];
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let dock: SyntheticCamera;
let others: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let wallUuid: string;

beforeAll(async () => {
  dock = await startCamera();
  others = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: NAMES.map((name, i) => ({ name, rtsp: (i === 0 ? dock : others).url })),
  });
  const uuids = await Promise.all(NAMES.map((name) => gateway.cameraUuid(name)));
  const { uuid, error, errorMsg } = await gateway.call('camera/createVideoWall', {
    videoWall: { displayName: 'Harbor', deviceList: uuids },
  });
  expect(error, errorMsg).toBe(false);
  wallUuid = uuid;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await dock?.close();
  await others?.close();
});
afterEach(async () => {
  await page?.close();
});

const frame = (): FrameLocator => page.frameLocator('iframe.watch-frame');
const tile = (name: string) =>
  frame().locator('.tile:not([hidden])', { has: page.locator(`.tile-name:text-is("${name}")`) });
const stateOf = (name: string) => tile(name).getAttribute('data-state');
const screenshot = async (name: string) => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/wall-${name}.png` });
};

const partOf = (name: string, part: string) => tile(name).locator(`[data-part="${part}"]`).textContent();
const filterOf = (name: string, selector: string) =>
  tile(name)
    .locator(selector)
    .evaluate((element) => getComputedStyle(element).filter);

async function openWall(size = DESKTOP): Promise<void> {
  ({ page } = await openConsolePage(browser, gateway, 'operator'));
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/walls/${wallUuid}/watch`);
}

async function untilLive(names: readonly string[]): Promise<void> {
  for (const name of names) await until(`${name} live`, async () => (await stateOf(name)) === 'live');
}

/** Names of cameras that the bar covers. */
async function coveredNames(): Promise<string[]> {
  const bar = (await page.locator('.watch-bar').boundingBox())!;
  const covered: string[] = [];
  for (const name of NAMES) {
    const { y } = (await tile(name).locator('.tile-name').boundingBox())!;
    if (y < bar.y + bar.height) covered.push(name);
  }
  return covered;
}

const barOpacity = () => page.locator('.watch-bar').evaluate((bar) => getComputedStyle(bar).opacity);

test('a tile that connects shows neither a picture nor a time', async () => {
  ({ page } = await openConsolePage(browser, gateway, 'operator'));
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.routeWebSocket(/\/live\//, async (socket) => {
    await held;
    socket.connectToServer();
  });
  await page.setViewportSize(DESKTOP);
  await page.goto(`${gateway.apiUrl}/console/walls/${wallUuid}/watch`);
  for (const name of NAMES) {
    await until('its words', async () => (await partOf(name, 'title')) === 'Connecting…');
    expect([await stateOf(name), await partOf(name, 'time')]).toEqual(['loading', '']);
    expect(await filterOf(name, 'video[data-layer="front"]')).toContain('brightness');
  }
  await screenshot('connecting');
  answer();
  await untilLive(NAMES);
  for (const name of NAMES) {
    expect(await partOf(name, 'time')).toMatch(/^\d{2}:\d{2}:\d{2}$/);
    expect(await filterOf(name, 'video[data-layer="front"]')).toBe('none');
  }
});

test('the bar covers no name, and on the whole screen it is gone until someone wants it', async () => {
  await openWall();
  await untilLive(NAMES);
  expect(await coveredNames()).toEqual([]);
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'Dock', level: 1 }).waitFor();
  const bar = (await page.locator('.watch-bar').boundingBox())!;
  expect((await tile('Dock').boundingBox())!.y).toBeGreaterThanOrEqual(bar.y + bar.height);
  await page.keyboard.press('Escape');
  await page.locator('.watch.idle').waitFor();
  expect(await barOpacity()).toBe('1');
  // A click leaves the focus on its button: the bar goes all the same.
  await page.getByRole('button', { name: 'Full screen' }).click();
  await page.locator('.watch.full.idle').waitFor();
  await until('the pictures alone', async () => (await barOpacity()) === '0');
  await screenshot('full');
  await page.mouse.move(500, 500);
  await until('the bar', async () => (await barOpacity()) === '1');
  await page.locator('.watch.full.idle').waitFor();
  await until('the pictures alone', async () => (await barOpacity()) === '0');
  await page.keyboard.press('Shift+Tab');
  await page.locator('.watch.full.idle').waitFor();
  expect(await page.evaluate(() => document.activeElement?.closest('.watch-bar') !== null)).toBe(true);
  await until('the bar of the focus', async () => (await barOpacity()) === '1');
});

test('the bar covers no name on a phone', async () => {
  await openWall(PHONE);
  await untilLive(NAMES);
  expect(await coveredNames()).toEqual([]);
  await screenshot('phone');
});

test('an offline camera is dimmed, and says since when; others have their clocks', async () => {
  await openWall();
  await untilLive(NAMES);
  await dock.close();
  const title = () => partOf('Dock', 'title');
  await until('its words', async () => /^Offline since \d{1,2}:\d{2}$/.test((await title()) ?? ''));
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  const { connectionDetail } = cameraStates.find((camera: Json) => camera.name === 'Dock');
  const since = await page.evaluate(
    (epochMs) => new Date(epochMs).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
    connectionDetail.offlineSinceMs,
  );
  expect(((await title()) ?? '').replace(/^Offline since (?=\d:)/, '0')).toContain(since);
  expect(await filterOf('Dock', '.tile-still')).toContain('brightness');
  expect(await partOf('Dock', 'badge')).toBe('Offline');
  expect(await partOf('Dock', 'text')).toMatch(/^Last picture \d{2}:\d{2}:\d{2}$/);
  expect(await partOf('Dock', 'time')).toBe('');
  expect(await partOf('Dock', 'delay')).not.toBe('');
  const label = await page.locator('.watch-tile').first().getAttribute('aria-label');
  expect(label).toBe(`Dock. ${await title()}. Bring forward`);
  for (const name of NAMES.slice(1)) expect(await partOf(name, 'time')).toMatch(/^\d{2}:\d{2}:\d{2}$/);
  await screenshot('offline');
  await page.setViewportSize(PHONE);
  await screenshot('offline-phone');
  // A page that never had its picture says it, too.
  await page.reload();
  await until('its words', async () => /^Offline since /.test((await title()) ?? ''));
  expect([await partOf('Dock', 'text'), await partOf('Dock', 'time')]).toEqual(['', '']);
  dock = await startCamera(Number(new URL(dock.url).port));
  await untilLive(['Dock']);
});
