/** The page of a camera in Chromium, as operators use it all day: watch, zoom, move, keep, record, and look back. */

import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const PHONE = { width: 390, height: 844 };
const LANDSCAPE = { width: 844, height: 390 };
const NARROWEST = { width: 320, height: 640 };
const DESK = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
const ZONE = 'America/New_York';

let camera: SyntheticCamera;
let onvif: FakeOnvifDevice;
let gateway: TestGateway;
let browser: TestBrowser;
let dock: string;
let yard: string;
let attic: string;
let gate: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  onvif = await FakeOnvifDevice.open({ streams: { main: camera.url }, media2: 'works', ptz: {} });
  gateway = await TestGateway.start({
    locations: [{ name: 'Warehouse', tz: ZONE }],
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      {
        name: 'Dock',
        location: 'Warehouse',
        rtsp: camera.url,
        onvif: `http://127.0.0.1:${onvif.port}`,
        recording: 'always',
      },
      { name: 'Yard', location: 'Warehouse', rtsp: camera.url },
      { name: 'Attic', rtsp: camera.url, recording: 'off' },
      { name: 'Gate', location: 'Warehouse', rtsp: camera.url, recording: 'always', recordingKeep: '90d' },
    ],
  });
  dock = await gateway.cameraUuid('Dock');
  yard = await gateway.cameraUuid('Yard');
  attic = await gateway.cameraUuid('Attic');
  gate = await gateway.cameraUuid('Gate');
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await onvif?.close();
  await camera?.close();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function open(path: string, role: PersonRole, size = DESK): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(size);
  await record.page.goto(`${gateway.apiUrl}/console/${path}`);
  return record.page;
}

const stage = (page: Page): Locator => page.locator('.camera-stage');
const live = (page: Page) => stage(page).getByText('Live', { exact: true }).locator('visible=true').first();

/** The video of the picture, in its frame. */
const video = (page: Page) => page.frameLocator('.camera-stage iframe').locator('video');

