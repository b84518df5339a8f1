/** The street map of sites in Chromium against a whole gateway and a map server of this test: what it requests, and who places what. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';
import { type ConsoleRecord, openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;
const BERLIN = { latitude: 52.52, longitude: 13.405 };

let camera: SyntheticCamera;
let mapServer: Server;
let mapUrl: string;
let isMapDown = false;
const requests: { readonly path: string; readonly referer: string | undefined }[] = [];
let gateway: TestGateway;
let plainGateway: TestGateway;
let browser: TestBrowser;
const records: ConsoleRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  const tile = await sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="#eef0ea"/>
      <path d="M0 80h256M0 190h256M60 0v256M170 0v256" stroke="#fff" stroke-width="14"/><path d="M0 140L256 110" stroke="#f6d27a" stroke-width="16"/>
      <rect x="80" y="205" width="70" height="40" fill="#cfe6c4"/></svg>`),
  )
    .png()
    .toBuffer();
  mapServer = createServer(({ url, headers }: IncomingMessage, response) => {
    requests.push({ path: url!, referer: headers.referer });
    if (isMapDown) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'image/png', 'cache-control': 'no-store' }).end(tile);
  });
  await new Promise<void>((resolve) => mapServer.listen(0, '127.0.0.1', resolve));
  mapUrl = `http://127.0.0.1:${(mapServer.address() as AddressInfo).port}`;
  const cameras = [
    { name: 'Gate', location: 'Harbor', rtsp: camera.url },
    { name: 'Hall', location: 'Harbor', rtsp: 'rtsp://127.0.0.1:9/hall' },
    { name: 'Mast', rtsp: 'rtsp://127.0.0.1:9/mast' },
  ];
  const locations = [{ name: 'Harbor', tz: 'Europe/Berlin' }];
  // Sites of the configuration file cannot be moved, so these are made by calls.
  gateway = await TestGateway.start({
    demo: false,
    sources: { allowLocal: true },
    console: { mapTiles: `${mapUrl}/tiles/{z}/{x}/{y}.png`, mapMaxZoom: 18 },
  });
  for (const name of ['Harbor', 'Office']) {
    await gateway.call('location/createLocation', { location: { name, tz: 'Europe/Berlin' } });
  }
  for (const { name, location, rtsp } of cameras) {
    const at = location === undefined ? {} : { locationUuid: (await site(location)).uuid };
    const { error, errorMsg } = await gateway.call('camera/createCamera', { name, mainUrl: rtsp, ...at });
    expect(error, errorMsg).toBe(false);
  }
  // The gateway has tried it, so it is known to be offline.
  await gateway
    .call('camera/getSnapshot', { cameraUuid: await gateway.cameraUuid('Hall') })
    .catch(() => null);
  plainGateway = await TestGateway.start({ demo: false, locations, cameras });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await plainGateway?.dispose();
  await camera?.close();
  mapServer?.close();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  const problems = records.flatMap((record) => record.problems);
  expect(problems.filter((problem) => !(isMapDown && problem.includes('503')))).toEqual([]);
  records.length = 0;
  isMapDown = false;
});

async function site(name: string): Promise<Json> {
  const { locations } = await gateway.call('location/getLocationsV2');
  return (locations as Json[]).find((location) => location.name === name)!;
}

async function openAs(role: PersonRole, path = 'map', at = gateway): Promise<ConsoleRecord> {
  const record = await visitConsole(browser, at, role);
  records.push(record);
  await record.page.setViewportSize(DESKTOP);
  await openConsole(record.page, at, path);
  return record;
}

const mark = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'On the map' })
    .getByText(name, { exact: true })
    .locator('xpath=ancestor::li/*');

async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/map-${name}.png` });
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
    await shoot(page, `${state}-${size.width}`);
  }
}

test('without a map server, there is no map, and no request leaves for another host', async () => {
  const { page, origins } = await openAs('admin', 'sites', plainGateway);
  expect(await page.getByRole('link', { name: 'Map' }).count()).toBe(0);
  await openConsole(page, plainGateway, 'map');
  await page.getByRole('heading', { name: 'There is no street map' }).waitFor();
  await page.getByText('An administrator of the gateway can name one in the settings.').waitFor();
  await inspect(page, 'none');
  expect([...origins].filter((origin) => origin !== plainGateway.apiUrl)).toEqual([]);
});

test('an administrator places a site by dragging it, with keys, and by its coordinates', async () => {
  const { page, origins } = await openAs('admin', 'sites');
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Map' }).click();
  await page.getByRole('button', { name: 'Arrange sites' }).click();
  await page.getByRole('button', { name: 'Place Harbor' }).click();
  await until('a place', async () => (await site('Harbor')).latitude !== undefined);
  const first = await site('Harbor');
  const box = (await mark(page, 'Harbor').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 - 60, { steps: 5 });
  await page.mouse.up();
  expect(clicks.since()).toBeLessThanOrEqual(4);
  await until(
    'a move',
    async () => ((await site('Harbor')).longitude as number) > (first.longitude as number) + 20,
  );
  const dragged = await site('Harbor');
  expect(dragged.latitude).toBeGreaterThan(first.latitude as number);
  await mark(page, 'Harbor').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await until(
    'a step',
    async () => ((await site('Harbor')).longitude as number) < (dragged.longitude as number),
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('the step undone', async () => (await site('Harbor')).longitude === dragged.longitude);
  await page.getByLabel('Coordinates').fill('52.52, 13.405');
  await page.getByRole('button', { name: 'Move it there' }).click();
  await until('Berlin', async () => (await site('Harbor')).latitude === BERLIN.latitude);
  expect((await site('Harbor')).longitude).toBe(BERLIN.longitude);
  await inspect(page, 'arranging');
  // A camera that is somewhere else.
  await page.getByLabel('Place a single camera').selectOption({ label: 'Mast' });
  const mast = await gateway.cameraUuid('Mast');
  await until('a camera on the map', async () => {
    const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
    return (cameraStates as Json[]).find(({ uuid }) => uuid === mast)?.latitude !== undefined;
  });
  const mastPlace = async () => {
    const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
    const { latitude, longitude } = (cameraStates as Json[]).find(({ uuid }) => uuid === mast)!;
    return { latitude, longitude };
  };
  const placed = await mastPlace();
  // What was placed by mistake is taken off, and comes back.
  await page.getByRole('button', { name: 'Take it off the map' }).click();
  await until('no camera on the map', async () => (await mastPlace()).latitude === undefined);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('the camera again', async () => (await mastPlace()).longitude === placed.longitude);
  await mark(page, 'Harbor').focus();
  await page.getByRole('button', { name: 'Take it off the map' }).press('Enter');
  await until('no site on the map', async () => (await site('Harbor')).latitude === undefined);
  await page.getByRole('button', { name: 'Place Harbor' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await until('the site again', async () => (await site('Harbor')).latitude === BERLIN.latitude);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: '© OpenStreetMap contributors' }).waitFor();
  expect([...origins].filter((origin) => origin !== gateway.apiUrl)).toEqual([mapUrl]);
  for (const { path, referer } of requests) {
    expect(path).toMatch(/^\/tiles\/\d+\/\d+\/\d+\.png$/);
    // What a map server's rules ask for, and no page of the console.
    expect(referer).toBe(`${gateway.apiUrl}/`);
  }
});

test('a viewer sees how sites are, opens one, and places nothing', async () => {
  const { page } = await openAs('viewer');
  const harbor = mark(page, 'Harbor');
  await harbor.getByText('1 offline').waitFor();
  expect(await page.getByRole('button', { name: 'Arrange sites' }).count()).toBe(0);
  await inspect(page, 'map');
  requests.length = 0;
  await page.getByRole('region', { name: 'Map' }).focus();
  await page.keyboard.press('+');
  await until('closer tiles', async () => requests.length > 0);
  // No more than the screen shows, and none twice.
  expect(requests.length).toBeLessThanOrEqual(8 * 5);
  expect(new Set(requests.map(({ path }) => path)).size).toBe(requests.length);
  const before = (await harbor.boundingBox())!;
  await page.mouse.move(700, 300);
  await page.mouse.down();
  await page.mouse.move(760, 340, { steps: 4 });
  await page.mouse.up();
  const after = (await harbor.boundingBox())!;
  expect([after.x - before.x, after.y - before.y]).toEqual([60, 40]);
  await page.getByRole('button', { name: 'Show all' }).click();
  const atFirst = (await harbor.boundingBox())!;
  const nearby = { uuid: (await site('Harbor')).uuid, latitude: BERLIN.latitude + 0.001 };
  await gateway.call('location/updateLocation', { location: nearby });
  await until('what someone else moved', async () => (await harbor.boundingBox())!.y < atFirst.y);
  await harbor.click();
  await page.getByRole('heading', { name: 'Harbor', level: 1 }).waitFor();
});

test('a map server that fails is named, and sites are still there', async () => {
  isMapDown = true;
  const { page } = await openAs('viewer');
  await page.getByText(`The map server ${new URL(mapUrl).host} has no picture of this part`).waitFor();
  await mark(page, 'Harbor').waitFor();
});
