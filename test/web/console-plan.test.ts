/** The floor plan of a site in Chromium against a whole gateway: an image, three cameras on it, and what they see. */

import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;
const HOSTILE = '<img src=x onerror=alert(1)>';
const WALLS = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#fff"/>
  <path d="M60 60h1480v780H60zM600 60v300M600 500v340M600 360h400M1150 360h390M1150 60v300" fill="none" stroke="#333" stroke-width="14"/></svg>`;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let png: Buffer;
let site: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    locations: [
      { name: 'Harbor', tz: 'America/New_York' },
      { name: 'Airport', tz: 'America/New_York' },
    ],
    cameras: [
      { name: 'Gate', location: 'Harbor', rtsp: camera.url },
      { name: 'Hall', location: 'Harbor', rtsp: 'rtsp://127.0.0.1:9/hall' },
      { name: HOSTILE, location: 'Harbor', rtsp: 'rtsp://127.0.0.1:9/hostile' },
      { name: 'Runway', location: 'Airport', rtsp: 'rtsp://127.0.0.1:9/runway' },
    ],
  });
  png = await sharp(Buffer.from(WALLS)).png().toBuffer();
  const { locations } = await gateway.call('location/getLocationsV2');
  site = (locations as Json[]).find(({ name }) => name === 'Harbor')!.uuid as string;
  // The gateway has tried it, so it is known to be offline.
  const cameraUuid = await gateway.cameraUuid('Hall');
  await gateway.call('camera/getSnapshot', { cameraUuid }).catch(() => null);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function openAs(role: PersonRole, size = DESKTOP): Promise<Page> {
  const record = await visitConsole(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(size);
  await openConsole(record.page, gateway, `sites/${site}`);
  return record.page;
}

const placed = async (): Promise<Json[]> =>
  (await gateway.call('location/getFloorPlan', { locationUuid: site })).cameras as Json[];
const placeOf = async (name: string) => {
  const uuid = await gateway.cameraUuid(name);
  return (await placed()).find(({ cameraUuid }) => cameraUuid === uuid);
};
const mark = (page: Page, name: string) =>
  page.locator('.plan-camera').and(page.getByLabel(name, { exact: false }));

async function dragTo(page: Page, name: string, x: number, y: number): Promise<void> {
  const from = (await mark(page, name).boundingBox())!;
  const sheet = (await page.locator('.plan-sheet').boundingBox())!;
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(sheet.x + sheet.width * x, sheet.y + sheet.height * y, { steps: 5 });
  await page.mouse.up();
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
}

test('an installer adds a plan and places three cameras on it', async () => {
  const page = await openAs('admin');
  await page.getByText('There is no floor plan yet').waitFor();
  await inspect(page, 'no plan');
  const clicks = await countClicks(page);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add a plan: PNG, JPEG, or WebP' }).click();
  await (await choosing).setFiles({ name: 'plan.png', mimeType: 'image/png', buffer: png });
  await page.locator('.plan-sheet img').waitFor();
  for (const [name, x, y] of [
    ['Gate', 0.1, 0.2],
    ['Hall', 0.7, 0.3],
    [HOSTILE, 0.4, 0.8],
  ] as const) {
    await page.getByRole('button', { name: `Place ${name}` }).click();
    await dragTo(page, name, x, y);
  }
  // The image, and two for each camera.
  expect(clicks.since()).toBeLessThanOrEqual(7);
  await until('three places', async () => ((await placeOf(HOSTILE))?.y as number) > 0.7);
  expect((await placeOf('Gate'))!.x).toBeCloseTo(0.1, 1);
  expect((await placeOf('Hall'))!.x).toBeCloseTo(0.7, 1);
  await page.getByText('All cameras of this site are on the plan.').waitFor();
  await inspect(page, 'arranging');
  await page.getByRole('button', { name: 'Done' }).click();
  await inspect(page, 'plan');
});

test('keys move, turn, and remove a camera, and undo brings it back', async () => {
  const page = await openAs('operator');
  await page.getByRole('button', { name: 'Arrange cameras' }).click();
  const before = (await placeOf('Hall'))!;
  await mark(page, 'Hall').focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('.');
  await until('a turn', async () => (await placeOf('Hall'))!.directionDeg === 15);
  expect((await placeOf('Hall'))!.x).toBeCloseTo((before.x as number) + 0.05, 3);
  await page.getByRole('slider', { name: 'Sees as wide as' }).fill('200');
  await until('a wide view', async () => (await placeOf('Hall'))!.angleDeg === 200);
  await mark(page, 'Hall').focus();
  await page.keyboard.press('Delete');
  await until('no place', async () => (await placeOf('Hall')) === undefined);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('its place', async () => (await placeOf('Hall'))?.angleDeg === 200);
  await mark(page, 'Hall').waitFor();
});

test('what someone else moves shows, and the own camera stays', async () => {
  const page = await openAs('viewer');
  expect(await page.getByRole('button', { name: 'Arrange cameras' }).count()).toBe(0);
  const cameraUuid = await gateway.cameraUuid('Gate');
  const place = { x: 0.9, y: 0.9, directionDeg: 0, angleDeg: 80, reach: 0.1 };
  await gateway.call('location/placeCameraOnPlan', { locationUuid: site, cameraUuid, ...place });
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('.plan-camera[aria-label^="Gate"]')?.style.left === '90%',
  );
  expect((await placeOf('Hall'))!.x).not.toBe(0.9);
});

test('states have shapes and words, and a press opens the camera', async () => {
  const page = await openAs('viewer', PHONE);
  await page.getByRole('link', { name: 'Hall, Offline' }).waitFor();
  const shape = (name: string) =>
    page.locator(`.plan-camera[aria-label^="${name}"] .plan-mark`).evaluate((part) => {
      const { borderRadius, transform } = getComputedStyle(part);
      return `${borderRadius} ${transform}`;
    });
  expect(await shape('Hall')).not.toBe(await shape('Gate'));
  await page.getByRole('button', { name: 'Zoom in' }).click();
  expect(await page.locator('.plan-box').evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
  await page.getByRole('link', { name: /^Gate, / }).click();
  await page.getByRole('heading', { name: 'Gate', level: 1 }).waitFor();
});

test('no picture of another origin is requested', async () => {
  const page = await openAs('viewer');
  await page.locator('.plan-sheet img').waitFor();
  const origins = [...records.at(-1)!.origins].filter((origin) => origin !== gateway.apiUrl);
  expect(origins.filter((origin) => origin.startsWith('http') && origin !== gateway.mediaUrl)).toEqual([]);
});
