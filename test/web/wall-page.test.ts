/** The page of a shared video wall, in Chromium, against a whole gateway with synthetic cameras. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';

const NAMES = ['Dock', 'Gate', 'Yard', 'Lobby'];
const MS_PER_SEC = 1_000;

const mains: SyntheticCamera[] = [];
let sub: SyntheticCamera;
/** Of the camera that stops. */
let dockSub: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;
let wallUuid: string;
let pastShare: { uuid: string; url: string };
const uuids: string[] = [];

beforeAll(async () => {
  sub = await startCamera();
  dockSub = await startCamera();
  const clip = await makeClip(1280, 720, { bitrateBitsPerSec: 2_000_000, gopSec: 2 });
  for (const _ of NAMES) mains.push(await startCamera(0, { clip }));
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: NAMES.map((name, i) => ({
      name,
      rtsp: mains[i]!.url,
      substream: (i === 0 ? dockSub : sub).url,
    })),
  });
  for (const name of NAMES) uuids.push(await gateway.cameraUuid(name));
  const created = await gateway.call('camera/createVideoWall', {
    videoWall: { displayName: 'Control room', deviceList: uuids },
  });
  wallUuid = created.uuid;
  // Its cameras are recorded from now on.
  pastShare = await share({ vodEnabled: true });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  for (const camera of [...mains, sub, dockSub]) await camera?.close();
});

beforeEach(async () => {
  record = await openPage(browser);
  page = record.page;
  await page.setViewportSize({ width: 1280, height: 800 });
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
  expect([...record.origins].filter((origin) => origin !== gateway.mediaUrl)).toEqual([]);
});

/** Of the wall of all tests, unless the fields name another one. */
async function share(fields: Json = {}): Promise<{ uuid: string; url: string }> {
  const answer = await gateway.call('camera/createSharedVideoWall', { videoWallUuid: wallUuid, ...fields });
  expect(answer.error, answer.errorMsg).toBe(false);
  return { uuid: answer.sharedLiveVideoStreamUuid, url: answer.sharedLiveVideoStreamUrl };
}

const tile = (name: string) => page.locator('.tile', { has: page.locator(`.tile-name:text-is("${name}")`) });

const stateOf = (name: string) => tile(name).getAttribute('data-state');

async function untilState(name: string, state: string): Promise<void> {
  await until(`${name} ${state}`, async () => (await stateOf(name)) === state);
}

async function watch(fields: Json = {}): Promise<{ uuid: string; url: string }> {
  const shared = await share(fields);
  await page.goto(shared.url);
  for (const name of NAMES) await untilState(name, 'live');
  return shared;
}

/** What the video on the screen of a tile shows. */
function shownWidth(name: string): Promise<number> {
  return tile(name)
    .locator('video[data-layer="front"]')
    .evaluate((video: HTMLVideoElement) => video.videoWidth);
}

/** Videos of a tile that have media. */
function playing(name: string): Promise<number> {
  return tile(name)
    .locator('video')
    .evaluateAll((videos) => videos.filter((video) => (video as HTMLVideoElement).srcObject !== null).length);
}

