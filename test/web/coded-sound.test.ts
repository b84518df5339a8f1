/**
 * Audio other than AAC, or from a playlist of its own, in Chromium, in unmodified players: what the page's loudspeakers would get is measured. The cameras
 * are GStreamer's, whose sound is a tick every second.
 */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, type GstCameraKind, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { type HlsOrigin, startHlsOrigin } from '../support/hls-origin.ts';
import { workersOf } from '../support/processes.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

interface SoundCase {
  readonly kind: GstCameraKind;
  readonly codec: string;
  readonly player: PlayerName;
}

const CASES: readonly SoundCase[] = [
  { kind: 'h264-pcmu', codec: 'fLaC', player: 'hls.js' },
  { kind: 'h264-pcmu', codec: 'fLaC', player: 'dash.js' },
  { kind: 'h264-pcma', codec: 'fLaC', player: 'hls.js' },
  { kind: 'h264-l16', codec: 'fLaC', player: 'hls.js' },
  { kind: 'h264-g726', codec: 'fLaC', player: 'hls.js' },
  { kind: 'h264-opus', codec: 'Opus', player: 'hls.js' },
  { kind: 'h264-opus', codec: 'Opus', player: 'dash.js' },
];
const KINDS = [...new Set(CASES.map(({ kind }) => kind))];
const WATCH_SEC = 6;
const SAMPLE_MS = 20;
/** Of full scale: a tick's amplitude is 0.8, and between two ticks there is nothing. */
const LOUD = 0.2;
const QUIET = 0.02;
const MIN_TICKS = 4;
const WAIT_MS = 100_000;

/** Of a microphone with G.711, after the camera was opened. */
const MUTED = { fromMs: 6_000, toMs: 12_000 };

let cameras: GstCamera[] = [];
let fickle: SyntheticCamera;
let apart: HlsOrigin;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

beforeAll(async () => {
  cameras = await Promise.all(KINDS.map((kind) => startGstCamera(kind)));
  fickle = await startCamera(0, { isPcmu: true, faults: { muted: [MUTED] } });
  apart = await startHlsOrigin('fmp4-apart');
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [
      ...KINDS.map((kind, index) => ({ name: kind, rtsp: cameras[index]!.url })),
      { name: 'fickle', rtsp: fickle.url },
      { name: 'apart', rtsp: apart.url },
    ],
  });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.stop()));
  await Promise.all([fickle?.close(), apart?.close()]);
});

interface Heard {
  /** Times of the beginnings of what is loud, in the media. */
  readonly tickSec: readonly number[];
  readonly quietShare: number;
  readonly decodedBytes: number;
}

/** A click lets the page make noise; then its loudspeakers' signal is sampled. */
async function listen(page: Page): Promise<Heard> {
  await page.mouse.click(5, 5);
  return page.evaluate(
    async ({ watchSec, sampleMs, loud, quiet }) => {
      const video = document.querySelector('video') as HTMLVideoElement & {
        webkitAudioDecodedByteCount: number;
      };
      const context = new AudioContext();
      await context.resume();
      const analyser = context.createAnalyser();
      // Longer than the page is ever held up.
      analyser.fftSize = 16_384;
      context.createMediaElementSource(video).connect(analyser);
      analyser.connect(context.destination);
      video.muted = false;
      const samples = new Float32Array(analyser.fftSize);
      const tickSec: number[] = [];
      let [quietCount, count, wasLoud] = [0, 0, false];
      const [startSec, startBytes] = [video.currentTime, video.webkitAudioDecodedByteCount];
      while (video.currentTime < startSec + watchSec) {
        await new Promise((done) => setTimeout(done, sampleMs));
        analyser.getFloatTimeDomainData(samples);
        const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
        // The samples end now: where it begins in them says when that was, however late the page looks.
        const agoSec = (samples.length - samples.findIndex((it) => Math.abs(it) > loud)) / context.sampleRate;
        if (peak > loud && !wasLoud) tickSec.push(video.currentTime - agoSec * video.playbackRate);
        wasLoud = peak > loud;
        count += 1;
        if (peak < quiet) quietCount += 1;
      }
      return {
        tickSec,
        quietShare: quietCount / count,
        decodedBytes: video.webkitAudioDecodedByteCount - startBytes,
      };
    },
    { watchSec: WATCH_SEC, sampleMs: SAMPLE_MS, loud: LOUD, quiet: QUIET },
  );
}

test.each(CASES)('$kind is heard as $codec in $player', async ({ kind, codec, player }) => {
  const { page } = await openPage(browser);
  const share = await gateway.share(kind);
  const url =
    player === 'dash.js' ? (await openShare(share.m3u8Url)).replace(/[^/]*$/, 'file.mpd') : share.m3u8Url;
  await pages.play(page, player, url);
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1, null, {
    timeout: WAIT_MS,
  });
  const text = await (await fetch(url)).text();
  expect(text).toContain(codec);
  const heard = await listen(page);
  process.stdout.write(`${kind} in ${player}: ${JSON.stringify(heard)}\n`);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(heard.decodedBytes).toBeGreaterThan(0);
  expect(heard.tickSec.length).toBeGreaterThanOrEqual(MIN_TICKS);
  const apartSec = heard.tickSec.slice(1).map((sec, index) => sec - heard.tickSec[index]!);
  // A page that is held up misses a tick.
  for (const each of apartSec) expect(Math.abs(each - Math.round(each))).toBeLessThan(0.15);
  expect(apartSec.filter((each) => Math.round(each) === 1).length).toBeGreaterThan(apartSec.length / 2);
  expect(heard.quietShare).toBeGreaterThan(0.4);
  expect(workersOf(gateway.child.process.pid!)).toEqual([]);
  await page.close();
});

test('the picture plays on while a microphone with G.711 is off, which is heard again afterwards', async () => {
  const { page } = await openPage(browser);
  const share = await gateway.share('fickle');
  await pages.play(page, 'hls.js', share.m3u8Url);
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1, null, {
    timeout: WAIT_MS,
  });
  await watchPlayback(page);
  const endSec = (MUTED.toMs + 2_000) / 1_000;
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime >= sec, endSec, {
    timeout: WAIT_MS,
  });
  const { breaks } = await takePlayback(page);
  expect(breaks).toEqual([]);
  const heard = await listen(page);
  expect(heard.tickSec.length).toBeGreaterThanOrEqual(MIN_TICKS);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  await page.close();
});

test('audio that a camera over HLS has in a playlist of its own is heard', async () => {
  const { page } = await openPage(browser);
  const share = await gateway.share('apart');
  await pages.play(page, 'hls.js', share.m3u8Url);
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1, null, {
    timeout: WAIT_MS,
  });
  const heard = await listen(page);
  process.stdout.write(`apart in hls.js: ${JSON.stringify(heard)}\n`);
  expect(heard.decodedBytes).toBeGreaterThan(0);
  expect(heard.tickSec.length).toBeGreaterThanOrEqual(MIN_TICKS);
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(workersOf(gateway.child.process.pid!)).toEqual([]);
  await page.close();
});
