/**
 * Delays that the page of a link shows in Chromium: the first picture of a camera that is open already, and of one that the
 * page opens, next to a page that reports an invalid link; how far the picture is behind the camera, with HLS, with DASH,
 * and in real time, which is the reference; and when the page covers the picture of a share that was revoked.
 */

import type { Page } from 'playwright-core';
import type { SyntheticCamera } from '../../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../../../test/support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../../../test/support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from '../../../test/web/browser.ts';
import {
  cardTitled,
  firstPictureMs,
  type ShownFrame,
  takeShownFrames,
  watchFrames,
} from '../../../test/web/frame-watch.ts';
import { waitForMotion } from '../../../test/web/page-probes.ts';
import { type PlayerName, PlayerPages } from '../../../test/web/player-page.ts';
import { median } from '../../report.ts';
import type { MeasuredDelays } from '../delays.ts';

const CLIP_MS = 64_000;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const SETTLE_SEC = 5;
const WATCH_SEC = 5;

interface Stage {
  readonly gateway: TestGateway;
  readonly camera: SyntheticCamera;
  readonly browser: TestBrowser;
  readonly players: PlayerPages;
}

export async function measurePages(rounds: number): Promise<MeasuredDelays> {
  const camera = await startCamera();
  const cold = Array.from({ length: rounds }, (_, index) => `Cold ${index}`);
  const gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: ['Dock', ...cold].map((name) => ({ name, rtsp: camera.url })),
  });
  const browser = await startBrowser();
  const players = await PlayerPages.start();
  const stage = { gateway, camera, browser, players };
  try {
    const parts = [await firstPictures(stage, cold), await distances(stage), await cutOffs(stage, rounds)];
    return {
      rows: parts.flatMap(({ rows }) => rows),
      figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Record<string, number>,
    };
  } finally {
    await players.close();
    await browser.close();
    await gateway.dispose();
    await camera.close();
  }
}

async function withPage<T>({ browser }: Stage, use: (page: Page) => Promise<T>): Promise<T> {
  const { page } = await openPage(browser);
  try {
    await watchFrames(page);
    return await use(page);
  } finally {
    await page.close();
  }
}

/** Time from the navigation to the card of an invalid link: the page without video. */
function cardMs(stage: Stage, pageUrl: string): Promise<number> {
  return withPage(stage, async (page) => {
    await page.goto(pageUrl.slice(0, -1));
    const { atEpochMs } = await cardTitled(page, 'This link doesn’t work');
    return atEpochMs - (await page.evaluate(() => performance.timeOrigin));
  });
}

function pictureMs(stage: Stage, pageUrl: string): Promise<number> {
  return withPage(stage, async (page) => {
    await page.goto(pageUrl);
    return firstPictureMs(page);
  });
}

async function firstPictures(stage: Stage, cold: readonly string[]): Promise<MeasuredDelays> {
  const { pageUrl } = await stage.gateway.share('Dock');
  // Lets the browser load the files that it loads only once.
  await pictureMs(stage, pageUrl);
  const [warmMs, coldMs, referenceMs]: number[][] = [[], [], []];
  for (const name of cold) {
    referenceMs!.push(await cardMs(stage, pageUrl));
    warmMs!.push(await pictureMs(stage, pageUrl));
    coldMs!.push(await pictureMs(stage, (await stage.gateway.share(name)).pageUrl));
  }
  const cardMedianMs = median(referenceMs!);
  return {
    rows: [
      { case: 'page: first picture, warm', 'median ms': median(warmMs!), 'page ms': cardMedianMs },
      { case: 'page: first picture, cold', 'median ms': median(coldMs!), 'page ms': cardMedianMs },
    ],
    figures: {
      pageWarmVsCard: median(warmMs!) / cardMedianMs,
      pageColdVsCard: median(coldMs!) / cardMedianMs,
    },
  };
}

/** Behind the camera, by the numbers in the pictures, once it has settled. */
async function behindMs({ camera }: Stage, page: Page): Promise<number> {
  await playsOn(page, SETTLE_SEC);
  await takeShownFrames(page);
  await playsOn(page, WATCH_SEC);
  const behindOf = ({ number, atEpochMs }: ShownFrame) =>
    (((atEpochMs - camera.startEpochMs - number! * FRAME_MS) % CLIP_MS) + CLIP_MS) % CLIP_MS;
  return median((await takeShownFrames(page)).filter(({ number }) => number !== null).map(behindOf));
}

async function playsOn(page: Page, seconds: number): Promise<void> {
  // Presentation time of DASH is epoch time: before the player has found the live edge, it is 0.
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0);
  const fromSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime >= sec, fromSec + seconds);
}

async function distances(stage: Stage): Promise<MeasuredDelays> {
  const { gateway, players } = stage;
  const { pageUrl, m3u8Url } = await gateway.share('Dock');
  const ofPage = (url: string) =>
    withPage(stage, async (page) => {
      await page.goto(url);
      await waitForMotion(page);
      return behindMs(stage, page);
    });
  const ofPlayer = (player: PlayerName, query = '') =>
    withPage(stage, async (page) => {
      await players.play(page, player, m3u8Url.replace('m3u8', 'mpd') + query);
      return behindMs(stage, page);
    });
  const realTimeMs = await ofPage(`${pageUrl}?realtime`);
  const measured = {
    Hls: await ofPage(pageUrl),
    DashJs: await ofPlayer('dash.js'),
    DashJsLow: await ofPlayer('dash.js', '?latency=low'),
    Shaka: await ofPlayer('Shaka Player'),
  };
  return {
    rows: [
      { case: 'page: behind the camera, real time', 'median ms': realTimeMs },
      ...Object.entries(measured).map(([name, ms]) => ({
        case: `page: behind the camera, ${name}`,
        'median ms': ms,
        'real time ms': realTimeMs,
      })),
    ],
    figures: {
      pageRealTimeVsFrame: realTimeMs / FRAME_MS,
      ...Object.fromEntries(
        Object.entries(measured).map(([name, ms]) => [`page${name}VsRealTime`, ms / realTimeMs]),
      ),
    },
  };
}

/** The reference is the call itself. */
async function cutOffs(stage: Stage, rounds: number): Promise<MeasuredDelays> {
  const [shownMs, callMs]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const share = await stage.gateway.share('Dock');
    await withPage(stage, async (page) => {
      await page.goto(share.pageUrl);
      await waitForMotion(page);
      const sinceEpochMs = Date.now();
      await stage.gateway.revoke(share);
      callMs!.push(Date.now() - sinceEpochMs);
      const { atEpochMs } = await cardTitled(page, 'This link has been turned off');
      shownMs!.push(atEpochMs - sinceEpochMs);
    });
  }
  const [medianMs, referenceMs] = [median(shownMs!), median(callMs!)];
  return {
    rows: [{ case: 'page: covered after the revocation', 'median ms': medianMs, 'call ms': referenceMs }],
    figures: { pageCutOffVsCall: medianMs / referenceMs },
  };
}
