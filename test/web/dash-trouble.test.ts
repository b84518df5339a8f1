/**
 * dash.js and Shaka Player in Chromium where something is out of the ordinary: key frames far apart, audio that comes late
 * or stops, a wrong clock, restarts. Both players watch the same trouble, and all troubles happen at the same time, because
 * most of the time is waiting.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { type PlayerName, PlayerPages } from './player-page.ts';

const PLAYERS: readonly PlayerName[] = ['dash.js', 'Shaka Player'];
const WAIT_MS = 100_000;
const HOUR_MS = 3_600_000;
const LONG_GOP_SEC = 10;
const AUDIO_STOPS_SEC = 5;
/** The published delay is the longest segment and 4 s; players add a little. */
const BEHIND_SEC = 4 + 3;
/** Nothing worse happens to requests while the gateway is away. */
const DOWNLOAD_ERRORS: readonly string[] = [
  // dash.js: a manifest, a segment, an init segment.
  '25',
  '27',
  '28',
  // Shaka Player: a bad status, no connection, no response in time.
  '1001',
  '1002',
  '1003',
];

let cameras: Record<'plain' | 'moody' | 'sub' | 'sparse' | 'late' | 'muted', SyntheticCamera>;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

beforeAll(async () => {
  const longGop = await makeClip(320, 180, { gopSec: LONG_GOP_SEC });
  const [plain, moody, sub, sparse, late, muted] = await Promise.all([
    startCamera(),
    startCamera(),
    startCamera(0, { clip: await makeClip(160, 90) }),
    // Frames come before the first key frame: 10 s without any would be silence.
    startCamera(0, { clip: longGop, habits: { startsAtOnce: true } }),
    startCamera(0, { faults: { muted: [{ fromMs: 0, toMs: 6_000 }] } }),
    startCamera(0, { faults: { muted: [{ fromMs: AUDIO_STOPS_SEC * 1_000, toMs: 600_000 }] } }),
  ]);
  cameras = { plain, moody, sub, sparse, late, muted };
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'Moody', rtsp: moody.url, substream: sub.url },
      ...Object.entries({ Plain: plain, Sparse: sparse, Late: late, Muted: muted }).map(
        ([name, { url }]) => ({ name, rtsp: url }),
      ),
    ],
  });
  browser = await startBrowser();
  pages = await PlayerPages.start();
});

afterAll(async () => {
  await pages?.close();
  await browser?.close();
  await gateway?.dispose();
  await Promise.all(Object.values(cameras ?? {}).map((camera) => camera.close()));
});

/** The manifest by a link alone, which leads to a grant. */
async function manifestUrl(camera: string): Promise<string> {
  return (await gateway.share(camera)).m3u8Url.replace('m3u8', 'mpd');
}

async function play(
  player: PlayerName,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Page> {
  const { page } = await openPage(browser);
  await prepare?.(page);
  await pages.play(page, player, url);
  return page;
}

/** Resolves once the video has advanced by `seconds` from here on. */
async function playsOn(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 1e9, null, {
    timeout: WAIT_MS,
  });
  const fromSec = await timeOf(page);
  await page.waitForFunction(
    (untilSec) => document.querySelector('video')!.currentTime >= untilSec,
    fromSec + seconds,
    { timeout: WAIT_MS },
  );
}

const timeOf = (page: Page) => page.evaluate(() => document.querySelector('video')!.currentTime);
/** Presentation time is the gateway's time, which is this process's. */
const behindSec = async (page: Page) => Date.now() / 1_000 - (await timeOf(page));
/** It plays the present: neither the future, nor what a clock that is an hour wrong would show. */
async function expectLive(page: Page, who: string): Promise<void> {
  const behind = await behindSec(page);
  process.stdout.write(`${who}: ${behind.toFixed(1)} s behind\n`);
  expect([who, behind > 0, behind < HOUR_MS / 2_000]).toEqual([who, true, true]);
}
const errorsOf = (page: Page) => page.evaluate(() => window.playerErrors);
const audioBytesOf = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement & {
      webkitAudioDecodedByteCount: number;
    };
    return video.webkitAudioDecodedByteCount;
  });

/** In the page, it is an hour later. */
const withWrongClock = (page: Page) =>
  page.addInitScript((offMs) => {
    const RealDate = Date;
    class WrongDate extends RealDate {
      constructor(...parts: [] | [number]) {
        if (parts.length === 0) super(RealDate.now() + offMs);
        else super(...parts);
      }
      static override now(): number {
        return RealDate.now() + offMs;
      }
    }
    window.Date = WrongDate as DateConstructor;
  }, HOUR_MS);

/** At the same time, in a page of its own each. */
async function withBoth(watch: (player: PlayerName) => Promise<void>): Promise<void> {
  const watched = PLAYERS.map((player) =>
    watch(player).catch((error) => {
      throw new Error(`${player}: ${error}`, { cause: error });
    }),
  );
  await Promise.all(watched);
}

