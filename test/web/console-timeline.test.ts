/** The timeline in Chromium: two cameras in step, one with a gap; a clip is cut, made, shared, and seen without signing in. */

import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { probeStreams } from '../support/media-check.ts';
import { recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const STRIP_PX = 180;
/** Of two cameras, and of a camera and the head: less than anyone sees. */
const IN_STEP_FRAMES = Math.ceil(FRAMES_PER_SEC * 0.4);
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let dock: SyntheticCamera;
let gate: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
/** When each camera began, epoch milliseconds: the second life of the gate, after its gap. */
let dockBeganMs: number;
let gateBeganMs: number;
let gapMs: { readonly fromMs: number; readonly toMs: number };
const uuids = { Dock: '', Gate: '' };

type Spans = { cameraUuid: string; spans: { fromMs: number; toMs: number }[] }[];

async function spansOf(name: keyof typeof uuids): Promise<Spans[number]['spans']> {
  const now = Date.now();
  const range = { cameraUuids: [uuids[name]], fromMs: now - 600_000, toMs: now + 1_000 };
  const { cameras } = await gateway.call('camera/getRecordedSpans', range);
  return (cameras as Spans)[0]!.spans;
}

beforeAll(async () => {
  dock = await startCamera();
  dockBeganMs = dock.startEpochMs;
  gate = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '3s', backoffMax: '3s' },
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    locations: [{ name: 'Warehouse', tz: 'Europe/Berlin' }],
    cameras: [
      { name: 'Dock', location: 'Warehouse', rtsp: dock.url, recording: 'always' },
      { name: 'Gate', location: 'Warehouse', rtsp: gate.url, recording: 'always' },
    ],
  });
  for (const name of ['Dock', 'Gate'] as const) uuids[name] = await gateway.cameraUuid(name);
  await recordMore(gateway, 12);
  const { port } = gate;
  await gate.close();
  await recordMore(gateway, 3);
  gate = await startCamera(port);
  gateBeganMs = gate.startEpochMs;
  // A busy machine may have made others; this one is where the camera was away.
  await until('the gap', async () => (await spansOf('Gate')).some(({ fromMs }) => fromMs >= gateBeganMs));
  await recordMore(gateway, 30);
  const spans = await spansOf('Gate');
  const next = spans.findIndex(({ fromMs }) => fromMs >= gateBeganMs);
  gapMs = { fromMs: spans[next - 1]!.toMs, toMs: spans[next]!.fromMs };
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await dock?.close();
  await gate?.close();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway, 'operator'));
  await page.setViewportSize(DESK);
});
afterEach(() => page.close());

