/**
 * hls.js, dash.js and Shaka Player in Chromium, unmodified and with their own settings, play the past of a camera that
 * restarted in the middle: every frame that they show has the number that its wall time says.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { recordMore, sessionQuery } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { frameOnScreen, takeShownFrames, type VideoPicture, watchFrames } from './frame-watch.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const PLAYERS: readonly PlayerName[] = ['hls.js', 'dash.js', 'Shaka Player'];
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const WAIT_MS = 100_000;
const BORDER_SEC = 0.1;
const GOP_MS = 1_000;
/**
 * When dash.js seeks into another Period, it sets the time first and empties the buffers then. If Chromium has begun to
 * decode by that time, it goes on with the next key frame and never shows the one that was sought (playback.md). Within a
 * Period, the buffer stays.
 */
const MAX_SEEKS: Readonly<Record<PlayerName, number>> = { 'hls.js': 1, 'dash.js': 3, 'Shaka Player': 1 };

/** What the camera sends, and how players ask for its past. */
export interface RecordedCodec {
  readonly codec: 'h264' | 'h265';
  /** Added to the query of a Multivariant Playlist, which names one variant otherwise. */
  readonly hlsQuery: string;
}

export function describePastPlayers({ codec, hlsQuery }: RecordedCodec): void {
  let camera: SyntheticCamera;
  let gateway: TestGateway;
  let browser: TestBrowser;
  let pages: PlayerPages;
  let page: Page;
  /** When each life of the camera began, epoch milliseconds. */
  const lives: number[] = [];
  let range = { startSec: 0, durationSec: 0 };

  async function startLife(port = 0): Promise<void> {
    camera = await startCamera(port, {
      clip: await makeClip(320, 180, { ...(codec === 'h265' ? { codec } : {}), durationSec: 64 }),
    });
    lives.push(camera.startEpochMs);
  }

  async function fetchText(url: string): Promise<string> {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} for ${url}`);
    return response.text();
  }

  beforeAll(async () => {
    await startLife();
    gateway = await TestGateway.start({
      sources: { backoffMin: '200ms', backoffMax: '1s' },
      hls: { segmentTarget: '1s', partTarget: '200ms' },
      recording: { fileSize: '4MiB', minFree: '16MiB' },
      cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
    });
    // dash.js is late by the time before the first frame when it seeks for the first time: the range begins with one.
    await recordMore(gateway, 1);
    const startSec = Math.floor(Date.now() / 1_000);
    await recordMore(gateway, 6);
    const { port } = camera;
    await camera.close();
    await startLife(port);
    await recordMore(gateway, 6);
    range = { startSec, durationSec: Math.ceil(Date.now() / 1_000) - startSec };
    browser = await startBrowser();
    pages = await PlayerPages.start();
  });

  afterAll(async () => {
    await pages?.close();
    await browser?.close();
    await gateway?.dispose();
    await camera?.close();
  });

  beforeEach(async () => {
    ({ page } = await openPage(browser));
    await watchFrames(page);
  });

  afterEach(() => page.close());

  async function pastUrl(player: PlayerName): Promise<string> {
    const cameraUuid = await gateway.cameraUuid('Dock');
    const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
    const template: string = player === 'hls.js' ? uris.wanVodM3u8UriTemplate : uris.wanVodMpdUriTemplate;
    const query = await sessionQuery(gateway);
    return (
      template.replace('{START_TIME}', `${range.startSec}`).replace('{DURATION}', `${range.durationSec}`) +
      query +
      (player === 'hls.js' ? hlsQuery : '')
    );
  }

  /** When each run of the recording begins, epoch milliseconds. */
  async function runStarts(): Promise<number[]> {
    const manifest = await fetchText(await pastUrl('dash.js'));
    return [...manifest.matchAll(/<Period id="t(\d+)"/g)].map(([, atMs]) => Number(atMs));
  }

  /** Presentation time 0 of a manifest is the start that was asked for. */
  async function addWallTimes(): Promise<void> {
    await page.evaluate((ms) => {
      window.wallMsAt = (mediaSec) => ms + mediaSec * 1_000;
      window.mediaSecAt = (wallMs) => (wallMs - ms) / 1_000;
    }, range.startSec * 1_000);
  }

  /** When each frame was taken, as the player says. */
  function wallTimes(shown: readonly VideoPicture[]): Promise<number[]> {
    const mediaSecs = shown.map(({ mediaSec }) => mediaSec);
    return page.evaluate((times) => times.map((sec) => window.wallMsAt(sec)), mediaSecs);
  }

  /**
   * That frames came as much later as their numbers say, all of a life alike. The second run of the recording, from `secondMs`
   * on, shows the camera's second life.
   */
  async function expectInTime(shown: readonly VideoPicture[], secondMs: number): Promise<void> {
    const wallMs = await wallTimes(shown);
    const all = shown.map(({ number }, i) => ({ number, wallMs: wallMs[i]! }));
    for (const [life, startEpochMs] of lives.entries()) {
      const frames = all.filter((frame) => frame.wallMs < secondMs - FRAME_MS === (life === 0));
      expectNumbersInTime(frames, { startEpochMs, clipFrames: CLIP_FRAMES, fps: FRAMES_PER_SEC });
    }
  }

  /**
   * Whether a seek shows the frame of that time, or that of the next key frame if `maySkip`. Everything that is shown
   * meanwhile has the right number, too.
   */
  async function showsSought(wantedMs: number, secondMs: number, maySkip: boolean): Promise<boolean> {
    await page.evaluate(async (atMs) => {
      const video = document.querySelector('video')!;
      video.pause();
      const seeked = new Promise((done) => video.addEventListener('seeked', done, { once: true }));
      video.currentTime = window.mediaSecAt(atMs);
      await seeked;
    }, wantedMs);
    const all: VideoPicture[] = [];
    const found = await until('the frame', async () => {
      // Frames from before may still be presented, even after the one that was sought.
      const shown = [...(await takeShownFrames(page)), await frameOnScreen(page)].filter(
        (frame): frame is VideoPicture => frame !== null && frame.number !== null,
      );
      all.push(...shown);
      const aheadMs = (await wallTimes(shown)).map((ms) => ms - wantedMs);
      if (aheadMs.some((ms) => Math.abs(ms) < 1.5 * FRAME_MS)) return 'sought';
      return maySkip && aheadMs.some((ms) => ms > 0 && ms < GOP_MS + FRAME_MS) ? 'skipped' : null;
    });
    await expectInTime(all, secondMs);
    return found === 'sought';
  }

  describe.each(PLAYERS)('%s', (player) => {
    test('plays a range over a restart of the camera, and seeks to the frame', async () => {
      const url = await pastUrl(player);
      await pages.play(page, player, url);
      await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.2, null, {
        timeout: WAIT_MS,
      });
      if (player !== 'hls.js') await addWallTimes();
      // Into the second life.
      await page.waitForFunction(
        (wallMs) => window.wallMsAt(document.querySelector('video')!.currentTime) > wallMs,
        lives[1]! + 3_000,
        { timeout: WAIT_MS },
      );
      const [first, second] = await runStarts();
      const borderSec = await page.evaluate((ms) => window.mediaSecAt(ms), second!);
      // hls.js moves a border by what the audio before it overlaps.
      const shown = (await takeShownFrames(page)).filter(
        ({ number, mediaSec }) => number !== null && Math.abs(mediaSec - borderSec) > BORDER_SEC,
      );
      await expectInTime(shown, second!);
      process.stdout.write(`${player}: ${shown.length} frames judged\n`);
      expect(shown).not.toEqual([]);
      await page.evaluate(() => document.querySelector('video')!.pause());
      await takeShownFrames(page);
      for (const wallMs of [second! + 1_500, first! + 1_500, second! + 2_500]) {
        // The middle of a frame.
        const wantedMs = wallMs + FRAME_MS / 2;
        for (let left = MAX_SEEKS[player] - 1; !(await showsSought(wantedMs, second!, left > 0)); left -= 1);
      }
      expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    });
  });

  test.each(['dash.js', 'Shaka Player'] as const)(
    '%s plays the manifest for scripts over a restart of the camera',
    async (player) => {
      const url = new URL(await pastUrl(player));
      const token = url.searchParams.get('x-auth-ft');
      url.search = '';
      const led = await fetch(url, { headers: { cookie: `RSESSIONID=RFT:${token}` } });
      expect(new URL(led.url).pathname).toMatch(/\/beside\/file\.mpd$/);
      await pages.play(page, player, led.url);
      await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0.2, null, {
        timeout: WAIT_MS,
      });
      await addWallTimes();
      await page.waitForFunction(
        (wallMs) => window.wallMsAt(document.querySelector('video')!.currentTime) > wallMs,
        lives[1]! + 2_000,
        { timeout: WAIT_MS },
      );
      expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    },
  );
}
