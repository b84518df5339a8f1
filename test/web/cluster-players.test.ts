/**
 * Three nodes under what plays without HLS, in Chromium: dash.js behind nginx, each request at another node, and pages in real time,
 * one at the node that owns the camera and one at each that mirrors it. Then the owner stops, and the next one is killed. At the end,
 * dash.js has just opened a camera whose key frames are further apart when its owner is killed.
 */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PictureClient } from '../../src/front-door/pictures/picture-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { type LoadBalancer, movedTo, REQUESTED_NODES, startLoadBalancer } from '../support/load-balancer.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { type ShownFrame, takeShownFrames, watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';
import { PlayerPages } from './player-page.ts';

const SIZE = { widthPx: 320, heightPx: 180 };
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const NODES = 3;
const WATCH_SEC = 3;
const WATCH_FRAMES = 3 * FRAMES_PER_SEC;
/** Of the cameras that are opened cold. */
const KEY_FRAME_SEC = 2;

/** A page in real time, at one node as long as that answers. */
interface Screen extends PageRecord {
  readonly node: TestGateway;
  readonly nginx: LoadBalancer;
  /** Opened so far. */
  readonly sockets: string[];
}

let camera: SyntheticCamera;
let slowCamera: SyntheticCamera;
let cluster: TestCluster;
let share: TestShare;
let nginx: LoadBalancer;
let browsers: TestBrowser[] = [];
let pages: PlayerPages;
let dash: PageRecord;
/** Which nodes dash.js got its responses from. */
const requested: string[] = [];
let screens: Screen[] = [];
let owner: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  slowCamera = await startCamera(0, {
    clip: await makeClip(SIZE.widthPx, SIZE.heightPx, { gopSec: KEY_FRAME_SEC }),
  });
  [cluster, browsers, pages] = await Promise.all([
    TestCluster.start(NODES, {
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [
        { name: 'Gate', rtsp: camera.url },
        { name: 'Yard', rtsp: slowCamera.url },
        { name: 'Barn', rtsp: slowCamera.url },
        { name: 'Mill', rtsp: slowCamera.url },
      ],
    }),
    Promise.all(Array.from({ length: NODES + 1 }, () => startBrowser())),
    PlayerPages.start(),
  ]);
  nginx = await startLoadBalancer(cluster.nodes);
  share = await cluster.nodes[0]!.share('Gate');
  dash = await openPage(browsers[NODES]!);
  dash.page.on('response', (response) => {
    const nodes = response.headers()[REQUESTED_NODES];
    if (nodes !== undefined && response.ok()) requested.push(nodes.split(', ').at(-1)!);
  });
  const url = await manifestAt(nginx);
  const [opened] = await Promise.all([
    Promise.all(cluster.nodes.map((node, at) => openScreen(node, browsers[at]!))),
    // A player that begins with the camera is closer to it than the manifest asks for, and has less to play.
    until('a manifest of complete segments', async () => !/availabilityTimeOffset/.test(await textOf(url))),
  ]);
  screens = opened;
  ({ owner } = await cluster.leaseOf(share.cameraUuid));
  await playDash(url);
}, 400_000);
afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await Promise.all([nginx, ...screens.map((screen) => screen.nginx)].map((each) => each?.stop()));
  await pages?.close();
  await cluster?.dispose();
  await Promise.all([camera, slowCamera].map((each) => each?.close()));
});

