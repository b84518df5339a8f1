/**
 * An MP4 of a camera's past, over a restart of the camera and a kill of the gateway: what ffmpeg decodes, what Chromium's
 * video element plays and seeks, and the clip that is copied of it.
 */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { decodeErrors, probePackets } from '../support/media-check.ts';
import { BY_KEY, recordMore, sessionQuery } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { frameOnScreen, takeShownFrames, watchFrames } from './frame-watch.ts';
import { openVideo } from './video-page.ts';

const AAC_FRAME_SEC = 1_024 / 48_000;
const PICTURE = { widthPx: 320, heightPx: 180 };
const WAIT_MS = 100_000;
const SPLICE_SEC = 3;
/** Of a clip without a gap. */
const WHOLE_SEC = 1;

let clip: Clip;
let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let cameraUuid: string;
/** When the camera's first life began, epoch milliseconds. */
let bornMs = 0;
let range = { startSec: 0, durationSec: 0 };
/** Ordered before the gateway was killed, and not due then. */
let orderedUuid = '';
let orderedStartMs = 0;

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx);
  camera = await startCamera(0, { clip });
  bornMs = camera.startEpochMs;
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { segmentTarget: '1s', partTarget: '200ms' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
  cameraUuid = await gateway.cameraUuid('Dock');
  await recordMore(gateway, 2);
  // In the middle of a group of pictures, and of a frame.
  const startSec = Math.round(Date.now() / 1_000) + 0.5;
  await recordMore(gateway, 3);
  const { port } = camera;
  await camera.close();
  camera = await startCamera(port, { clip });
  await recordMore(gateway, 4);
  orderedStartMs = Date.now() - 1_000;
  const order = { deviceUuids: [cameraUuid], startTimeMillis: orderedStartMs, durationSec: SPLICE_SEC };
  orderedUuid = (await gateway.call('video/spliceV3', { ...order, title: 'Ordered' })).clipUuid;
  await gateway.restart('SIGKILL');
  await recordMore(gateway, 5);
  range = { startSec, durationSec: Math.floor(Date.now() / 1_000) - 2 - startSec };
  browser = await startBrowser();
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

const pathOf = ({ startSec, durationSec }: typeof range) =>
  `/media/${cameraUuid}/local/vod/${startSec}/${durationSec}/clip.mp4`;

async function fetchBytes(path: string): Promise<Buffer> {
  const response = await fetch(gateway.mediaUrl + path, { headers: BY_KEY });
  if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
  return bytes;
}

async function completed(clipUuid: string): Promise<Record<string, unknown>> {
  return until(
    'the clip',
    async () => {
      const { clip: saved } = await gateway.call('event/getClipWithProgress', { clipUuid });
      if (saved.status === 'FAILED') throw new Error(String(saved.currentOperation));
      return saved.status === 'COMPLETE' ? saved : null;
    },
    WAIT_MS,
  );
}

/** Where the numbers do not go on. */
function breaks(numbers: readonly (number | null)[]): number[] {
  const total = clip.pictures.length;
  return numbers.flatMap((number, i) => (i > 0 && number !== (numbers[i - 1]! + 1) % total ? [i] : []));
}

test('has every frame of its time, and its sound to the end', async () => {
  const file = await fetchBytes(pathOf(range));
  expect(await decodeErrors([file])).toBe('');
  const numbers = await decodedFrameNumbers([file], PICTURE);
  expect(numbers).not.toContain(null);
  // The camera's restart and the gateway's; a busy machine can lose the camera once more.
  expect(breaks(numbers).length).toBeGreaterThanOrEqual(2);
  expect(breaks(numbers).length).toBeLessThanOrEqual(4);
  expectNumbersInTime([{ number: numbers[0]!, wallMs: range.startSec * 1_000 }], {
    startEpochMs: bornMs,
    clipFrames: clip.pictures.length,
    fps: FRAMES_PER_SEC,
  });
  const [video, audio] = await Promise.all([probePackets([file], 'v'), probePackets([file], 'a')]);
  const endSec = (packets: typeof video) =>
    Number(packets.at(-1)!.pts_time) + Number(packets.at(-1)!.duration_time);
  expect(Math.abs(endSec(video) - numbers.length / FRAMES_PER_SEC)).toBeLessThan(0.001);
  expect(Math.abs(endSec(audio) - endSec(video))).toBeLessThan(0.05);
});

test('is copied as a clip with the same bytes', async () => {
  const wanted = { startSec: range.startSec, durationSec: WHOLE_SEC };
  const { clipUuid } = await gateway.call('video/spliceV3', {
    deviceUuids: [cameraUuid],
    startTimeMillis: wanted.startSec * 1_000,
    durationSec: WHOLE_SEC,
  });
  const saved = await completed(clipUuid);
  const file = await fetchBytes(`/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`);
  expect(saved).toMatchObject({
    byteCount: file.length,
    sha256Hex: createHash('sha256').update(file).digest('hex'),
    percentComplete: 100,
    durationSec: WHOLE_SEC,
  });
  expect(saved.thumbnailLocation).toEqual({ region: 'local' });
  const image = await fetchBytes(`/media/metadata/${cameraUuid}/local/${clipUuid}.jpeg`);
  expect(image.toString('hex', 0, 2)).toBe('ffd8');
  expect(file.equals(await fetchBytes(pathOf(wanted)))).toBe(true);
  expect(await decodedFrameNumbers([file], PICTURE)).toHaveLength(WHOLE_SEC * FRAMES_PER_SEC);
});

test('is copied although the gateway was killed after the order', async () => {
  await completed(orderedUuid);
  const file = await fetchBytes(`/media/metadata/${cameraUuid}/local/${orderedUuid}.mp4`);
  const numbers = await decodedFrameNumbers([file], PICTURE);
  // The end of its time was lost with the gateway.
  expect(numbers.length).toBeGreaterThan(FRAMES_PER_SEC / 2);
  expect(numbers.length).toBeLessThanOrEqual(SPLICE_SEC * FRAMES_PER_SEC);
  const { splicedClips } = await gateway.call('video/getSplicedClipsInProgress');
  expect(splicedClips).toEqual([]);
});

test("plays in Chromium's video element, and seeks to the frame", async () => {
  const numbers = await decodedFrameNumbers([await fetchBytes(pathOf(range))], PICTURE);
  const query = await sessionQuery(gateway);
  const page = await openVideo(browser, gateway, pathOf(range) + query);
  const durationSec = await page.evaluate(async () => {
    const video = document.querySelector('video')!;
    await video.play();
    return video.duration;
  });
  // Chromium counts the last AAC frame as a whole; it ends up to half a frame after the video.
  expect(Math.abs(durationSec - numbers.length / FRAMES_PER_SEC)).toBeLessThan(AAC_FRAME_SEC / 2 + 0.001);
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1, null, {
    timeout: WAIT_MS,
  });
  const shown = (await takeShownFrames(page)).filter(({ number }) => number !== null);
  expect(shown).not.toEqual([]);
  for (const { number, mediaSec } of shown) {
    expect(number).toBe(numbers[Math.round(mediaSec * FRAMES_PER_SEC)]);
  }
  const second = breaks(numbers)[0]!;
  for (const index of [second + 10, 3, numbers.length - 5, second - 2]) {
    await page.evaluate(
      async (atSec) => {
        const video = document.querySelector('video')!;
        video.pause();
        const seeked = new Promise((done) => video.addEventListener('seeked', done, { once: true }));
        video.currentTime = atSec;
        await seeked;
      },
      (index + 0.5) / FRAMES_PER_SEC,
    );
    await until(`frame ${index}`, async () => (await frameOnScreen(page))?.number === numbers[index]);
  }
  await page.close();
});

