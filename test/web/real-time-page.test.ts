/** The page of a share link in real time (`?realtime`), in Chromium, against a whole gateway with a synthetic camera. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { cardTitled, firstPictureMs, type ShownFrame, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

/** Frames in the clip: the number in the frame starts over after them. */
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const WATCH_FRAMES = 10 * FRAMES_PER_SEC;
const BLOCKED_MS = 4_000;

let camera: SyntheticCamera;
/** When frame 0 was due, give or take the time the camera took to start listening. */
let cameraStartEpochMs: number;
let fickle: SyntheticCamera;
let gateway: TestGateway;
let page: Page;

beforeAll(async () => {
  await (await startCamera()).close(); // makes the clip, which may take a while
  cameraStartEpochMs = Date.now();
  camera = await startCamera();
  fickle = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Fickle', rtsp: fickle.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await fickle?.close();
});

const opened = useGatewayPage(() => gateway);
beforeEach(() => {
  page = opened().page;
});

async function watch(cameraName = 'Dock', fields: Record<string, unknown> = {}): Promise<TestShare> {
  const share = await gateway.share(cameraName, fields);
  await page.goto(`${share.pageUrl}?realtime`);
  await waitForMotion(page);
  return share;
}

const player = () => page.evaluate(() => document.documentElement.dataset.player);

/** How long ago the camera sent the frame, when it was on the screen. */
function delayMs({ number, atEpochMs }: ShownFrame): number {
  const dueMs = cameraStartEpochMs + number! * FRAME_MS;
  return (atEpochMs - dueMs) % (CLIP_FRAMES * FRAME_MS);
}

describe('watching in real time', () => {
  test('shows pictures of the camera, in order', async () => {
    await watch();
    expect(await player()).toBe('realtime');
    await page.waitForSelector('#live[data-state="live"]');
    await takeShownFrames(page);
    const shown: ShownFrame[] = [];
    await until('frames', async () => shown.push(...(await takeShownFrames(page))) >= WATCH_FRAMES);
    expect(shown.filter(({ number }) => number === null)).toEqual([]);
    const steps = shown
      .slice(1)
      .map(({ number }, i) => (number! - shown[i]!.number! + CLIP_FRAMES) % CLIP_FRAMES);
    // A step back is one of almost a whole clip.
    expect(steps.filter((step) => step > CLIP_FRAMES / 2)).toEqual([]);
    await page.waitForSelector('#mute:visible');
    expect(await page.textContent('#picture-time')).toMatch(
      /\d{2}:\d{2}:\d{2} CES?T · <?\d+(?:\.\d)? s delay$/,
    );
  });

  test('has a picture each time it is opened', async () => {
    const share = await watch();
    for (let round = 0; round < 3; round++) {
      await page.goto(`${share.pageUrl}?realtime`);
      await firstPictureMs(page);
    }
    expect(await player()).toBe('realtime');
  });

  test('is live again after the page stood still, without playing what it missed', async () => {
    await watch();
    await page.evaluate((blockedMs) => {
      const endMs = performance.now() + blockedMs;
      while (performance.now() < endMs);
    }, BLOCKED_MS);
    await page.waitForTimeout(0);
    await takeShownFrames(page);
    // Played one by one, all that it missed would keep it as far behind as it stood still.
    await until('a frame that is live', async () =>
      (await takeShownFrames(page)).some((frame) => frame.number !== null && delayMs(frame) < BLOCKED_MS / 2),
    );
    expect(await player()).toBe('realtime');
  });

  test('shows itself on a phone and on a desk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
    await watch();
    for (const [width, height] of [
      [390, 844],
      [1_280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      const picture = await page.screenshot({ path: join(folder, `real-time-${width}.png`) });
      expect(picture.length).toBeGreaterThan(5_000);
      const stage = (await page.locator('#stage').boundingBox())!;
      expect([stage.x, Math.round(stage.width)]).toEqual([0, width]);
    }
    await rm(folder, { recursive: true });
  });
});

describe('losing access while watching in real time', () => {
  const nowSec = () => Math.ceil(Date.now() / 1_000);

  async function expectCutOff(title: string): Promise<string> {
    const card = await cardTitled(page, title);
    await expectNoPicture(page);
    return card.text;
  }

  test('to a withdrawn share', async () => {
    await gateway.revoke(await watch());
    await expectCutOff('This link has been turned off');
  });

  test('to an expired share', async () => {
    const { uuid } = await watch('Dock', { expirationTimeSecs: nowSec() + 3_600 });
    const soon = { expirationTimeSecs: nowSec() + 2, expirationTimeSecsUpdated: true };
    const changed = await gateway.call('camera/updateSharedLiveVideoStream', { uuid, ...soon });
    expect(changed).toMatchObject({ error: false });
    await expectCutOff('This link has expired');
  });

  test('when the schedule hides it, saying when it returns; and plays again then', async () => {
    const always = { name: 'Shift', intervalList: [{ b: nowSec() - 60, e: nowSec() + 3_600 }] };
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', { schedule: always });
    await watch('Dock', { scheduleUuid });
    const hiddenSec = nowSec() + 2;
    const intervalList = [
      { b: hiddenSec - 60, e: hiddenSec },
      { b: hiddenSec + 5, e: hiddenSec + 600 },
    ];
    const schedule = { uuid: scheduleUuid, intervalList };
    await gateway.call('schedule/updateAbsoluteSchedule', { schedule });
    const text = await expectCutOff('Not available right now');
    expect(text).toMatch(/resumes today at \d{2}:\d{2}/);
    await waitForMotion(page);
    expect(await player()).toBe('realtime');
  });
});

describe('what else happens in real time', () => {
  test('a camera that goes away is said to be offline, over its last picture, and plays when it is back', async () => {
    await watch('Fickle');
    const { port } = fickle;
    await fickle.close();
    await page.waitForSelector('#notice[data-kind="offline"]');
    expect(await page.textContent('#notice-title')).toBe('The camera is offline');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.isVisible('#still')).toBe(true);
    fickle = await until('the port to be free', () => startCamera(port));
    await waitForMotion(page);
    expect(await player()).toBe('realtime');
  });

  test('a gateway that restarts is reconnected to', async () => {
    await watch();
    await gateway.end();
    await page.waitForSelector('#notice[data-kind="reconnecting"]');
    await gateway.run();
    await waitForMotion(page);
    expect(await player()).toBe('realtime');
  });

  test('a decoder that is fed and shows nothing is replaced', async () => {
    page.setDefaultTimeout(100_000);
    await page.addInitScript(() => {
      const { decode } = VideoDecoder.prototype;
      let mute: VideoDecoder | null = null;
      VideoDecoder.prototype.decode = function (chunk) {
        mute ??= this;
        if (this !== mute) decode.call(this, chunk);
      };
    });
    await watch();
    expect(await player()).toBe('realtime');
  });

  test('a pause holds the picture, and playing goes on live', async () => {
    await watch();
    await page.click('#play');
    await page.waitForSelector('#live[data-state="paused"]');
    await page.click('#play');
    await page.waitForSelector('#live[data-state="live"]');
    await waitForMotion(page);
  });
});

