/** Walls as people watch them in the console: built in few presses, page by page, with the cameras that they may see, and with alerts. */

import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const MAX_PRESSES = 6;
const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const NAMES = Array.from({ length: 11 }, (_, i) => `Camera ${String(i + 1).padStart(2, '0')}`);
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
const uuids: string[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    locations: [{ name: 'Harbor', tz: 'UTC' }],
    cameras: NAMES.map((name, i) => ({
      name,
      rtsp: camera.url,
      ...(i < 2 ? { location: 'Harbor' } : {}),
    })),
  });
  for (const name of NAMES) uuids.push(await gateway.cameraUuid(name));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  await page?.close();
});

async function open(role: PersonRole, viewport: typeof DESK, path = ''): Promise<void> {
  ({ page } = await openConsolePage(browser, gateway, role));
  await page.setViewportSize(viewport);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
}

const screenshot = async (name: string) => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/wall-${name}.png` });
};
const frame = (): FrameLocator => page.frameLocator('iframe.watch-frame');
const tile = (name: string) =>
  frame().locator('.tile:not([hidden])', { has: page.locator(`.tile-name:text-is("${name}")`) });
const over = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}\\. `) });

async function untilLive(names: readonly string[]): Promise<void> {
  for (const name of names) {
    await until(`${name} live`, async () => (await tile(name).getAttribute('data-state')) === 'live');
  }
}

async function createWall(fields: object): Promise<string> {
  const { uuid, error, errorMsg } = await gateway.call('camera/createVideoWall', { videoWall: fields });
  expect(error, errorMsg).toBe(false);
  return uuid;
}

async function reportAlert(deviceUuid: string, textDescription: string): Promise<string> {
  const uuid = newRuuid();
  const row = { uuid, deviceUuid, timestampMs: Date.now(), durationSec: 1, textDescription };
  await gateway.call('ingest/policyAlerts', { rows: [{ ...row, policyAlertTriggers: ['MOTION_HUMAN'] }] });
  return uuid;
}

describe.each([
  ['desktop', DESK],
  ['phone', PHONE],
] as const)('on a %s', (size, viewport) => {
  test('a wall of nine is built and watched in few presses', async () => {
    await open('operator', viewport);
    const clicks = await countClicks(page);
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
    await box(NAMES[0]!).click();
    if (size === 'desktop') await box(NAMES[8]!).click({ modifiers: ['Shift'] });
    else await page.getByRole('button', { name: 'Take 9 from here' }).click();
    await page.getByText('9 selected').waitFor();
    await page.getByRole('link', { name: 'Watch as a wall' }).click();
    await page.getByRole('button', { name: 'Save as a wall' }).click();
    await page.getByLabel('Name').fill(`Nine of a ${size}`);
    await page.getByRole('button', { name: 'Save wall' }).click();
    await page.getByRole('heading', { name: `Nine of a ${size}`, level: 1 }).waitFor();
    await untilLive(NAMES.slice(0, 9));
    expect(clicks.since()).toBeLessThanOrEqual(MAX_PRESSES);
    expect(new URL(page.url()).pathname).toMatch(/\/console\/walls\/[\w-]{22}\/watch$/);
    await screenshot(`nine-${size}`);
    await expectAccessible(page, `nine, ${size}`);
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  });
});

test('a person with limited rights watches the visible part, and reads how many cameras are missing', async () => {
  const uuid = await createWall({ displayName: 'Harbor and office', deviceList: uuids.slice(0, 5) });
  const { locations } = await gateway.call('location/getLocationsV2', {});
  const scope = { locationUuids: [locations[0].uuid], cameraUuids: [] };
  await open('viewer', DESK, 'walls');
  await page.getByRole('heading', { name: 'Walls', level: 1 }).waitFor();
  const { people } = await gateway.call('console/getPeople', {});
  const { personUuid } = people.find((person: Json) => person.role === 'viewer');
  const changed = await gateway.call('console/updatePerson', { personUuid, scope, scopeUpdated: true });
  expect(changed.error, changed.errorMsg).toBe(false);
  await page.goto(`${gateway.apiUrl}/console/walls/${uuid}/watch`);
  await untilLive(NAMES.slice(0, 2));
  await screenshot('limited');
  const summary = page.locator('.watch-title p');
  await until(
    'the summary',
    async () => (await summary.textContent()) === '2 cameras · 3 more that you may not see',
  );
  expect(await page.locator('.watch-tile').count()).toBe(2);
});