test('is shared as a clip by a link with a password: played, sought, and gone with the link', async () => {
  const splice = async (startMs: number, durationSec: number, title: string): Promise<string> =>
    (
      await gateway.call('video/spliceV3', {
        deviceUuids: [cameraUuid],
        startTimeMillis: Math.round(startMs),
        durationSec,
        title,
      })
    ).clipUuid;
  const made = await splice(range.startSec * 1_000, WHOLE_SEC, 'At the dock');
  await completed(made);
  // Its end is still to come.
  const ordered = await splice(Date.now() - 1_000, 6, 'After the dock');
  const { uuid, shareUrl } = await gateway.call('event/createSharedClipGroupV3', {
    uuids: [{ eventUuid: made }, { eventUuid: ordered }],
    title: 'Tuesday',
    plaintextPassword: 'Correct horse',
    expirationTimeSecs: 3_600,
  });
  const { page, problems, origins } = await openPage(browser);
  await watchFrames(page);
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.mp4')) statuses.push(response.status());
  });
  await page.goto(shareUrl);
  await page.fill('#password', 'Wrong horse');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#password-error:text("That password isn’t right")');
  expect(await page.textContent('body')).not.toContain('dock');
  await page.fill('#password', 'Correct horse');
  await page.keyboard.press('Enter');
  const row = (title: string) =>
    page.locator('.clip', { has: page.locator(`.clip-name:text-is("${title}")`) });
  await row('At the dock').waitFor();
  expect(await page.title()).toBe('Tuesday');
  expect(await row('At the dock').getAttribute('data-state')).toBe('ready');
  expect(await row('After the dock').getAttribute('data-state')).toBe('making');
  expect(await row('After the dock').locator('progress').isVisible()).toBe(true);

  const numbers = await decodedFrameNumbers(
    [await fetchBytes(`/media/metadata/${cameraUuid}/local/${made}.mp4`)],
    PICTURE,
  );
  await row('At the dock').locator('button').click();
  await page.waitForFunction(() => document.querySelector('video')!.ended, null, { timeout: WAIT_MS });
  const shown = (await takeShownFrames(page)).filter(({ number }) => number !== null);
  expect(shown).not.toEqual([]);
  for (const { number, mediaSec } of shown) {
    expect(number).toBe(numbers[Math.round(mediaSec * FRAMES_PER_SEC)]);
  }
  for (const index of [7, numbers.length - 3]) {
    await page.evaluate(
      (atSec) => {
        document.querySelector('video')!.currentTime = atSec;
      },
      (index + 0.5) / FRAMES_PER_SEC,
    );
    await until(`frame ${index}`, async () => (await frameOnScreen(page))?.number === numbers[index]);
  }
  expect(statuses).toContain(206);

  await page.waitForSelector('.clip[data-state="ready"] .clip-name:text-is("After the dock")', {
    timeout: WAIT_MS,
  });
  const image = row('After the dock').locator('img');
  await until('its image', () => image.isVisible());
  await row('After the dock').locator('button').click();
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.5, null, {
    timeout: WAIT_MS,
  });

  expect((await gateway.call('event/deleteSharedClipGroupV2', { uuid })).error).toBe(false);
  await page.waitForSelector('#message-title:text("This link has been turned off")', { timeout: WAIT_MS });
  const left = await page.evaluate(() => ({
    sources: [...document.querySelectorAll('video[src], img[src]')].length,
    text: document.body.textContent,
  }));
  expect(left.sources).toBe(0);
  expect(left.text).not.toContain('dock');
  await page.close();
  expect(problems).toEqual([]);
  expect([...origins].filter((origin) => origin !== gateway.mediaUrl)).toEqual([]);
});

test('plays and seeks in a time that is still being recorded', async () => {
  await recordMore(gateway, 1);
  const growing = { startSec: Math.floor(Date.now() / 1_000) - 4, durationSec: 600 };
  const page = await openVideo(browser, gateway, pathOf(growing) + (await sessionQuery(gateway)));
  await page.waitForFunction(() => document.querySelector('video')!.readyState >= 2, null, {
    timeout: WAIT_MS,
  });
  const durationSec = await page.evaluate(() => document.querySelector('video')!.duration);
  expect(durationSec).toBeGreaterThan(0.5);
  for (const atSec of [durationSec - 0.1, 0, durationSec / 2]) {
    // Longer than the gateway has the same response for the same question.
    await recordMore(gateway, 3);
    const after = await page.evaluate(async (sec) => {
      const video = document.querySelector('video')!;
      const ended = new Promise((done) => {
        for (const type of ['seeked', 'error']) video.addEventListener(type, done, { once: true });
      });
      video.currentTime = sec;
      await ended;
      return { error: video.error?.message ?? null, durationSec: video.duration };
    }, atSec);
    expect(after).toEqual({ error: null, durationSec });
  }
  await page.close();
});