async function openAt(atMs: number | null, spanMs = 120_000): Promise<void> {
  const at = atMs === null ? '' : `&at=${Math.round(atMs)}`;
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${uuids.Dock}${at}&span=${spanMs}`);
  await page.getByRole('slider', { name: 'Play head' }).waitFor();
}

const show = (name: string) => page.locator('.lane').getByLabel(name).check();
const slider = () => page.getByRole('slider', { name: 'Play head' });
const headMs = async () => Number(await slider().getAttribute('aria-valuenow')) * 1_000;
const screenshot = async (name: string) => {
  if (SCREENSHOTS !== undefined)
    await page.screenshot({ path: `${SCREENSHOTS}/timeline-${name}.png`, fullPage: true });
};

async function frameOf(name: string): Promise<Frame> {
  const handle = await page.locator(`iframe[title="${name}, at the play head"]`).elementHandle();
  return (await handle!.contentFrame())!;
}

/** The number that the camera drew into the frame on the screen; null: none is there. */
async function shownNumber(name: string): Promise<number | null> {
  const luma = await (await frameOf(name)).evaluate((widthPx) => {
    const video = document.querySelector('video');
    if (video === null || video.readyState < 2 || video.seeking) return null;
    const canvas = document.createElement('canvas');
    canvas.width = widthPx;
    canvas.height = 4;
    const context = canvas.getContext('2d')!;
    const { videoWidth, videoHeight } = video;
    context.drawImage(video, 0, 0, videoWidth, videoHeight / 12, 0, 0, widthPx, 4);
    const { data } = context.getImageData(0, 2, widthPx, 1);
    return Array.from({ length: widthPx }, (_, x) => data[4 * x + 1]!);
  }, STRIP_PX);
  return luma === null ? null : readFrameNumberStrip((x) => luma[Math.floor(x * STRIP_PX)]!);
}

/** The number in the thumbnail above the video; null: there is none. */
async function peekedNumber(name: string): Promise<number | null> {
  const luma = await (await frameOf(name)).evaluate(async (widthPx) => {
    const shown = document.querySelector<HTMLElement>('#peek')!;
    const [, url] = /url\("([^"]+)"\)/.exec(shown.style.backgroundImage) ?? [];
    if (shown.hidden || url === undefined) return null;
    const [column, row] = shown.style.backgroundPosition.split(' ').map((part) => Number.parseFloat(part));
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = widthPx;
    canvas.height = 4;
    const context = canvas.getContext('2d')!;
    context.drawImage(image, (column! / 25) * 256, (row! / 20) * 144, 256, 12, 0, 0, widthPx, 4);
    const { data } = context.getImageData(0, 2, widthPx, 1);
    return Array.from({ length: widthPx }, (_, x) => data[4 * x + 1]!);
  }, STRIP_PX);
  return luma === null ? null : readFrameNumberStrip((x) => luma[Math.floor(x * STRIP_PX)]!);
}

/** By how many frames what is shown is later than the instant. */
async function lateBy(name: 'Dock' | 'Gate', atMs: number): Promise<number | null> {
  const number = await shownNumber(name);
  if (number === null) return null;
  const beganMs = name === 'Dock' ? dockBeganMs : gateBeganMs;
  const apart = (number - Math.round((atMs - beganMs) / FRAME_MS)) % CLIP_FRAMES;
  if (apart > CLIP_FRAMES / 2) return apart - CLIP_FRAMES;
  return apart < -CLIP_FRAMES / 2 ? apart + CLIP_FRAMES : apart;
}

test('says when cameras were recorded, in one call', async () => {
  expect(gapMs.toMs - gapMs.fromMs).toBeGreaterThan(1_000);
  const isDockThere = (await spansOf('Dock')).some(
    ({ fromMs, toMs }) => fromMs <= gapMs.fromMs && toMs >= gapMs.toMs,
  );
  expect(isDockThere).toBe(true);
});

test('scrubs two cameras in step, and plays them on in step', async () => {
  await openAt(null);
  await show('Gate');
  await frameOf('Gate');
  const targetMs = gapMs.toMs + 5_000;
  const box = (await slider().boundingBox())!;
  const startMs = Number(await slider().getAttribute('aria-valuemin')) * 1_000;
  const endMs = Number(await slider().getAttribute('aria-valuemax')) * 1_000;
  const x = box.x + ((targetMs - startMs) / (endMs - startMs)) * box.width;
  await page.mouse.move(box.x + box.width - 60, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 80, box.y + 60, { steps: 5 });
  await page.mouse.move(x, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const late = await until('both at the head', async () => {
    const atMs = await headMs();
    const [ofDock, ofGate] = [await lateBy('Dock', atMs), await lateBy('Gate', atMs)];
    const isBoth = ofDock !== null && ofGate !== null && Math.abs(ofDock - ofGate) <= IN_STEP_FRAMES;
    return isBoth && Math.abs(ofDock) < 2 * FRAMES_PER_SEC ? { ofDock, ofGate } : null;
  });
  expect(Math.abs(late!.ofDock - late!.ofGate)).toBeLessThanOrEqual(IN_STEP_FRAMES);
  await screenshot('desk-in-step');
  const restedMs = await headMs();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until('the head moves', async () => (await headMs()) > restedMs + 1_000);
  await until('both play in step', async () => {
    const [ofDock, ofGate] = await Promise.all([lateBy('Dock', restedMs), lateBy('Gate', restedMs)]);
    return ofDock !== null && ofGate !== null && ofDock > 0 && Math.abs(ofDock - ofGate) <= IN_STEP_FRAMES;
  });
});

test('shows thumbnails of the time under the mouse above the live video of each camera, and loads no other video', async () => {
  await openAt(null);
  await show('Gate');
  await until('live video', async () => (await shownNumber('Gate')) !== null);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  const targetMs = gapMs.toMs + 3_000;
  const numbers = await until('thumbnails of both', async () => {
    const box = (await slider().boundingBox())!;
    const startMs = Number(await slider().getAttribute('aria-valuemin')) * 1_000;
    const endMs = Number(await slider().getAttribute('aria-valuemax')) * 1_000;
    const x = box.x + ((targetMs - startMs) / (endMs - startMs)) * box.width;
    // A mouse that moves points at a time.
    await page.mouse.move(x + 1, box.y + 60);
    await page.mouse.move(x, box.y + 60);
    const [ofDock, ofGate] = [await peekedNumber('Dock'), await peekedNumber('Gate')];
    return ofDock !== null && ofGate !== null ? { ofDock, ofGate } : null;
  });
  await screenshot('desk-thumbnails');
  // Key frames.
  expect([numbers.ofDock % FRAMES_PER_SEC, numbers.ofGate % FRAMES_PER_SEC]).toEqual([0, 0]);
  expect(requested.some((path) => path.includes('/thumbnails/'))).toBe(true);
  expect(requested.filter((path) => /\/vod\/.*\/seg_/.test(path))).toEqual([]);
  await page.mouse.move(5, 5);
  await (await frameOf('Dock')).waitForSelector('#peek', { state: 'hidden' });
});

test('shows a gap as one, and leads back to live', async () => {
  await openAt((gapMs.fromMs + gapMs.toMs) / 2);
  await show('Gate');
  await page.getByText('Not recorded at this time').waitFor();
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/Dock recorded, Gate not recorded/);
  await slider().press('End');
  await page.locator('.transport-time').getByText('Live').waitFor();
  await until('video', async () => (await shownNumber('Gate')) !== null);
});

test('cuts a clip by the keyboard, shows how far it is, and shares it with someone who is not signed in', async () => {
  const fromMs = gapMs.toMs + 3_000;
  await openAt(fromMs);
  await show('Gate');
  await slider().press('[');
  await page.getByLabel('From').waitFor();
  for (let step = 0; step < 5; step++) await slider().press('ArrowRight');
  await slider().press(']');
  const form = page.getByRole('form', { name: 'New clip' });
  await form.getByText(/^6 s/).waitFor();
  await form.getByLabel('Title').fill('Delivery <b>');
  await screenshot('desk-cut');
  await expectAccessible(page, 'cutting');
  await form.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await until('both are made', async () => (await dialog.getByText('Ready', { exact: true }).count()) === 2);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const title = 'Delivery <b> – Dock';
  const row = page.locator('.clip-list > li').filter({ hasText: title });
  await row.getByText('Ready').waitFor();
  for (const [form, isForEveryDevice] of [
    ['as recorded', false],
    ['for every device', true],
  ] as const) {
    await row.getByRole('button', { name: `Download ${title}` }).click();
    const choice = page.getByRole('dialog');
    if (isForEveryDevice) await choice.getByLabel('For every device').check();
    await expectAccessible(page, `download ${form}`);
    await screenshot(`desk-download-${form.replaceAll(' ', '-')}`);
    const popup = page.waitForEvent('download');
    await choice.getByRole('button', { name: 'Download' }).click();
    const saved = await popup;
    expect([saved.suggestedFilename(), saved.url()]).toEqual([
      expect.stringMatching(/\.mp4$/),
      isForEveryDevice ? expect.stringContaining('video=h264') : expect.not.stringContaining('video='),
    ]);
    const streams = await probeStreams([readFileSync(await saved.path())]);
    expect(streams[0]!.codec_name).toBe('h264');
  }
  await row.getByRole('button', { name: `Share ${title}` }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  await expectAccessible(page, 'shared');
  await page.getByRole('button', { name: 'Done' }).click();
  const strange = await browser.context.browser()!.newContext();
  const stranger = await strange.newPage();
  await stranger.goto(link);
  await stranger.getByText(title).first().waitFor();
  expect(await strange.cookies(gateway.apiUrl)).toEqual([]);
  await strange.close();
});

test('moves the ends of a clip on the axis, by mouse and by keys', async () => {
  await openAt(gapMs.toMs + 5_000);
  await page.getByRole('button', { name: 'Cut a clip' }).click();
  const [from, to] = ['Start of the clip', 'End of the clip'].map((name) =>
    page.getByRole('slider', { name }),
  );
  const secOf = async (grip: typeof from) => Number(await grip!.getAttribute('aria-valuenow'));
  const [fromSec, toSec] = [await secOf(from), await secOf(to)];
  await from!.press('ArrowRight');
  await from!.press('Shift+ArrowLeft');
  expect(await secOf(from)).toBe(fromSec - 9);
  await to!.press('ArrowLeft');
  expect(await secOf(to)).toBe(toSec - 1);
  const box = (await from!.boundingBox())!;
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 60, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await secOf(from)).toBeGreaterThan(fromSec - 9);
  await until('the frame at that end is shown', async () => {
    return (await headMs()) === (await secOf(from)) * 1_000;
  });
});

test('bookmarks a moment, finds it in the list, and deletes it', async () => {
  await openAt(gapMs.toMs + 6_000);
  await slider().press('b');
  await page.getByLabel('Name').fill('Blue van');
  await page.getByRole('button', { name: 'Save bookmark' }).click();
  const row = page.getByRole('button', { name: /^Bookmark: Blue van/ });
  await row.waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('Alerts');
  await until('alerts alone', async () => (await row.count()) === 0);
  await page.getByLabel('Show', { exact: true }).selectOption('Bookmarks');
  await row.click();
  await until('the head is shortly before it', async () => {
    const lateMs = (await headMs()) - (gapMs.toMs + 6_000);
    return lateMs >= -6_000 && lateMs < 20_000;
  });
  await page.getByRole('button', { name: 'Delete bookmark Blue van' }).click();
  await page.getByRole('button', { name: 'Delete bookmark', exact: true }).click();
  await until('it is gone', async () => (await row.count()) === 0);
});

test('the wheel scrolls the page, and zooms with Ctrl; fingers pan and zoom', async () => {
  await openAt(gapMs.toMs + 4_000);
  const bounds = async () =>
    Promise.all(
      ['aria-valuemin', 'aria-valuemax'].map(async (name) => Number(await slider().getAttribute(name))),
    );
  const before = await bounds();
  const box = (await slider().boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + 20];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 300);
  await until('the page scrolled', () => page.evaluate(() => scrollY > 0));
  expect(await bounds()).toEqual(before);
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await until('closer', async () => {
    const [start, end] = await bounds();
    return end! - start! < before[1]! - before[0]!;
  });
  const zoomedTo = await bounds();
  const touch = await page.context().newCDPSession(page);
  const finger = (type: string, ...points: number[]) =>
    touch.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: points.map((px, id) => ({ x: px, y, id })),
    });
  await finger('touchStart', x);
  for (let step = 1; step <= 5; step++) await finger('touchMove', x + step * 30);
  await finger('touchEnd');
  await until('earlier', async () => (await bounds())[0]! < zoomedTo[0]!);
  const pannedTo = await bounds();
  await finger('touchStart', x - 40, x + 40);
  for (let step = 1; step <= 5; step++) await finger('touchMove', x - 40 - step * 20, x + 40 + step * 20);
  await finger('touchEnd');
  await until('closer', async () => {
    const [start, end] = await bounds();
    return end! - start! < pannedTo[1]! - pannedTo[0]!;
  });
});

test('a viewer looks and jumps, and gets no links, clips, or bookmarks', async () => {
  await page.close();
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.setViewportSize(DESK);
  await openAt(gapMs.toMs + 4_000);
  await page.getByRole('region', { name: 'Events' }).waitFor();
  for (const name of ['Cut a clip', 'Bookmark', 'Share']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
  await slider().press('[');
  await slider().press('b');
  expect(await page.getByRole('form', { name: 'New clip' }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('folds what a camera that comes and goes reports, and says above the lanes what their colors mean', async () => {
  await openAt(gapMs.toMs + 4_000);
  const events = page.getByRole('region', { name: 'Events' });
  const fold = events.getByRole('button', { name: /Offline and back online/ });
  await fold.waitFor();
  expect(await fold.textContent()).toMatch(/^\d×.*\d\d:\d\d:\d\d to \d\d:\d\d:\d\d.*2 cameras$/);
  const counted = Number.parseInt((await fold.textContent())!, 10);
  expect(counted).toBeGreaterThanOrEqual(3);
  // Cameras may report more meanwhile: counts that belong together are read in one step.
  const counts = () =>
    events.evaluate((region) => ({
      rows: region.querySelectorAll('.event-row').length,
      folded: region.querySelectorAll('.event-row.folded').length,
      counted: Number.parseInt(
        region.querySelector('.event-row.fold [aria-expanded]')?.textContent ?? '0',
        10,
      ),
    }));
  const before = await counts();
  await fold.press('Enter');
  expect(await fold.getAttribute('aria-expanded')).toBe('true');
  await events.getByRole('button', { name: /Camera: Offline/ }).waitFor();
  const open = await counts();
  expect(open.folded).toBe(open.counted);
  expect(open.rows - open.folded).toBeGreaterThanOrEqual(before.rows);
  await expectAccessible(page, 'open fold');
  await fold.click();
  const folded = await counts();
  expect(folded.folded).toBe(0);
  expect(folded.rows).toBeGreaterThanOrEqual(before.rows);
  await events.getByLabel('Show').selectOption('CAMERA');
  await events.getByRole('button', { name: /Camera: Offline/ }).waitFor();
  expect((await counts()).rows).toBeGreaterThanOrEqual(counted);
  const legend = (await page.locator('.lanes-legend').boundingBox())!;
  const lanes = (await page.locator('.lanes').boundingBox())!;
  expect(legend.y + legend.height).toBeLessThanOrEqual(lanes.y);
  expect(lanes.y + lanes.height).toBeLessThanOrEqual(DESK.height);
  await page.getByText('Alert, fault, or door').waitFor();
});

test('says when only pictures are left, and what waits for the NVR', async () => {
  const { fromMs, toMs } = gapMs;
  await page.route('**/api/camera/getRecordedSpans', async (route) => {
    const read = (await (await route.fetch()).json()) as { cameras: Spans };
    const pictures = [{ fromMs: fromMs - 60_000, toMs: fromMs - 4_000 }];
    const cameras = read.cameras.map((each) => ({ ...each, pictures }));
    await route.fulfill({ json: { ...read, cameras } });
  });
  await page.route('**/api/camera/getRecorderFootage', async (route) => {
    const spans = [{ fromMs, toMs }];
    const { cameraUuids } = route.request().postDataJSON() as { cameraUuids: string[] };
    const cameras = cameraUuids.map((cameraUuid) => ({ cameraUuid, state: 'waiting', waiting: 2, spans }));
    await route.fulfill({ json: { error: false, cameras } });
  });
  await openAt(fromMs);
  const legend = page.locator('.lanes-legend');
  await legend.getByText('Pictures only').waitFor();
  await legend.getByText('2 recordings wait for the NVR').waitFor();
  await screenshot('desk-pictures');
  await expectAccessible(page, 'pictures only');
  await page.locator('.timeline-table summary').click();
  await page.getByRole('cell', { name: 'Pictures only' }).first().waitFor();
  await page.setViewportSize(PHONE);
  await legend.getByText('Pictures only').waitFor();
  await screenshot('phone-pictures');
  expect(await tooWide(page)).toEqual([]);
});

test('says what a clip would miss', async () => {
  await openAt(gapMs.fromMs - 2_000);
  await show('Gate');
  await page.getByRole('button', { name: 'Cut a clip' }).click();
  await page.getByText(/^Gate: .* was not recorded/).waitFor();
});

test.each([
  ['phone', PHONE],
  ['desk', DESK],
])('everyone can use it on a %s', async (device, size) => {
  await page.setViewportSize(size);
  await openAt(gapMs.toMs + 4_000);
  await show('Gate');
  await page.getByText('As a table').click();
  await page.getByRole('cell', { name: 'Recorded' }).first().waitFor();
  await expectAccessible(page, 'timeline');
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await page.getByText('As a table').click();
  await until('video', async () => (await shownNumber('Dock')) !== null);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await screenshot(`${device}-${colorScheme}`);
  }
});
