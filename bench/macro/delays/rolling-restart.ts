/**
 * Measures how long the video of viewers behind nginx is frozen while all nodes of a cluster restart, one after the other.
 * A start takes a core for seconds, and on one machine viewers feel that: the reference is how much they feel, before that,
 * of an unrelated gateway that restarts as often.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BufferedViewer } from '../../../test/support/buffered-viewer.ts';
import { TestCluster } from '../../../test/support/cluster.ts';
import { TestGateway } from '../../../test/support/gateway.ts';
import { fetchOk, openShare } from '../../../test/support/hls.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../../../test/support/load-balancer.ts';
import { makeClip, startCamera } from '../../../test/support/synthetic.ts';
import { until } from '../../../test/support/until.ts';
import type { MeasuredDelays } from '../delays.ts';

const CAMERAS = 6;
/** Between two nodes: cameras that one has just got go to the next one. */
const PAUSE_MS = 3_000;
/** The end of a node takes this long; the end of the other gateway does not. */
const LEAVE_MS = 5_000;
/** Shorter ones are not seen: a ratio of two of them says nothing. */
const UNSEEN_MS = 500;

export async function measureRollingRestart(viewers: number): Promise<MeasuredDelays> {
  const clip = await makeClip(320, 180, { bitrateBitsPerSec: 200_000 });
  const cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera(0, { clip })));
  const cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', window: '6s', idleStop: '5m' },
    access: { opensPerMinute: 100_000 },
    cameras: cameras.map(({ url }, at) => ({ name: `Camera ${at}`, rtsp: url })),
  });
  const other = await TestGateway.start();
  const nginx = await startLoadBalancer(cluster.nodes);
  try {
    return await measure(cluster, other, nginx, viewers);
  } finally {
    await nginx.stop();
    await other.dispose();
    await cluster.dispose();
    await Promise.all(cameras.map((camera) => camera.close()));
  }
}

async function measure(
  cluster: TestCluster,
  other: TestGateway,
  nginx: LoadBalancer,
  count: number,
): Promise<MeasuredDelays> {
  const viewers = await startViewers(cluster, nginx, count);
  const controlMs = await longestStallMs(viewers, async () => {
    for (const _ of cluster.nodes) {
      await other.end();
      await pause(LEAVE_MS);
      await other.run();
      await pause(PAUSE_MS);
    }
  });
  const rollingMs = await longestStallMs(viewers, async () => {
    for (const node of cluster.nodes) {
      await node.restart();
      await until('it is ready', async () => (await fetch(`${node.apiUrl}/readyz`)).ok);
      await pause(PAUSE_MS);
    }
  });
  await Promise.all(viewers.map((viewer) => viewer.stop()));
  const failures = viewers.flatMap((viewer) => [...viewer.failures, ...viewer.gaps]);
  return {
    rows: [
      { case: `another gateway restarts, ${count} viewers`, 'longest stall ms': controlMs },
      { case: `nodes restart, ${count} viewers`, 'longest stall ms': rollingMs, failures: failures.length },
    ],
    figures: {
      rollingStallVsOther: Math.max(rollingMs, UNSEEN_MS) / Math.max(controlMs, UNSEEN_MS),
      rollingFailures: failures.length,
    },
  };
}

async function startViewers(
  cluster: TestCluster,
  nginx: LoadBalancer,
  count: number,
): Promise<BufferedViewer[]> {
  const [first] = cluster.nodes as [TestGateway];
  const shares = await Promise.all(Array.from({ length: CAMERAS }, (_, at) => first.share(`Camera ${at}`)));
  const urls = shares.map(({ m3u8Url }) => movedTo(m3u8Url, nginx));
  await Promise.all(urls.map((url) => until('video', async () => fetchOk(await openShare(url)))));
  const viewers: BufferedViewer[] = [];
  for (let at = 0; at < count; at++) {
    viewers.push(new BufferedViewer(await openShare(urls[at % CAMERAS]!)));
  }
  await until('all viewers play', () => viewers.every(({ isPlaying }) => isPlaying));
  return viewers;
}

/** The longest stall of any viewer while `act` runs. */
async function longestStallMs(viewers: readonly BufferedViewer[], act: () => Promise<void>): Promise<number> {
  const fromMs = performance.now();
  await act();
  const toMs = performance.now();
  return Math.max(...viewers.map((viewer) => viewer.longestStallMs(fromMs, toMs)));
}
