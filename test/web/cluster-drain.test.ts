/**
 * Three nodes are restarted one after the other under 200 viewers behind nginx, each request at another node: a page with hls.js in
 * Chromium, and viewers that only fetch. How long they stand still is measured by the benchmark `delays`.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { BufferedViewer } from '../support/buffered-viewer.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { type LoadBalancer, movedTo, REQUESTED_NODES, startLoadBalancer } from '../support/load-balancer.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

const CAMERAS = 6;
/** Besides the page. */
const VIEWERS = 199;
const NEWCOMER_EVERY_MS = 100;

let cameras: SyntheticCamera[] = [];
let cluster: TestCluster;
let nginx: LoadBalancer;
let browser: TestBrowser;
let shares: TestShare[];

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  const clip = await makeClip(320, 180, { bitrateBitsPerSec: 200_000 });
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera(0, { clip })));
  cluster = await TestCluster.start(3, {
    // Long: on a busy machine, viewers request what others have had for a while.
    hls: { segmentTarget: '1s', window: '60s', idleStop: '5m' },
    access: { opensPerMinute: 100_000 },
    cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
  });
  nginx = await startLoadBalancer(cluster.nodes);
  browser = await startBrowser();
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await nginx?.stop();
  await cluster?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function openPlayingPage({ pageUrl }: TestShare): Promise<PageRecord> {
  const record = await openPage(browser);
  record.page.setDefaultTimeout(100_000);
  await record.page.goto(movedTo(pageUrl, nginx));
  await record.page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 3);
  return record;
}

async function playsFurther({ page }: PageRecord, seconds: number): Promise<void> {
  const fromSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
  await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, fromSec + seconds);
}

/** Each plays. */
async function startViewers(): Promise<BufferedViewer[]> {
  const urls = shares.map(({ m3u8Url }) => movedTo(m3u8Url, nginx));
  await Promise.all(urls.map((url) => until('video', async () => fetchOk(await openShare(url)))));
  const viewers: BufferedViewer[] = [];
  for (let at = 0; at < VIEWERS; at++) {
    viewers.push(new BufferedViewer(await openShare(urls[at % CAMERAS]!)));
  }
  await until('all viewers play', () => viewers.every(({ isPlaying }) => isPlaying));
  return viewers;
}

/** People who come while nodes restart: what went wrong for them, once the function returned is called. */
function startNewcomers({ pageUrl }: TestShare): () => Promise<string[]> {
  const failures: string[] = [];
  const url = `${movedTo(pageUrl, nginx)}/open`;
  const open = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: '{}' });
    await response.arrayBuffer();
    if (!response.ok) failures.push(`${response.status} from ${response.headers.get(REQUESTED_NODES)}`);
  };
  let isOver = false;
  const come = async (): Promise<void> => {
    while (!isOver) {
      await open().catch((error) => failures.push(String(error)));
      await pause(NEWCOMER_EVERY_MS);
    }
  };
  const done = come();
  return async () => {
    isOver = true;
    await done;
    return failures;
  };
}

it('a rolling restart of all nodes: no request fails, no part is missing', async () => {
  const viewers = await startViewers();
  const page = await openPlayingPage(shares[0]!);
  await watchPlayback(page.page);
  const endNewcomers = startNewcomers(shares[1]!);
  for (const node of cluster.nodes) {
    await node.restart();
    await until('it is ready', async () => (await fetch(`${node.apiUrl}/readyz`)).ok);
    // Cameras that one has just got go to the next one.
    await playsFurther(page, 3);
  }
  const { breaks } = await takePlayback(page.page);
  expect(await endNewcomers()).toEqual([]);
  expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
  expect(viewers.flatMap(({ gaps }) => gaps)).toEqual([]);
  expect([page.problems, page.failedLoads, breaks]).toEqual([[], [], []]);
  await Promise.all(viewers.map((viewer) => viewer.stop()));
}, 400_000);
