/**
 * Three nodes are restarted one after the other under 200 viewers behind nginx, each request at another node: a page with hls.js in
 * Chromium, and viewers that only fetch. A start takes a core for seconds, and on one machine viewers feel that. So a gateway that
 * has nothing to do with them is restarted as often before, and what they feel of that is not held against the cluster.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { BufferedViewer } from '../support/buffered-viewer.ts';
import { TestCluster } from '../support/cluster.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { ASKED_NODES, type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

const CAMERAS = 6;
/** Besides the page. */
const VIEWERS = 199;
const MAX_STALL_MS = 500;
/** Between two nodes: cameras that one has just got go to the next one. */
const PAUSE_MS = 3_000;
/** What the end of a node takes, and the end of the other gateway does not. */
const LEAVE_MS = 5_000;
const NEWCOMER_EVERY_MS = 100;

let cameras: SyntheticCamera[] = [];
let cluster: TestCluster;
let other: TestGateway;
let nginx: LoadBalancer;
let browser: TestBrowser;
let shares: TestShare[];

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  const clip = await makeClip(320, 180, { bitrateBitsPerSec: 200_000 });
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera(0, { clip })));
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', window: '6s', idleStop: '5m' },
    access: { opensPerMinute: 100_000 },
    cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
  });
  other = await TestGateway.start();
  nginx = await startLoadBalancer(cluster.nodes);
  browser = await startBrowser();
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await nginx?.stop();
  await other?.dispose();
  await cluster?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function openPlayingPage({ pageUrl }: TestShare): Promise<PageRecord> {
  const record = await openPage(browser);
  record.page.setDefaultTimeout(60_000);
  await record.page.goto(movedTo(pageUrl, nginx));
  await record.page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 3);
  return record;
}

/** Each plays. */
async function startViewers(): Promise<BufferedViewer[]> {
  const urls = shares.map(({ m3u8Url }) => movedTo(m3u8Url, nginx));
  await Promise.all(urls.map((url) => until('video', async () => fetchOk(await openShare(url)), 60_000)));
  const viewers: BufferedViewer[] = [];
  for (let at = 0; at < VIEWERS; at++) {
    viewers.push(new BufferedViewer(await openShare(urls[at % CAMERAS]!)));
  }
  await until('all viewers play', () => viewers.every(({ isPlaying }) => isPlaying), 60_000);
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
    if (!response.ok) failures.push(`${response.status} from ${response.headers.get(ASKED_NODES)}`);
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

/** How long those stood still who stood still longest, while `act` runs. */
async function watch(
  what: string,
  { page }: PageRecord,
  viewers: readonly BufferedViewer[],
  act: () => Promise<void>,
) {
  await watchPlayback(page);
  const fromMs = performance.now();
  await act();
  const toMs = performance.now();
  const { longestStallMs: pageMs, breaks } = await takePlayback(page);
  const stalls = viewers.map((viewer) => viewer.longestStallMs(fromMs, toMs));
  const viewerMs = Math.max(...stalls);
  const stalled = stalls.filter((ms) => ms > MAX_STALL_MS).length;
  process.stdout.write(
    `${what}: ${Math.round(toMs - fromMs)} ms, longest stall ${Math.round(pageMs)} ms in the page, ` +
      `${Math.round(viewerMs)} ms of a viewer, ${stalled} viewers over ${MAX_STALL_MS} ms\n`,
  );
  return { pageMs, viewerMs, breaks };
}

it('a rolling restart of all nodes: no request fails, no one stands still', async () => {
  const viewers = await startViewers();
  const page = await openPlayingPage(shares[0]!);
  const control = await watch('another gateway restarts', page, viewers, async () => {
    for (const _ of cluster.nodes) {
      await other.end();
      await pause(LEAVE_MS);
      await other.run();
      await pause(PAUSE_MS);
    }
  });
  const endNewcomers = startNewcomers(shares[1]!);
  const rolling = await watch('nodes restart', page, viewers, async () => {
    for (const node of cluster.nodes) {
      await node.restart();
      await until('it is ready', async () => (await fetch(`${node.apiUrl}/readyz`)).ok);
      await pause(PAUSE_MS);
    }
  });
  expect(await endNewcomers()).toEqual([]);
  expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
  expect(viewers.flatMap(({ gaps }) => gaps)).toEqual([]);
  expect([page.problems, page.failedLoads, rolling.breaks]).toEqual([[], [], []]);
  expect(rolling.viewerMs).toBeLessThan(control.viewerMs + MAX_STALL_MS);
  expect(rolling.pageMs).toBeLessThan(control.pageMs + MAX_STALL_MS);
  await Promise.all(viewers.map((viewer) => viewer.stop()));
}, 400_000);