test('an alert brings its camera forward, with words, until someone acknowledges it', async () => {
  const uuid = await createWall({ displayName: 'Yard', deviceList: uuids.slice(0, 4) });
  await open('operator', DESK, `walls/${uuid}/watch`);
  await untilLive(NAMES.slice(0, 4));
  const place = async (name: string) => (await over(name).boundingBox())!;
  const small = (await place(NAMES[2]!)).width;
  const bar = page.getByRole('region', { name: 'Alert' });
  const first = await reportAlert(uuids[2]!, 'Person at the fence');
  await bar.getByText('Person at the fence').waitFor();
  await until('a large picture', async () => (await place(NAMES[2]!)).width > 1.4 * small);
  await page.locator('.watch-place.alarmed').waitFor();
  // All others are still there, live.
  await untilLive(NAMES.slice(0, 4));
  await screenshot('alert-desktop');
  await expectAccessible(page, 'an alert');
  await reportAlert(uuids[1]!, 'Van at the gate');
  await bar.getByText('Van at the gate').waitFor();
  await bar.getByText('1 of 2 alerts').waitFor();
  // Of a camera that is not on this wall.
  await reportAlert(uuids[9]!, 'Elsewhere');
  await page.keyboard.press('n');
  await bar.getByText('Person at the fence').waitFor();
  await page.keyboard.press('a');
  await bar.getByText('Van at the gate').waitFor();
  const { policyAlerts } = await gateway.call('event/getPolicyAlerts', { maxResults: 10 });
  const acknowledged = () =>
    policyAlerts.find((alert: { uuid: string }) => alert.uuid === first)?.acknowledgement?.actorName;
  await until('the acknowledgment', async () => {
    const response = await gateway.call('event/getPolicyAlerts', { maxResults: 10 });
    policyAlerts.splice(0, policyAlerts.length, ...response.policyAlerts);
    return acknowledged() === 'Ada Lovelace';
  });
  // Undone, it comes forward again.
  await page.getByRole('button', { name: 'Undo' }).click();
  await bar.getByText('Person at the fence').waitFor();
  await bar.getByText('2 of 2 alerts').waitFor();
  await page.keyboard.press('a');
  await bar.getByText('Van at the gate').waitFor();
  await page.keyboard.press('u');
  await bar.getByText('Person at the fence').waitFor();
  await page.keyboard.press('a');
  await bar.getByText('Van at the gate').waitFor();
  // The list has the key as long as it acts.
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Undo the acknowledgment').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '1 alert waits' }).click();
  await bar.getByText('Van at the gate').waitFor();
  await bar.getByRole('button', { name: 'Acknowledge' }).click();
  await until('no alert', async () => (await page.locator('.watch-alert').count()) === 0);
  await until('small again', async () => (await place(NAMES[2]!)).width === small);
  expect(await page.locator('.watch-waiting').count()).toBe(0);
  await page.getByLabel('Alerts that come forward').selectOption('all');
  await reportAlert(uuids[10]!, 'At the back door');
  await bar.getByText('At the back door').waitFor();
  await untilLive([NAMES[10]!]);
});

test('keys bring a camera forward, and back; none pauses', async () => {
  const uuid = await createWall({ displayName: 'Keys', deviceList: uuids.slice(0, 3) });
  await open('viewer', DESK, `walls/${uuid}/watch`);
  await untilLive(NAMES.slice(0, 3));
  await page.keyboard.press('2');
  await page.getByRole('heading', { name: NAMES[1]!, level: 1 }).waitFor();
  await untilLive([NAMES[1]!]);
  expect(await page.locator('.watch-tile').count()).toBe(1);
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: NAMES[2]!, level: 1 }).waitFor();
  await untilLive([NAMES[2]!]);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await untilLive(NAMES.slice(0, 3));
  await page.keyboard.press('f');
  await until('full screen', () => page.evaluate(() => document.fullscreenElement !== null));
  await page.keyboard.press('f');
  await until('no full screen', () => page.evaluate(() => document.fullscreenElement === null));
  await page.locator('.watch.idle').waitFor();
  await page.mouse.move(300, 300);
  await page.locator('.watch:not(.idle)').waitFor();
});

