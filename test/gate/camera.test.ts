/** A GStreamer camera through the gateway to hls.js in Chromium: every picture has its number, in its place. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInOrder } from '../support/frame-order.ts';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { type GstCamera, NUMBERED_FRAMES, NUMBERED_PICTURE, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from '../web/browser.ts';
import { takePictures, watchFrames } from '../web/frame-watch.ts';
import { PlayerPages } from '../web/player-page.ts';

const PICTURES = 75;
const SEGMENTS = 4;
const WAIT_MS = 90_000;

let camera: GstCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startGstCamera('h264-numbered-aac'), (one) => one.stop());
  gateway = started.adopt(
    await TestGateway.start({
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [{ name: 'Dock', rtsp: camera.url }],
    }),
    (one) => one.dispose(),
  );
  browser = started.adopt(await startBrowser(), (one) => one.close());
  pages = started.adopt(await PlayerPages.start(), (one) => one.close());
});

it('plays in Chromium with each picture at its place, and loses none on the way', async () => {
  const share = await gateway.share('Dock');
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(WAIT_MS);
  await watchFrames(page);
  await pages.play(page, 'hls.js', share.m3u8Url);
  const playlistUrl = await openShare(share.m3u8Url);
  const collector = new SegmentCollector(() => playlistUrl);
  started.defer(() => collector.stop());
  const shown = await takePictures(page, PICTURES);
  expectInOrder(shown, { fps: 25, clipFrames: NUMBERED_FRAMES });
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(problems).toEqual([]);
  await page.close();

  await until('segments', () => collector.msns.length >= SEGMENTS, WAIT_MS);
  await collector.stop();
  expect(collector.failures).toEqual([]);
  expect(collector.msns).toEqual(collector.msns.map((_, at) => collector.msns[0]! + at));
  const numbers = await collector.frameNumbers(NUMBERED_PICTURE);
  expect(numbers.length).toBeGreaterThanOrEqual(PICTURES);
  expect(misplaced(numbers, NUMBERED_FRAMES)).toEqual([]);
  const [run] = collector.runs;
  expect(await decodeErrors(run!.media, ['-err_detect', 'explode'])).toBe('');
  expect(await probeStreams(run!.media)).toMatchObject([
    { codec_name: 'h264', width: NUMBERED_PICTURE.widthPx, height: NUMBERED_PICTURE.heightPx },
    { codec_name: 'aac' },
  ]);
});
