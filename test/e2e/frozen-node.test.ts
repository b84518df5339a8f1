/** The load balancers of deploy/ in front of two nodes, one of which freezes: what a viewer gets, and what stays private. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { startDeployedHaproxy, startDeployedNginx } from '../support/deployed-balancers.ts';
import type { TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { type LoadBalancer, movedTo } from '../support/load-balancer.ts';
import { PartPuller } from '../support/part-puller.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { rawRequest } from '../support/raw-http.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** Of 0.2 s, in segments of 1 s. */
const PARTS = 60;
/** A viewer who misses more of them has shown no picture for longer than 3 s. */
const MAX_SEGMENTS_BEHIND = 3;

let camera: SyntheticCamera;
let cluster: TestCluster;
let m3u8Url: string;
let owner: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  const share = await cluster.nodes[0]!.share('Gate');
  ({ m3u8Url } = share);
  for (const node of cluster.nodes) await until('the share is open', () => openShare(movedTo(m3u8Url, node)));
  ({ owner } = await cluster.leaseOf(share.cameraUuid));
  other = cluster.othersThan(owner)[0]!;
}, 400_000);
afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
});

const BALANCERS = [
  ['nginx', startDeployedNginx],
  ['HAProxy', startDeployedHaproxy],
] as const;

it.each(BALANCERS)('%s has a viewer miss nothing when a node freezes', async (_name, start) => {
  const balancer = await start(cluster.nodes);
  const playlistOf = async (place: LoadBalancer | TestGateway) =>
    (await openShare(movedTo(m3u8Url, place))).replace('stream.m3u8', 'file.m3u8');
  const direct = await playlistOf(owner);
  const puller = new PartPuller(await playlistOf(balancer));
  try {
    await until('both nodes to have answered', () => puller.parts > 10);
    const before = puller.parts;
    other.child.process.kill('SIGSTOP');
    let mostBehind = 0;
    await until('parts while a node is frozen', async () => {
      const { segments } = readPlaylistText((await fetchPlaylist(direct)).text);
      mostBehind = Math.max(mostBehind, segments.at(-1)!.msn - puller.msn);
      return puller.parts > before + PARTS || puller.failures.length > 0;
    });
    expect([puller.failures, puller.discontinuities]).toEqual([[], 0]);
    expect(mostBehind).toBeLessThanOrEqual(MAX_SEGMENTS_BEHIND);
  } finally {
    other.child.process.kill('SIGCONT');
    await puller.stop();
    await balancer.stop();
  }
});

it.each(BALANCERS)('%s publishes the metrics of no node, however they are spelled', async (_name, start) => {
  const metrics = await rawRequest(owner.apiUrl, '/metrics');
  expect([metrics.status, metrics.body.includes('sluice_')]).toEqual([200, true]);
  const balancer = await start(cluster.nodes);
  try {
    await until(
      'the nodes to be in use',
      async () => (await rawRequest(balancer.apiUrl, '/healthz')).status === 200,
    );
    for (const base of [balancer.apiUrl, balancer.url]) {
      for (const path of [
        '/metrics',
        '/metrics/',
        '//metrics',
        '///metrics',
        '/%6detrics',
        '/%6Detrics',
        '/x/../metrics',
        '/./metrics',
        '/metrics/.',
        '/METRICS',
        '/metrics?a',
        '/metrics%3Fa',
        '/metrics;a',
        '/%2Fmetrics',
        '/metrics%20',
        '/metrics%00',
        '/api/../metrics',
        '/x/%2e%2e/metrics',
        '/metrics#a',
        '/metrics\\',
        `${owner.apiUrl}/metrics`,
        'http://x/metrics',
        '/node-check',
        '//node-check',
        '/%6eode-check',
      ]) {
        const { status, body } = await rawRequest(base, path);
        expect([path, status >= 400 && status < 500]).toEqual([path, true]);
        expect([path, body.includes('sluice_')]).toEqual([path, false]);
      }
    }
  } finally {
    await balancer.stop();
  }
});