test('a tour shows one page after the other, and stops when someone touches the wall', async () => {
  const layout = { kind: 'TWO_BY_TWO', tourSec: 5 };
  const uuid = await createWall({ displayName: 'Tour', deviceList: uuids.slice(0, 8), layout });
  await open('viewer', DESK, `walls/${uuid}/watch`);
  await untilLive(NAMES.slice(0, 4));
  await untilLive(NAMES.slice(4, 8));
  // Nothing plays that no one sees.
  await until('four tiles', async () => (await frame().locator('.tile:not([hidden])').count()) === 4);
  const playing = () =>
    frame()
      .locator('video')
      .evaluateAll(
        (videos) => videos.filter((video) => (video as HTMLVideoElement).srcObject !== null).length,
      );
  await until('four players', async () => (await playing()) === 4);
  await untilLive(NAMES.slice(0, 4));
  await over(NAMES[1]!).click();
  await page.getByRole('button', { name: 'Start the tour' }).waitFor();
  await page.keyboard.press('0');
  await page.keyboard.press('PageDown');
  await page.getByText('2 of 2').waitFor();
  await untilLive(NAMES.slice(4, 8));
  await page.keyboard.press('t');
  await untilLive(NAMES.slice(0, 4));
});

test('a free layout is drawn by mouse and keys, and watched as it was drawn', async () => {
  const deviceList = uuids.slice(0, 3);
  const uuid = await createWall({ displayName: 'Free', deviceList });
  await open('operator', DESK, `walls/${uuid}`);
  await page.getByLabel('Layout').selectOption({ label: 'Free: you place them' });
  const cell = (name: string) => page.locator('.layout-cell', { hasText: name });
  const grid = (await page.locator('.layout-grid').boundingBox())!;
  // The first one to the left half, as a column.
  const corner = (await cell(NAMES[0]!).locator('.layout-size').boundingBox())!;
  await page.mouse.move(corner.x + 5, corner.y + 5);
  await page.mouse.down();
  await page.mouse.move(corner.x + 5 - grid.width / 6, corner.y + 5, { steps: 5 });
  await page.mouse.up();
  const second = page.getByRole('button', { name: `Place of ${NAMES[1]}` });
  await second.focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowRight']) await page.keyboard.press(key);
  await page.keyboard.press('ArrowLeft');
  await page.getByText(`${NAMES[1]} cannot go there: another camera is in the way.`).waitFor();
  await page.getByRole('button', { name: `Take ${NAMES[2]} off this page` }).click();
  await page.getByText('2 pages').waitFor();
  await screenshot('free-editor');
  for (const viewport of [DESK, PHONE, { width: 320, height: 640 }]) {
    await page.setViewportSize(viewport);
    await expectAccessible(page, `free layout, ${viewport.width} px`);
    expect(await tooWide(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Save wall' }).click();
  await page.getByText('Saved').waitFor();
  const { videoWalls } = await gateway.call('camera/getVideoWalls');
  const { layout } = videoWalls.find((wall: Json) => wall.uuid === uuid);
  expect(layout).toEqual({
    kind: 'FREE',
    tourSec: 0,
    cells: [
      { cameraUuid: uuids[0], x: 0, y: 0, width: 4, height: 6 },
      { cameraUuid: uuids[1], x: 4, y: 0, width: 7, height: 6 },
    ],
  });
  await page.setViewportSize(DESK);
  await page.getByRole('link', { name: 'Watch', exact: true }).click();
  await untilLive(NAMES.slice(0, 2));
  const [first, next] = [await over(NAMES[0]!).boundingBox(), await over(NAMES[1]!).boundingBox()];
  expect(first!.width / DESK.width).toBeCloseTo(4 / 12, 1);
  expect(next!.width / DESK.width).toBeCloseTo(7 / 12, 1);
  expect(first!.height / DESK.height).toBeCloseTo(1 / 2, 1);
  await page.keyboard.press('PageDown');
  await untilLive([NAMES[2]!]);
});

test('all walls are watched in turn, and fit the narrowest phone', async () => {
  for (const at of [0, 4]) {
    await createWall({ displayName: `In turn ${at}`, deviceList: uuids.slice(at, at + 2) });
  }
  await open('viewer', { width: 320, height: 640 }, 'walls');
  await page.getByRole('link', { name: 'Watch all in turn' }).click();
  await page.locator('.watch-pages').waitFor();
  await until('a live tile', async () => (await frame().locator('.tile[data-state="live"]').count()) > 0);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await screenshot('narrow');
});
