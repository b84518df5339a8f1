/** A camera is recorded, its gateway is killed and started again: the past is whole on both sides, for players and as MP4. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { expectInOrder, framesAhead, picturesIn } from '../support/frame-order.ts';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { BY_KEY, recordMore, sessionQuery } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from '../web/browser.ts';
import { frameOnScreen, type ShownFrame, takePictures, watchFrames } from '../web/frame-watch.ts';
import { PlayerPages } from '../web/player-page.ts';
import { openVideo } from '../web/video-page.ts';

const PICTURE = { widthPx: 320, heightPx: 180 };
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const NUMBERS = { fps: FRAMES_PER_SEC, clipFrames: CLIP_FRAMES };
const WAIT_MS = 90_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;
/** From the first recorded second to the last one. */
let range = { startSec: 0, durationSec: 0 };
let cameraUuid: string;
/** What the MP4 of the range shows. */
let numbers: (number | null)[] = [];
/** When each of them is shown, seconds in the file. A camera that was opened again keeps another distance at first. */
let timesSec: number[] = [];

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startCamera(), (one) => one.close());
  gateway = started.adopt(
    await TestGateway.start({
      sources: { ...PATIENT, backoffMin: '200ms', backoffMax: '1s' },
      hls: { segmentTarget: '1s', partTarget: '200ms' },
      recording: { fileSize: '4MiB', minFree: '16MiB' },
      cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
    }),
    (one) => one.dispose(),
  );
  cameraUuid = await gateway.cameraUuid('Dock');
  await recordMore(gateway, 1);
  const startSec = Math.floor(Date.now() / 1_000);
  await recordMore(gateway, 4);
  await gateway.restart('SIGKILL');
  await recordMore(gateway, 4);
  range = { startSec, durationSec: Math.floor(Date.now() / 1_000) - startSec };
  // To its end on the disk: as long as segments are added, the next request for bytes is one for another file.
  await recordMore(gateway, 3);
  browser = started.adopt(await startBrowser(), (one) => one.close());
  pages = started.adopt(await PlayerPages.start(), (one) => one.close());
});

const mp4Path = () => `/media/${cameraUuid}/local/vod/${range.startSec}/${range.durationSec}/clip.mp4`;

/** Where the numbers do not continue. */
const seams = () =>
  numbers.flatMap((number, at) => (at > 0 && number !== next(numbers[at - 1]!) ? [at] : []));
const next = (number: number | null) => ((number ?? Number.NaN) + 1) % CLIP_FRAMES;

it('is downloaded as an MP4 that lacks nothing but the restart', async () => {
  const response = await fetch(gateway.mediaUrl + mp4Path(), { headers: BY_KEY });
  const file = Buffer.from(await response.arrayBuffer());
  expect([response.status, Number(response.headers.get('content-length'))]).toEqual([200, file.length]);
  expect(await probeStreams([file])).toMatchObject([
    { codec_name: 'h264', width: PICTURE.widthPx, height: PICTURE.heightPx },
    { codec_name: 'aac' },
  ]);
  expect(await decodeErrors([file], ['-err_detect', 'explode'])).toBe('');
  numbers = await decodedFrameNumbers([file], PICTURE);
  expect(numbers).not.toContain(null);
  const [seam, ...more] = seams();
  expect(more).toEqual([]);
  // Whole segments before the kill and after it; across it, the camera went on.
  expect(seam).toBeGreaterThan(2 * FRAMES_PER_SEC);
  expect(numbers.length - seam!).toBeGreaterThan(2 * FRAMES_PER_SEC);
  const lost = (numbers[seam!]! - numbers[seam! - 1]! + CLIP_FRAMES) % CLIP_FRAMES;
  expect(lost).toBeLessThan(CLIP_FRAMES / 2);
  // Those before the first second are only there to decode the others.
  const shown = (await probePackets([file], 'v')).filter(({ flags }) => !flags.includes('D'));
  expect(shown).toHaveLength(numbers.length);
  timesSec = shown.map(({ pts_time }) => Number(pts_time));
});

it('is scrubbed frame by frame as a file, on both sides of the restart', async () => {
  const page = await openVideo(browser, gateway, mp4Path() + (await sessionQuery(gateway)));
  page.setDefaultTimeout(WAIT_MS);
  await page.waitForFunction(() => document.querySelector('video')!.readyState >= 2);
  const [seam] = seams();
  for (const at of [numbers.length - 5, seam!, 3, seam! - 1]) {
    await page.evaluate(
      (sec) => {
        document.querySelector('video')!.currentTime = sec;
      },
      (timesSec[at]! + timesSec[at + 1]!) / 2,
    );
    let onScreen: number | null | undefined;
    const isShown = async () => {
      onScreen = (await frameOnScreen(page))?.number;
      return onScreen === numbers[at];
    };
    await until(`frame ${at}`, isShown, WAIT_MS).catch((cause: unknown) => {
      const where = `${numbers[at]} at ${timesSec[at]} s of ${timesSec.at(-1)} s`;
      throw new Error(`the page shows ${onScreen}, not ${where}`, { cause });
    });
  }
  await page.close();
});

it('is played by hls.js over the restart, and scrubbed back before it', async () => {
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
  const url = uris.wanVodM3u8UriTemplate
    .replace('{START_TIME}', `${range.startSec}`)
    .replace('{DURATION}', `${range.durationSec}`);
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(WAIT_MS);
  await watchFrames(page);
  await pages.play(page, 'hls.js', url + (await sessionQuery(gateway)));
  const seam = numbers[seams()[0]!]!;
  const aheadOf = (from: number, number: number | null) => framesAhead(from, number, CLIP_FRAMES);
  const shown: ShownFrame[] = [];
  const after = () => shown.filter(({ number }) => aheadOf(seam, number) >= 0);
  while (picturesIn(after()) < FRAMES_PER_SEC) shown.push(...(await takePictures(page, 1)));
  expectInOrder(after(), NUMBERS);
  const before = shown.filter((frame) => !after().includes(frame));
  expectInOrder(before, NUMBERS);
  expect(picturesIn(before)).toBeGreaterThan(FRAMES_PER_SEC);
  // From beyond the restart to a second after the start.
  await page.evaluate(() => {
    const video = document.querySelector('video')!;
    video.pause();
    video.currentTime = 1;
  });
  const isSought = async () => {
    // The list begins with the segment in which the range does.
    const ahead = aheadOf(numbers[0]!, (await frameOnScreen(page))?.number ?? null);
    return Math.abs(ahead) <= 2 * FRAMES_PER_SEC;
  };
  await until('the past', isSought, WAIT_MS);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(problems).toEqual([]);
  await page.close();
});