async function untilLive(page: Page): Promise<void> {
  await page.locator('.stage-sign.live').waitFor();
  await live(page).waitFor();
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}.png` });
  }
}

const settingsOf = (cameraUuid: string) => gateway.call('camera/getRecordingSettings', { cameraUuid });

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])('recording by schedule takes four clicks on a %s', async (device, size) => {
  await gateway.call('camera/updateFacetedConfig', { configUpdate: { deviceUuid: yard, recording: 'off' } });
  const page = await open('', 'admin', size);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Yard', exact: true }).click();
  await page.getByRole('radio', { name: 'By schedule' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Nights' }).click();
  if (device === 'phone') {
    await expectAccessible(page, 'a week to paint');
    expect(await tooWide(page)).toEqual([]);
  }
  await shoot(page, `schedule-${device}`);
  await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(clicks.since()).toBeLessThanOrEqual(4);
  const { recording, scheduleUuid, setInFile, timeZone } = await settingsOf(yard);
  expect({ recording, setInFile, timeZone }).toEqual({
    recording: 'schedule',
    setInFile: [],
    timeZone: ZONE,
  });
  const { weeklySchedules } = await gateway.call('schedule/getSchedules');
  expect(weeklySchedules).toContainEqual(
    expect.objectContaining({ uuid: scheduleUuid, name: 'Recording of Yard' }),
  );
  // One camera has one schedule, however often it is painted.
  expect(weeklySchedules).toHaveLength(1);
  await page.reload();
  expect(await page.getByRole('radio', { name: 'By schedule' }).isChecked()).toBe(true);
});

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])('the page of a camera says how long its recordings are kept on a %s', async (device, size) => {
  const page = await open('', 'admin', size);
  await page.route('**/api/camera/getRecordingSettings', async (route) => {
    const response = await route.fetch();
    const forecast = { bytesPerDay: 43.2e9, keptMs: 985_000_000, decidedBy: 'disk' };
    await route.fulfill({ response, json: { ...(await response.json()), forecast } });
  });
  await page.getByRole('link', { name: 'Yard', exact: true }).click();
  await page
    .getByText(
      'At today’s rate, recordings of this camera are kept for 11.4 days. The disk has no room for more.',
    )
    .waitFor();
  await page.getByText('It records 40.2 GiB a day.').waitFor();
  expect(await tooWide(page)).toEqual([]);
  await shoot(page, `kept-${device}`);
});

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])(
  'an administrator chooses the recorded streams, and how long each stays, on a %s',
  async (device, size) => {
    const before = { recording: 'always', recording_streams: 'both', recording_keep_sub_hours: 0 };
    await gateway.call('camera/updateFacetedConfig', { configUpdate: { deviceUuid: yard, ...before } });
    const page = await open(`cameras/${yard}`, 'admin', size);
    const panel = page.locator('.recording-panel');
    await panel.getByText('How long recordings stay').click();
    await panel.getByLabel('Keep the substream for').selectOption({ label: '90 days' });
    await expectAccessible(page, 'the recorded streams');
    expect(await tooWide(page)).toEqual([]);
    await panel.scrollIntoViewIfNeeded();
    await shoot(page, `recorded-streams-${device}`);
    const save = panel.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await settingsOf(yard)).toMatchObject({ streams: 'both', keepSubHours: 2_160 });
    await panel.getByLabel('What is recorded').selectOption({ label: 'Main stream' });
    await panel.getByLabel('Keep the substream for').waitFor({ state: 'detached' });
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await settingsOf(yard)).toMatchObject({ streams: 'main' });
  },
);

test('the settings in effect are those that were stored a moment ago', async () => {
  for (let hours = 1; hours <= 20; hours++) {
    const configUpdate = { deviceUuid: yard, recording_keep_hours: hours };
    await gateway.call('camera/updateFacetedConfig', { configUpdate });
    expect(await settingsOf(yard)).toMatchObject({ keepHours: hours });
  }
});

test('an operator records now, longer, and no longer, and the state is true', async () => {
  await gateway.call('camera/updateFacetedConfig', { configUpdate: { deviceUuid: yard, recording: 'off' } });
  const page = await open(`cameras/${yard}`, 'operator');
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Record now' }).click();
  await page.getByRole('button', { name: 'Stop recording' }).waitFor();
  expect(clicks.since()).toBe(1);
  await page.locator('.stage-sign.record-sign').getByText('Recording', { exact: true }).waitFor();
  await page.getByText('Started by a person').waitFor();
  const { manual } = await settingsOf(yard);
  await page.getByRole('button', { name: 'Record 10 minutes longer' }).click();
  await until('it to be extended', async () => {
    const longer = (await settingsOf(yard)).manual;
    return longer.endsAtMs - manual.endsAtMs > 590_000;
  });
  await page.reload();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByRole('button', { name: 'Record now' }).waitFor();
  await page.locator('.record-sign', { hasText: /^Not recorded$/ }).waitFor();
  expect(await settingsOf(yard)).not.toHaveProperty('manual');
  // Only administrators change how it is recorded otherwise.
  expect(await page.getByRole('radio', { name: 'Always' }).count()).toBe(0);
});

test('unsaved edits stay when another administrator changes how the camera is recorded', async () => {
  const byOther = (recording: string) =>
    gateway.call('camera/updateFacetedConfig', { configUpdate: { deviceUuid: yard, recording } });
  await byOther('off');
  const page = await open(`cameras/${yard}`, 'admin');
  const chosen = (name: string) => page.getByRole('radio', { name });
  await until('what was stored', () => chosen('Off').isChecked());
  await byOther('always');
  await until('what the other stored', () => chosen('Always').isChecked());
  await chosen('Around events').check();
  await byOther('off');
  await page.getByText('Someone else changed this in the meantime.').waitFor();
  expect(await chosen('Around events').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Show theirs' }).click();
  expect(await chosen('Off').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
});

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])('so it does for a camera of the configuration file, on a %s', async (device, size) => {
  const { recording, keepHours, setInFile } = await settingsOf(gate);
  expect({ recording, keepHours, setInFile }).toEqual({
    recording: 'always',
    keepHours: 2_160,
    setInFile: ['recording', 'keep', 'keepSub'],
  });
  const page = await open('', 'admin', size);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Gate', exact: true }).click();
  await page.getByText('These settings are from the configuration file.').waitFor();
  await page.getByRole('radio', { name: 'By schedule' }).click();
  await page.locator('dialog').getByRole('button', { name: '18:00 to 6:00' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(clicks.since()).toBeLessThanOrEqual(4);
  const saved = await settingsOf(gate);
  expect(saved).toMatchObject({
    recording: 'schedule',
    // As the file has it.
    keepHours: 2_160,
    setInFile: [],
    ignoredInFile: ['recording', 'keep', 'keepSub'],
  });
  const { weeklySchedules } = await gateway.call('schedule/getSchedules');
  expect(weeklySchedules).toContainEqual(
    expect.objectContaining({ uuid: saved.scheduleUuid, name: 'Recording of Gate' }),
  );
  await shoot(page, `over-the-file-${device}`);
  await page.getByRole('button', { name: 'Use the file’s settings' }).click();
  await page.getByText('These settings are from the configuration file.').waitFor();
  expect(await page.getByRole('radio', { name: 'Always' }).isChecked()).toBe(true);
  expect(await settingsOf(gate)).toMatchObject({ recording: 'always', ignoredInFile: [] });
});

test('what the configuration file forbids is not offered', async () => {
  const page = await open(`cameras/${attic}`, 'admin');
  const panel = page.locator('.recording-panel');
  await panel.getByText('Recording is forbidden for this camera.').waitFor();
  expect(await page.getByRole('radio', { name: 'Always' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Record now' }).isDisabled()).toBe(true);
  await expectAccessible(page, 'a camera of the file');
  await panel.getByRole('link', { name: 'Show its lines' }).click();
  expect(await page.getByLabel('Line of this camera').inputValue()).toBe('- name: Attic');
});

test('a schedule is offered in plain sight where the console may change it', async () => {
  await gateway.call('camera/updateFacetedConfig', { configUpdate: { deviceUuid: yard, recording: 'off' } });
  const page = await open(`cameras/${yard}`, 'admin');
  await page.getByText('“By schedule” records at the hours that you paint into a week.').waitFor();
  await page.getByRole('radio', { name: 'By schedule' }).waitFor();
});

describe('the picture', () => {
  test('is zoomed by wheel, keys, double click and dragging, and whole again', async () => {
    const page = await open(`cameras/${dock}`, 'viewer');
    await untilLive(page);
    const scale = async () => {
      const transform = await page.locator('.zoom-picture').evaluate((box) => box.style.transform);
      return Number(/scale\(([\d.]+)\)/.exec(transform)?.[1] ?? 1);
    };
    const box = (await page.locator('.zoom-over').boundingBox())!;
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 4);
    await page.mouse.wheel(0, -400);
    expect(await scale()).toBe(1);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await until('it to be zoomed', async () => (await scale()) > 2);
    const zoomedBy = await scale();
    await stage(page)
      .getByText(`${zoomedBy.toFixed(1)}×`)
      .waitFor();
    const before = await page.locator('.zoom-picture').evaluate((picture) => picture.style.transform);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.locator('.zoom-picture').evaluate((picture) => picture.style.transform)).not.toBe(
      before,
    );
    expect(await scale()).toBe(zoomedBy);
    await page.keyboard.press('0');
    await until('the whole picture', async () => (await scale()) === 1);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await until('two steps', async () => Math.abs((await scale()) - 2.25) < 0.01);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await until('the whole picture again', async () => (await scale()) === 1);
  });

  test('is saved as it is on the screen, at full size, with camera, time and zone in its name', async () => {
    const page = await open(`cameras/${dock}`, 'viewer');
    await untilLive(page);
    const size = await video(page).evaluate(({ videoWidth, videoHeight }: HTMLVideoElement) => [
      videoWidth,
      videoHeight,
    ]);
    const coming = page.waitForEvent('download');
    await page.keyboard.press('s');
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(
      /^Dock_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_GMT-[45]_America-New_York\.jpg$/,
    );
    const { width, height, format } = await sharp(await readFile(await download.path())).metadata();
    expect([width, height, format]).toEqual([...size, 'jpeg']);
    await stage(page).getByText(`Saved ${download.suggestedFilename()}`).waitFor();
  });

  test('fills the screen, and has a window of its own', async () => {
    const page = await open(`cameras/${dock}`, 'viewer');
    await untilLive(page);
    await page.keyboard.press('f');
    await until('full screen', () => page.evaluate(() => document.fullscreenElement !== null));
    await page.getByRole('button', { name: 'Leave full screen' }).click();
    await until('the page again', () => page.evaluate(() => document.fullscreenElement === null));
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Picture in picture' }).click();
    const small = await opened;
    const frame = small.frameLocator('iframe').locator('video');
    const own = small.locator('video');
    await frame.or(own).first().waitFor({ state: 'attached' });
    await small.close();
  });
});

describe('a camera that can be moved', () => {
  const requests = () => onvif.ptz.requests.map(({ name }) => name);

  test('moves while a button is held, and stops when it is released, left, or the tab is hidden', async () => {
    const page = await open(`cameras/${dock}`, 'operator');
    const left = page.getByRole('button', { name: 'Left' });
    const ends: readonly (() => Promise<void>)[] = [
      () => page.mouse.up(),
      () => page.mouse.move(5, 5),
      () => page.evaluate(() => void dispatchEvent(new Event('blur'))),
    ];
    for (const end of ends) {
      onvif.ptz.requests.length = 0;
      await left.hover();
      await page.mouse.down();
      await until(
        'the camera to move',
        () => requests().filter((name) => name === 'ContinuousMove').length > 1,
      );
      expect(onvif.ptz.requests[0]!.axes.pan).toBeLessThan(0);
      await end();
      await until('the camera to stop', () => requests().at(-1) === 'Stop' && !onvif.ptz.isMoving);
      await page.mouse.up();
    }
  });

  test('moves by keys, goes to presets, and stores one', async () => {
    const page = await open(`cameras/${dock}`, 'operator');
    await page.getByRole('button', { name: 'Left' }).waitFor();
    onvif.ptz.requests.length = 0;
    await page.keyboard.down('ArrowUp');
    await until('the camera to move', () => requests().includes('ContinuousMove'));
    await page.keyboard.up('ArrowUp');
    await until('the camera to stop', () => requests().at(-1) === 'Stop');
    await page.keyboard.press('1');
    await until('the preset', () => requests().at(-1) === 'GotoPreset');
    await page.getByRole('button', { name: 'Store this view' }).click();
    await page.locator('dialog').getByLabel('Name').fill('Ramp');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Ramp' }).waitFor();
    expect([...onvif.ptz.presets.values()]).toContain('Ramp');
  });

  test('is not moved by someone who may only watch, nor is one without motors', async () => {
    const watching = await open(`cameras/${dock}`, 'viewer');
    await untilLive(watching);
    expect(await watching.getByRole('button', { name: /^(?:Left|Record now|Share)$/ }).count()).toBe(0);
    const still = await open(`cameras/${yard}`, 'operator');
    await untilLive(still);
    expect(await still.getByRole('button', { name: 'Left' }).count()).toBe(0);
  });
});

test('a click on an event plays that moment in the same picture, and a key returns to live', async () => {
  const page = await open(`cameras/${dock}`, 'viewer');
  await untilLive(page);
  await until('something to be recorded', async () => {
    const nowMs = Date.now();
    const range = { cameraUuids: [dock], fromMs: nowMs - 3_600_000, toMs: nowMs };
    const { cameras } = await gateway.call('camera/getRecordedSpans', range);
    return cameras[0].spans.some(
      ({ fromMs, toMs }: { fromMs: number; toMs: number }) => toMs - fromMs > 8_000,
    );
  });
  const row = { uuid: newRuuid(), deviceUuid: dock, timestampMs: Date.now() - 6_000 };
  await gateway.call('ingest/policyAlerts', { rows: [{ ...row, textDescription: 'Gate opened' }] });
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: /Gate opened/ }).click();
  await stage(page)
    .getByText(/^Past · /)
    .waitFor();
  await until('the past to play', () =>
    video(page).evaluate((shown: HTMLVideoElement) => shown.videoWidth > 0 && !shown.paused),
  );
  await shoot(page, 'past-desk');
  await page.keyboard.press('l');
  await untilLive(page);
  expect(clicks.since()).toBe(1);
});

test('an operator shares the camera from its page', async () => {
  const page = await open(`cameras/${dock}`, 'operator');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('dialog').getByRole('button', { name: 'Create link' }).click();
  await page
    .locator('dialog')
    .getByText(/is ready/)
    .waitFor();
});

describe.each([
  ['desk', DESK],
  ['phone', PHONE],
  ['narrowest', NARROWEST],
])('on a %s', (device, size) => {
  test('everyone can use the page', async () => {
    const page = await open(`cameras/${dock}`, 'admin', size);
    await untilLive(page);
    await page.getByRole('button', { name: 'Left' }).waitFor();
    await shoot(page, `live-${device}`);
    await expectAccessible(page, 'the page of a camera');
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    const picture = (await page.locator('.zoom-stage').boundingBox())!;
    const widthPx = await page.evaluate(() => document.documentElement.clientWidth);
    if (size.width < 720) expect([picture.x, picture.width]).toEqual([0, widthPx]);
    const bar = (await page.locator('.stage-bar').boundingBox())!;
    expect(bar.y + bar.height).toBeLessThanOrEqual(size.height);
    const moves = (await page.locator('.ptz').boundingBox())!;
    const past = (await page.locator('.past-head').boundingBox())!;
    expect(moves.y).toBeLessThan(past.y);
  });
});

test('a phone on its side shows the picture alone', async () => {
  const page = await open(`cameras/${dock}`, 'operator', LANDSCAPE);
  await untilLive(page);
  await shoot(page, 'live-landscape');
  const picture = (await page.locator('.zoom-stage').boundingBox())!;
  const width = await page.evaluate(() => document.documentElement.clientWidth);
  expect(picture).toEqual({ x: 0, y: 0, ...LANDSCAPE, width });
  expect(await tooWide(page)).toEqual([]);
  const bar = (await page.locator('.stage-bar').boundingBox())!;
  expect(bar.y + bar.height).toBeLessThanOrEqual(LANDSCAPE.height);
});