describe('a video wall', () => {
  test('shows every camera live, with its name, the time and the age of its picture', async () => {
    await watch();
    expect(await page.title()).toBe('Control room');
    for (const [index, name] of NAMES.entries()) {
      await until('the substream', async () => (await shownWidth(name)) === 320);
      expect(await tile(name).locator('.tile-key').textContent()).toBe(String(index + 1));
      expect(await tile(name).locator('.tile-time').textContent()).toMatch(/^\d{2}:\d{2}:\d{2}$/);
      const delay = await tile(name).locator('.tile-delay').textContent();
      expect(Number.parseFloat(delay!.replace('<', '')), delay!).not.toBeNaN();
      expect(await tile(name).locator('button').getAttribute('aria-label')).toBe(`${name}. Live. Enlarge`);
    }
    expect(await page.textContent('#summary')).toBe('4 cameras');
  });

  test('enlarges a camera by its key, and goes back', async () => {
    await watch();
    await page.keyboard.press('2');
    await until('the main stream', async () => (await shownWidth('Gate')) === 1280);
    expect(await tile('Dock').isVisible()).toBe(false);
    const box = await tile('Gate').boundingBox();
    expect(box!.width).toBeGreaterThan(1_200);
    await page.keyboard.press('Escape');
    await until('the substream', async () => (await shownWidth('Gate')) === 320);
    for (const name of NAMES) await untilState(name, 'live');
    await tile('Yard').locator('button').click();
    expect(await page.getAttribute('body', 'data-enlarged')).toBe('true');
    await page.keyboard.press('0');
    expect(await page.getAttribute('body', 'data-enlarged')).toBe('false');
  });

  test('grows by nothing, however often cameras are enlarged', async () => {
    await watch();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const counts = async (): Promise<Record<string, number>> => {
      await cdp.send('HeapProfiler.collectGarbage');
      const { metrics } = await cdp.send('Performance.getMetrics');
      const wanted = metrics.filter(({ name }) =>
        ['Nodes', 'JSEventListeners', 'JSHeapUsedSize'].includes(name),
      );
      return Object.fromEntries(wanted.map(({ name, value }) => [name, value]));
    };
    const enlargeAll = async (): Promise<void> => {
      for (const [index, name] of NAMES.entries()) {
        await page.keyboard.press(String(index + 1));
        await until('the main stream', async () => (await shownWidth(name)) === 1280);
        await page.keyboard.press('0');
        await until('the substream', async () => (await shownWidth(name)) === 320);
      }
    };
    await enlargeAll();
    const before = await counts();
    for (let round = 0; round < 3; round++) await enlargeAll();
    const after = await counts();
    process.stdout.write(`12 enlargings: ${JSON.stringify({ before, after })}\n`);
    expect(after.Nodes).toBeLessThanOrEqual(before.Nodes! + 20);
    expect(after.JSEventListeners).toBeLessThanOrEqual(before.JSEventListeners! + 20);
  });

  test('has a red frame around a camera that stopped, and is live by itself when it is back', async () => {
    await watch();
    const ports = [mains[0]!, dockSub].map(({ url }) => Number(new URL(url).port));
    await Promise.all([mains[0]!.close(), dockSub.close()]);
    await until('red', async () => (await tile('Dock').getAttribute('data-alarm')) === 'true');
    expect(await stateOf('Gate')).toBe('live');
    expect(await page.textContent('#summary')).toBe('4 cameras, 1 without live video');
    const clip = await makeClip(1280, 720, { bitrateBitsPerSec: 2_000_000, gopSec: 2 });
    mains[0] = await startCamera(ports[0], { clip });
    dockSub = await startCamera(ports[1]);
    await untilState('Dock', 'live');
    expect(await tile('Dock').getAttribute('data-alarm')).toBe('false');
  });

  test('hides one camera when its schedule says so, and shows it again when it is over', async () => {
    const nowSec = Math.floor(Date.now() / MS_PER_SEC);
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', {
      schedule: { name: 'Shift', intervalList: [{ b: nowSec - 60, e: nowSec + 3_600 }] },
    });
    await watch({
      deviceScheduleMap: { [uuids[2]!]: { scheduleUuid, unscheduledMessage: 'Off shift.' } },
    });
    const backSec = Math.ceil(Date.now() / MS_PER_SEC) + 10;
    const intervalList = [{ b: backSec, e: backSec + 3_600 }];
    const changed = await gateway.call('schedule/updateAbsoluteSchedule', {
      schedule: { uuid: scheduleUuid, intervalList },
    });
    expect(changed.error, changed.errorMsg).toBe(false);
    await until('no video', async () => (await playing('Yard')) === 0);
    await untilState('Yard', 'empty');
    const text = () => tile('Yard').locator('.tile-text').textContent();
    await until('its message', async () => (await text()) === 'Off shift.');
    expect(await tile('Yard').locator('.tile-time').textContent()).toBe('');
    for (const name of ['Dock', 'Gate', 'Lobby']) expect(await stateOf(name)).toBe('live');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await untilState('Yard', 'live');
    expect(Date.now()).toBeGreaterThanOrEqual(backSec * MS_PER_SEC);
    // Nothing but questions about the wall: what is hidden is not asked for.
    expect(requests.filter((url) => !/\/wall\/[\w-]+\/cameras$/.test(url))).toEqual([]);
    expect(requests.length).toBeLessThan(4);
  });

  test('ends every view when its share is deleted, and leaves nothing', async () => {
    const shared = await watch();
    const deleted = await gateway.call('camera/deleteSharedVideoWall', { uuid: shared.uuid });
    expect(deleted.error).toBe(false);
    const count = async () => (await Promise.all(NAMES.map(playing))).reduce((sum, videos) => sum + videos);
    await until('no video', async () => (await count()) === 0);
    await page.waitForSelector('#message-title:text("This link has been turned off")');
    const left = await page.evaluate(() => ({
      playing: [...document.querySelectorAll('video')].filter((video) => video.srcObject !== null).length,
      stills: [...document.querySelectorAll('canvas')].filter((still) => !still.hidden).length,
      text: document.body.textContent,
    }));
    expect(left).toMatchObject({ playing: 0, stills: 0 });
    for (const name of NAMES) expect(left.text).not.toContain(name);
  });

  test('asks for its password, and plays once it is right', async () => {
    const { url } = await share({ password: 'Correct horse' });
    await page.goto(url);
    await page.fill('#password', 'Wrong horse');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#password-error:text("That password isn’t right")');
    expect(await page.locator('.tile').count()).toBe(0);
    await page.fill('#password', 'Correct horse');
    await page.keyboard.press('Enter');
    for (const name of NAMES) await untilState(name, 'live');
  });

  test('spends nothing on tiles that are scrolled away, and plays them when they are back', async () => {
    await watch();
    await page.setViewportSize({ width: 390, height: 420 });
    await until('the last tile is off', async () => (await playing('Lobby')) === 0);
    expect(await stateOf('Dock')).toBe('live');
    await tile('Lobby').scrollIntoViewIfNeeded();
    await untilState('Lobby', 'live');
  });

  test('plays in browsers without WebCodecs, and enlarges there', async () => {
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'VideoDecoder'));
    await watch();
    expect(await playing('Dock')).toBe(0);
    expect(await shownWidth('Dock')).toBe(320);
    await page.keyboard.press('1');
    await until('the main stream', async () => (await shownWidth('Dock')) === 1280);
  });

  test('has the layout of its owner on a wide screen, page by page, and its list on a phone', async () => {
    const place = async (name: string) => (await tile(name).boundingBox())!;
    const isOnScreen = async (name: string) => {
      const { y, height } = await place(name);
      return y >= 0 && y + height <= page.viewportSize()!.height;
    };
    const cells = [
      { cameraUuid: uuids[1], x: 0, y: 0, width: 8, height: 12 },
      { cameraUuid: uuids[2], x: 8, y: 0, width: 4, height: 6 },
    ];
    const { uuid, error } = await gateway.call('camera/createVideoWall', {
      videoWall: { displayName: 'Free', deviceList: uuids, layout: { kind: 'FREE', cells, tourSec: 5 } },
    });
    expect(error).toBe(false);
    const { url } = await share({ videoWallUuid: uuid });
    await page.goto(url);
    await untilState('Gate', 'live');
    const [gate, yard] = [await place('Gate'), await place('Yard')];
    expect(gate.width / yard.width).toBeCloseTo(2, 1);
    expect(gate.height / yard.height).toBeCloseTo(2, 1);
    // The tour turns the page.
    await until('the next page', () => isOnScreen('Dock'));
    expect(await isOnScreen('Gate')).toBe(false);
    await untilState('Lobby', 'live');
    await until('the first page again', () => isOnScreen('Gate'));
    await until('the main stream', async () => (await shownWidth('Gate')) === 1280);
    expect(await shownWidth('Yard')).toBe(320);
    // A touch stops it for a while.
    await page.keyboard.press('PageDown');
    expect(await isOnScreen('Dock')).toBe(true);
    await page.keyboard.press('1');
    await until('Dock alone', async () => (await place('Dock')).width > 1_200);
    expect((await place('Dock')).y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Escape');
    expect(await isOnScreen('Dock')).toBe(true);
    await page.setViewportSize({ width: 1_000, height: 600 });
    await until('the same page', () => isOnScreen('Dock'));
    await page.keyboard.press('PageUp');
    expect(await isOnScreen('Gate')).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    const widths = async () =>
      new Set(await Promise.all(NAMES.map(async (name) => (await place(name)).width)));
    await until('one column', async () => (await widths()).size === 1);
    expect((await place('Dock')).y).toBeLessThan((await place('Gate')).y);
  });

  test('scrolls back to a camera that was enlarged on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 420 });
    await page.goto((await share()).url);
    await tile('Lobby').scrollIntoViewIfNeeded();
    await untilState('Lobby', 'live');
    await tile('Lobby').locator('button').click();
    expect(await page.getAttribute('body', 'data-enlarged')).toBe('true');
    await page.keyboard.press('Escape');
    const { y, height } = (await tile('Lobby').boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(420);
  });

  test('can be used by keyboard alone, and says what it shows', async () => {
    await watch();
    await page.keyboard.press('ArrowRight');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('Dock. Live. Enlarge');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Gate. Live. Back to all cameras');
    expect(await page.textContent('#announce')).toBe('Gate, enlarged');
    await page.keyboard.press('Tab');
    expect(String(await focused())).not.toMatch(/Enlarge$/);
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Yard. Live. Back to all cameras');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Yard. Live. Enlarge');
  });

  test('shows the past of an enlarged camera, the same instant of another, and live when the past is turned off', async () => {
    await page.goto(pastShare.url);
    for (const name of NAMES) await untilState(name, 'live');
    expect(await page.isHidden('#wall-bar')).toBe(true);
    await page.keyboard.press('2');
    await page.selectOption('#span', '600');
    await page.waitForFunction(() => document.querySelectorAll('#timeline-windows span').length > 0);
    const box = (await page.locator('#timeline').boundingBox())!;
    const clickedSec = Date.now() / MS_PER_SEC;
    await page.mouse.click(box.x + box.width * (1 - 20 / 600), box.y + 16);
    await untilState('Gate', 'past');
    const past = page.locator('#past-video');
    const plays = () =>
      past.evaluate(
        (video: HTMLVideoElement) => video.currentTime > 0 && !video.paused && video.videoWidth === 1280,
      );
    await until('the past', plays);
    const valueNow = async () => Number(await page.getAttribute('#timeline', 'aria-valuenow'));
    const behindSec = Date.now() / MS_PER_SEC - (await valueNow());
    expect(behindSec).toBeGreaterThan(8);
    expect((await valueNow()) - clickedSec).toBeGreaterThan(-40);
    expect(await tile('Gate').getAttribute('data-alarm')).toBe('false');
    expect(await tile('Gate').locator('.tile-time').textContent()).toMatch(
      /^\d+ \w+ \d{4}, \d{2}:\d{2}:\d{2} CES?T$/,
    );
    expect(await tile('Gate').locator('button').getAttribute('aria-label')).toBe(
      'Gate. Recorded video. Back to all cameras',
    );
    const atSec = await valueNow();
    await page.keyboard.press('3');
    await untilState('Yard', 'past');
    await until('the past of the other', plays);
    // It plays on: not before the instant, and still in the past.
    expect((await valueNow()) - atSec).toBeGreaterThan(-8);
    expect(Date.now() / MS_PER_SEC - (await valueNow())).toBeGreaterThan(8);
    expect(await stateOf('Gate')).not.toBe('past');
    await page.keyboard.press('l');
    await untilState('Yard', 'live');
    await page.mouse.click(box.x + box.width * (1 - 20 / 600), box.y + 16);
    await untilState('Yard', 'past');
    const changed = await gateway.call('camera/updateSharedVideoWall', {
      uuid: pastShare.uuid,
      vodEnabled: false,
      vodEnabledUpdated: true,
    });
    expect(changed.error, changed.errorMsg).toBe(false);
    await untilState('Yard', 'live');
    expect(await past.isVisible()).toBe(false);
  });

  test('says for how long a gateway that hangs has not answered, and is live when it answers', async () => {
    await watch();
    gateway.child.process.kill('SIGSTOP');
    try {
      await page.waitForFunction(() =>
        /without live video\. No answer for \d+ s$/.test(document.querySelector('#summary')!.textContent!),
      );
      expect(await page.locator('[data-alarm="true"]').count()).toBe(4);
      await page.waitForFunction(() =>
        [...document.querySelectorAll('[data-part="title"]')].some(
          ({ textContent }) => textContent === 'The video server isn’t answering',
        ),
      );
    } finally {
      gateway.child.process.kill('SIGCONT');
    }
    for (const name of NAMES) await untilState(name, 'live');
    expect(await page.textContent('#summary')).toBe('4 cameras');
  });

  test('comes back by itself when the gateway has restarted', async () => {
    await watch();
    await gateway.end('SIGKILL');
    await until('red everywhere', async () => (await page.locator('[data-alarm="true"]').count()) === 4);
    await gateway.run();
    for (const name of NAMES) await untilState(name, 'live');
  });
});