describe.concurrent('dash.js and Shaka Player play', () => {
  test('a camera whose substream restarts', async () => {
    const url = await manifestUrl('Moody');
    const both = await Promise.all(PLAYERS.map((player) => play(player, url)));
    await Promise.all(both.map((page) => playsOn(page, 4)));
    const { port } = cameras.sub;
    await cameras.sub.close();
    await Promise.all(both.map((page) => playsOn(page, 7)));
    cameras.sub = await startCamera(port, { clip: await makeClip(160, 90) });
    await Promise.all(both.map((page) => playsOn(page, 10)));
    const periods = (await (await fetch(url)).text()).match(/<Period /g) ?? [];
    expect(periods.length).toBeGreaterThanOrEqual(2);
    for (const page of both) {
      await expectLive(page, 'substream restarted');
      expect(await errorsOf(page)).toEqual([]);
      await page.close();
    }
  });

  test('a camera with key frames 10 s apart that no one has watched', async () => {
    const url = await manifestUrl('Sparse');
    await withBoth(async (player) => {
      const { page } = await openPage(browser);
      await pages.open(page, player);
      void page.evaluate((uri) => window.playManifest(uri), url).catch(() => undefined);
      await page.waitForFunction(() => document.querySelector('video')!.readyState >= 3, null, {
        timeout: WAIT_MS,
      });
      // Shaka Player waits for the second segment, once.
      await playsOn(page, LONG_GOP_SEC + 2);
      expect(await errorsOf(page)).toEqual([]);
      await page.close();
    });
  });

  test('audio that comes late', async () => {
    const url = await manifestUrl('Late');
    await withBoth(async (player) => {
      const page = await play(player, url);
      await playsOn(page, 8);
      const audioBytes = await audioBytesOf(page);
      await playsOn(page, 4);
      expect(await audioBytesOf(page)).toBeGreaterThan(audioBytes);
      expect(await errorsOf(page)).toEqual([]);
      await page.close();
    });
  });

  test('on when the audio stops', async () => {
    const url = await manifestUrl('Muted');
    await withBoth(async (player) => {
      const page = await play(player, url);
      await playsOn(page, AUDIO_STOPS_SEC + 8);
      await expectLive(page, `${player}, audio stopped`);
      expect(await errorsOf(page)).toEqual([]);
      await page.close();
    });
  });

  test('live when the clock of their viewer is an hour wrong, and from the oldest segment on', async () => {
    const url = await manifestUrl('Plain');
    await withBoth(async (player) => {
      const page = await play(player, url, withWrongClock);
      await playsOn(page, 6);
      await expectLive(page, `${player}, wrong clock`);
      const windowSec = async () => Date.now() / 1_000 - (await page.evaluate(() => window.dvrStartSec()));
      await until('a window longer than the delay', async () => (await windowSec()) > 2 + BEHIND_SEC + 2);
      const startSec = await page.evaluate(() => window.dvrStartSec());
      await page.evaluate((sec) => {
        document.querySelector('video')!.currentTime = sec;
      }, startSec + 1);
      await playsOn(page, 4);
      expect(await behindSec(page)).toBeGreaterThan(2 + BEHIND_SEC);
      expect(await errorsOf(page)).toEqual([]);
      await page.close();
    });
  });

  test('what low latency lists: Shaka Player', async () => {
    const page = await play('Shaka Player', `${await manifestUrl('Plain')}?latency=low`);
    await playsOn(page, 10);
    await expectLive(page, 'Shaka Player, low latency');
    expect(await errorsOf(page)).toEqual([]);
    await page.close();
  });
});

/** What the guide has pages with dash.js do about errors. */
async function doAsGuideSays(page: Page, url: string): Promise<void> {
  const guide = await readFile(resolve(import.meta.dirname, '../../docs/guide/sharing.md'), 'utf8');
  const [handler] = /^let retry\b[^`]*/m.exec(guide)!;
  await page.evaluate(`{ const url = ${JSON.stringify(url)}; ${handler} }`);
}

test('a restart of the gateway ends dash.js unless its page does as the guide says; Shaka Player plays on', async () => {
  const { url } = await fetch(await manifestUrl('Plain'));
  const all = await Promise.all([play('dash.js', url), play('dash.js', url), play('Shaka Player', url)]);
  const [alone, guided, shaka] = all;
  await doAsGuideSays(guided, url);
  await Promise.all(all.map((page) => playsOn(page, 4)));
  for (const [i, page] of all.entries()) await expectLive(page, `viewer ${i + 1}`);
  const downSec = Date.now() / 1_000;
  await gateway.end();
  for (const page of [alone, guided]) {
    await page.waitForFunction(() => window.playerErrors.length > 0, null, { timeout: WAIT_MS });
  }
  await gateway.run();
  for (const page of [guided, shaka]) {
    await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, downSec, {
      timeout: WAIT_MS,
    });
  }
  await Promise.all([guided, shaka].map((page) => playsOn(page, 4)));
  for (const page of [guided, shaka]) await expectLive(page, 'after the restart');
  expect(await timeOf(alone)).toBeLessThan(downSec);
  for (const page of all) {
    const codes = (await errorsOf(page)).map((error) => error.split(' ')[0]);
    expect(DOWNLOAD_ERRORS).toEqual(expect.arrayContaining(codes));
  }
  await Promise.all(all.map((page) => page.close()));
});