describe('where real time does not work', () => {
  test.each([
    [
      'WebCodecs are missing',
      'This browser can’t play in real time.',
      () => page.addInitScript(() => Reflect.deleteProperty(window, 'VideoDecoder')),
    ],
    [
      'WebSockets do not get through',
      'This network blocks the connection for real time.',
      () => page.routeWebSocket(/\/ws$/, (socket) => void socket.close()),
    ],
    [
      'frames cannot be decoded',
      'This browser can’t play this camera in real time.',
      () =>
        page.addInitScript(() => {
          VideoDecoder.prototype.configure = () => {
            throw new DOMException('no decoder', 'NotSupportedError');
          };
        }),
    ],
  ])('HLS plays instead when %s, and the page says why', async (_case, reason, break_) => {
    await break_();
    await watch();
    expect(await player()).toBe('hls');
    await page.waitForSelector('#live[data-state="live"]');
    const note = `${reason} The video is a few seconds behind instead.`;
    expect(await page.textContent('#mode-note')).toBe(note);
    expect(await page.isVisible('#mode-note')).toBe(true);
  });

  test('the viewer gets it back without a reload once it works', async () => {
    let isBlocked = true;
    await page.routeWebSocket(/\/ws$/, (socket) =>
      isBlocked ? void socket.close() : void socket.connectToServer(),
    );
    await watch();
    expect(await player()).toBe('hls');
    // It still does not work: HLS plays on, and the page still says why.
    await page.click('#mode-retry');
    await page.waitForSelector('#mode-note:text("This network blocks the connection for real time.")');
    await waitForMotion(page);
    expect(await player()).toBe('hls');
    isBlocked = false;
    await page.click('#mode-retry');
    await page.waitForSelector('#mode-retry', { state: 'hidden' });
    await waitForMotion(page);
    expect(await player()).toBe('realtime');
    expect(await page.textContent('#mode-note')).toBe('');
  });

  test('the picture goes through a canvas where there are no tracks of frames', async () => {
    await page.addInitScript(() => Reflect.deleteProperty(window, 'MediaStreamTrackGenerator'));
    await watch();
    expect(await player()).toBe('realtime');
    await takeShownFrames(page);
    const shown: ShownFrame[] = [];
    await until('frames', async () => shown.push(...(await takeShownFrames(page))) >= FRAMES_PER_SEC);
    expect(shown.some(({ number }) => number !== null)).toBe(true);
  });
});