/** The manifest of a grant of its own. */
async function manifestAt(place: TestGateway | LoadBalancer, { pageUrl } = share): Promise<string> {
  const opened = await fetch(`${movedTo(pageUrl, place)}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  return movedTo(new URL('file.mpd', new URL(playlistUrl, pageUrl)).href, place);
}

/** dash.js plays the manifest. */
async function playDash(url: string): Promise<void> {
  await pages.play(dash.page, 'dash.js', url);
  // Presentation time is epoch time: before the player has found the live edge, it is 0.
  await dash.page.waitForFunction(() => document.querySelector('video')!.currentTime > 1e9, null, {
    timeout: 60_000,
  });
}

async function openScreen(node: TestGateway, browser: TestBrowser): Promise<Screen> {
  const preferring = await startLoadBalancer(cluster.nodes, node);
  const screen = { ...(await openPage(browser)), node, nginx: preferring, sockets: [] as string[] };
  const { page } = screen;
  page.setDefaultTimeout(100_000);
  page.on('websocket', (socket) => screen.sockets.push(socket.url()));
  await watchFrames(page);
  await page.goto(`${movedTo(share.pageUrl, preferring)}?realtime`);
  await waitForMotion(page);
  return screen;
}

async function openPictures(node: TestGateway): Promise<PictureClient> {
  const playlistUrl = await openShare(movedTo(share.m3u8Url, node));
  const client = await PictureClient.open(new URL('ws', playlistUrl).href);
  await until('frames', () => client.frames.length > 0);
  return client;
}

/** Steps from one frame to the next; a step back is one of almost a whole clip. */
function stepsOf(numbers: readonly (number | null)[]): number[] {
  return numbers.slice(1).map((number, at) => (number! - numbers[at]! + CLIP_FRAMES) % CLIP_FRAMES);
}

const playerOf = ({ page }: Screen) => page.evaluate(() => document.documentElement.dataset.player);

/** Each screen shows `frames` more. */
async function framesOf(frames: number): Promise<ShownFrame[][]> {
  await Promise.all(screens.map(({ page }) => takeShownFrames(page)));
  return Promise.all(
    screens.map(async ({ page }) => {
      const shown: ShownFrame[] = [];
      await until('pictures', async () => shown.push(...(await takeShownFrames(page))) >= frames);
      return shown;
    }),
  );
}

function mediaSecOf({ page }: PageRecord): Promise<number> {
  return page.evaluate(() => document.querySelector('video')!.currentTime);
}

async function dashReaches(endSec: number): Promise<void> {
  await dash.page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, endSec, {
    timeout: 60_000,
  });
}

async function dashPlays(seconds: number): Promise<void> {
  await dashReaches((await mediaSecOf(dash)) + seconds);
}

function decodedAudioBytes(page: Page): Promise<number> {
  return page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement & {
      webkitAudioDecodedByteCount: number;
    };
    return video.webkitAudioDecodedByteCount;
  });
}

/** Redis is late once, and the node has just begun to rely on the store. */
async function reliesOnStore(node: TestGateway): Promise<void> {
  cluster.redis.freeze();
  try {
    await until('a node that relies on the store', () => cluster.reliesOnStore(node));
  } finally {
    cluster.redis.thaw();
  }
}

const isRunning = ({ child: { process } }: TestGateway): boolean =>
  process.exitCode === null && process.signalCode === null;

async function textOf(url: string): Promise<string> {
  return (await fetchOk(url)).toString();
}

/** When the Period behind this one begins, once there is one. */
async function nextStartSec(url: string, id: string): Promise<number> {
  let next: string | undefined;
  const hasNext = async (): Promise<boolean> => {
    const periods = periodsOf(await textOf(url));
    next = periods[periods.indexOf(id) + 1];
    return next !== undefined;
  };
  await until('another Period', hasNext);
  return Number(next!.slice(1)) / 1_000;
}

const periodsOf = (manifest: string) => [...manifest.matchAll(/<Period id="(\w+)"/g)].map(([, id]) => id);

it('dash.js plays without a break, from a manifest that is the same text at each node', async () => {
  await dashPlays(WATCH_SEC);
  requested.length = 0;
  await watchPlayback(dash.page);
  const urls = await Promise.all(cluster.nodes.map((node) => manifestAt(node)));
  const seen = new Set<string>();
  await until('three texts that are the same at each node', async () => {
    const texts = await Promise.all(urls.map(textOf));
    // One of them may have been asked a moment before a part came.
    if (new Set(texts).size === 1) seen.add(texts[0]!);
    return seen.size === 3;
  });
  await dashPlays(WATCH_SEC);
  const { breaks } = await takePlayback(dash.page);
  expect([...new Set(requested)]).toHaveLength(NODES);
  expect([breaks, dash.problems]).toEqual([[], []]);
  expect(await dash.page.evaluate(() => window.playerErrors)).toEqual([]);
});

it('real time shows the same frames at a mirror as at the owner, in order', async () => {
  const clients = await Promise.all(cluster.nodes.map(openPictures));
  const shown = await framesOf(WATCH_FRAMES);
  await until('frames', () => clients.every(({ frames }) => frames.length >= WATCH_FRAMES));
  for (const client of clients) client.leave();
  const there = clients[cluster.nodes.indexOf(owner)]!;
  const namesOf = ({ frames }: PictureClient) => frames.map(({ bytes }) => bytes.toString('base64'));
  const atOwner = namesOf(there);
  for (const client of clients) {
    // They began and ended at different frames.
    const common = namesOf(client).filter((name) => atOwner.includes(name));
    const first = atOwner.indexOf(common[0]!);
    expect(common.length).toBeGreaterThan(WATCH_FRAMES / 2);
    expect(common).toEqual(atOwner.slice(first, first + common.length));
  }
  for (const frames of shown) {
    const steps = stepsOf(frames.map(({ number }) => number).filter((number) => number !== null));
    expect(steps.filter((step) => step > CLIP_FRAMES / 2)).toEqual([]);
  }
});

it('whoever talks to the camera is told at each node that nothing leads to its speaker', async () => {
  for (const node of cluster.nodes) {
    const client = await openPictures(node);
    client.say(new Uint8Array(160));
    await until('the end', () => client.end !== null);
    expect(client.end).toBe('1003 no-talk-back');
  }
});

it('the owner stops: dash.js and real time at the mirrors go on as if nothing were, and its own pages at another node', async () => {
  const others = cluster.othersThan(owner);
  const clients = await Promise.all(others.map(openPictures));
  const audioBytes = await decodedAudioBytes(dash.page);
  await owner.end();
  await dashPlays(WATCH_SEC);
  expect(await decodedAudioBytes(dash.page)).toBeGreaterThan(audioBytes);
  for (const client of clients) {
    const numbers = await decodedFrameNumbers(
      client.frames.map(({ bytes }) => bytes),
      SIZE,
    );
    const steps = stepsOf(numbers);
    expect(steps.length).toBeGreaterThan(WATCH_FRAMES);
    expect(new Set(steps)).toEqual(new Set([1]));
    expect(client.end).toBeNull();
    client.leave();
  }
  for (const screen of screens) {
    const isOfOwner = screen.node === owner;
    expect(await playerOf(screen)).toBe('realtime');
    expect(screen.sockets.length > 1).toBe(isOfOwner);
    expect(screen.problems).toEqual([]);
  }
  await framesOf(FRAMES_PER_SEC);
});

it('the next owner is killed: all play on, dash.js in another Period', async () => {
  const { owner: next } = await cluster.leaseOf(share.cameraUuid);
  expect(next).not.toBe(owner);
  const [last] = cluster.othersThan(next).filter((node) => node !== owner);
  const url = await manifestAt(last!);
  const before = periodsOf(await textOf(url));
  const sockets = screens.map((screen) => screen.sockets.length);
  const audioBytes = await decodedAudioBytes(dash.page);
  await next.end('SIGKILL');
  await dashReaches((await nextStartSec(url, before.at(-1)!)) + WATCH_SEC);
  expect(await decodedAudioBytes(dash.page)).toBeGreaterThan(audioBytes);
  expect(await dash.page.evaluate(() => window.playerErrors)).toEqual([]);
  await framesOf(FRAMES_PER_SEC);
  for (const [at, screen] of screens.entries()) {
    expect(await playerOf(screen)).toBe('realtime');
    if (screen.node === last) expect(screen.sockets).toHaveLength(sockets[at]!);
    expect(screen.problems).toEqual([]);
  }
});

it.each([
  ['Yard', WATCH_SEC, async () => undefined],
  // Its first segment is not complete.
  ['Barn', 0, async () => undefined],
  ['Mill', WATCH_SEC, reliesOnStore],
])(
  'the owner of a cold camera, %s, is killed %d s after dash.js has begun to play it: it plays on',
  async (name, seconds, happens: (cold: TestGateway) => Promise<void>) => {
    while (cluster.nodes.filter(isRunning).length < NODES) await cluster.addNode();
    const nodes = cluster.nodes.filter(isRunning);
    const balancer = await startLoadBalancer(nodes);
    onTestFinished(() => balancer.stop());
    const opened = await nodes[0]!.share(name);
    const url = await manifestAt(balancer, opened);
    await playDash(url);
    await dashPlays(seconds);
    const { owner: cold } = await cluster.leaseOf(opened.cameraUuid);
    const ended = periodsOf(await textOf(url)).at(-1)!;
    await happens(cold);
    await cold.end('SIGKILL');
    await dashReaches((await nextStartSec(url, ended)) + WATCH_SEC);
    expect(await dash.page.evaluate(() => window.playerErrors)).toEqual([]);
  },
  240_000,
);
