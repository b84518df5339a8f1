/** Privacy masks: drawn in the console, and seen through a link in Chromium, with hls.js and with dash.js. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import { PlayerPages } from './player-page.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** For a finger. */
const MIN_TARGET_PX = 40;
/** The new area of the editor. */
const NEW_AREA = [
  { x: 3_000, y: 3_000 },
  { x: 6_000, y: 3_000 },
  { x: 6_000, y: 6_000 },
  { x: 3_000, y: 6_000 },
];
/** The brightest component of a black pixel, with what encoding adds. */
const MAX_BLACK = 16;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
let cameraUuid: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Front desk', rtsp: camera.url }] });
  browser = await startBrowser();
  pages = await PlayerPages.start();
  cameraUuid = await gateway.cameraUuid('Front desk');
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(() => setMasks([]));

afterEach(async () => {
  for (const { page, problems } of records.splice(0)) {
    await page.close();
    expect(problems).toEqual([]);
  }
});

async function consolePage(role: 'admin' | 'viewer' = 'admin'): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(DESKTOP);
  return record.page;
}

async function otherPage(): Promise<Page> {
  const record = await openPage(browser);
  records.push(record);
  return record.page;
}

async function setMasks(masks: readonly object[]): Promise<void> {
  const response = await gateway.call('camera/setPrivacyMasks', { cameraUuid, masks });
  if (response.error) throw new Error(response.errorMsg);
}

async function masks(): Promise<Json[]> {
  return (await gateway.call('camera/getPrivacyMasks', { cameraUuid })).masks;
}

/** Notes the brightest pixel of the middle of the new area in each frame that the page shows, from the first one on. */
async function watchArea(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { seenInArea: seen });
    const watched = new WeakSet<HTMLVideoElement>();
    const canvas = document.createElement('canvas');
    const brush = canvas.getContext('2d', { willReadFrequently: true })!;
    const look = (video: HTMLVideoElement) => {
      const { videoWidth: width, videoHeight: height } = video;
      [canvas.width, canvas.height] = [width, height];
      brush.drawImage(video, 0, 0);
      const at = (share: number, size: number) => Math.round(share * size);
      const { data } = brush.getImageData(
        at(0.31, width),
        at(0.31, height),
        at(0.28, width),
        at(0.28, height),
      );
      let most = 0;
      for (let index = 0; index < data.length; index++) {
        if (index % 4 !== 3) most = Math.max(most, data[index]!);
      }
      seen.push(most);
      video.requestVideoFrameCallback(() => look(video));
    };
    setInterval(() => {
      for (const video of document.querySelectorAll('video')) {
        if (watched.has(video)) continue;
        watched.add(video);
        video.requestVideoFrameCallback(() => look(video));
      }
    }, 10);
  });
}

const seenIn = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { seenInArea: number[] }).seenInArea);

test('an admin draws an area with keys and with the mouse, and its link shows it black', async () => {
  const page = await consolePage();
  await page.goto(`${gateway.apiUrl}/console/cameras/${cameraUuid}`);
  await page.getByRole('link', { name: 'Privacy masks' }).click();
  await page.getByText('No area is covered').waitFor();
  await page.getByRole('button', { name: 'Add an area' }).click();
  await page.getByLabel('What it covers').fill('Window');
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await page.getByRole('img', { name: 'Picture of the camera' }).waitFor();
    await expectAccessible(page, `an area at ${size.width}`);
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. Links show the new areas.').waitFor();
  expect(await masks()).toEqual([{ name: 'Window', points: NEW_AREA }]);

  const corner = page.getByRole('button', { name: 'Corner 1', exact: true });
  await corner.focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', 'Shift+ArrowUp']) await page.keyboard.press(key);
  const third = page.getByRole('button', { name: 'Corner 3', exact: true });
  const { x, y, width, height } = (await third.boundingBox())!;
  const picture = (await page.getByRole('img', { name: 'Picture of the camera' }).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + picture.width / 10, y + height / 2 + picture.height / 10, {
    steps: 3,
  });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. Links show the new areas.').waitFor();
  const [mask] = await masks();
  expect(mask!.points[0]).toEqual({ x: 2_800, y: 2_890 });
  expect(Math.abs(mask!.points[2].x - 7_000)).toBeLessThan(60);
  expect(Math.abs(mask!.points[2].y - 7_000)).toBeLessThan(60);

  const share = await gateway.share('Front desk');
  const viewer = await otherPage();
  await watchArea(viewer);
  await viewer.goto(share.pageUrl);
  await until('frames', async () => (await seenIn(viewer)).length > 25);
  expect(Math.max(...(await seenIn(viewer)))).toBeLessThanOrEqual(MAX_BLACK);
});

test.each(['hls.js', 'dash.js'] as const)(
  '%s shows a masked link black from its first frame on',
  async (player) => {
    await setMasks([{ name: '', points: NEW_AREA }]);
    const share = await gateway.share('Front desk');
    const page = await otherPage();
    await watchArea(page);
    const url = player === 'hls.js' ? share.m3u8Url : share.m3u8Url.replace('file.m3u8', 'file.mpd');
    await pages.play(page, player, url);
    await until('frames', async () => (await seenIn(page)).length > 25);
    expect(Math.max(...(await seenIn(page)))).toBeLessThanOrEqual(MAX_BLACK);
  },
);

test('a page that shows a link without masks goes on with the new ones', async () => {
  const share = await gateway.share('Front desk');
  const viewer = await otherPage();
  await watchArea(viewer);
  await viewer.goto(share.pageUrl);
  await until('bright frames', async () => (await seenIn(viewer)).filter((one) => one > 100).length > 10);
  await setMasks([{ name: '', points: NEW_AREA }]);
  await until('25 black frames in a row', async () =>
    (await seenIn(viewer)).slice(-25).every((one) => one <= MAX_BLACK),
  );
});

test('the console shows all of it to viewers, who cannot draw', async () => {
  await setMasks([{ name: '', points: NEW_AREA }]);
  const page = await consolePage('viewer');
  await page.goto(`${gateway.apiUrl}/console/cameras/${cameraUuid}/masks`);
  await page.getByText('change privacy masks').waitFor();
  expect(await page.getByRole('button', { name: 'Add an area' }).count()).toBe(0);
});

test('an admin chooses that viewers do not see the areas either', async () => {
  await setMasks([{ name: '', points: NEW_AREA }]);
  const page = await consolePage();
  await page.goto(`${gateway.apiUrl}/console/cameras/${cameraUuid}/masks`);
  await page.getByLabel('Viewers do not see these areas either').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await expectAccessible(page, 'masks for viewers');
  expect((await gateway.call('camera/getPrivacyMasks', { cameraUuid })).masksForViewers).toBe(true);
  await page.reload();
  await page.getByLabel('Viewers do not see these areas either').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await gateway.call('camera/getPrivacyMasks', { cameraUuid })).masksForViewers).toBe(false);
});

test('only an admin lets a link show what masks cover', async () => {
  const share = await gateway.share('Front desk', { name: 'Guards' });
  const page = await consolePage();
  await page.goto(`${gateway.apiUrl}/console/shares`);
  await page.getByRole('button', { name: 'Guards', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Show what privacy masks cover').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('Not applied').waitFor();
  const { sharedLiveVideoStreams } = await gateway.call('camera/findAllSharedLiveVideoStreams');
  expect(sharedLiveVideoStreams.find(({ uuid }: Json) => uuid === share.uuid).showsUnmasked).toBe(true);
});
