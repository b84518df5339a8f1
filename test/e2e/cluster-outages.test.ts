/** What the nodes share goes away and comes back while viewers play through all of them: Redis, empty; PostgreSQL. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestGateway, TestShare } from '../support/gateway.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import { isLongRun } from '../support/random-runs.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const CAMERAS = 3;
/**
 * Longer than everything that ends without Redis: registrations and leases (2 s), what the store proves (10 s), viewers
 * that are not seen (15 s). A long run has it away for a minute.
 */
const REDIS_AWAY_MS = isLongRun ? 60_000 : 20_000;
const POSTGRES_AWAY_MS = 3_000;
const BOUND_MS = 2_000;

let cameras: SyntheticCamera[] = [];
let cluster: TestCluster;
let nginx: LoadBalancer;
let shares: TestShare[];
let viewers: TestViewer[];
/** The most connections that a camera had at a time. */
let mostConnections = 0;
let timer: NodeJS.Timeout;

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera()));
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
  });
  nginx = await startLoadBalancer(cluster.nodes);
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
  const places = [...cluster.nodes, nginx];
  const urls = await Promise.all(shares.flatMap((share) => places.map((place) => open(share, place))));
  viewers = urls.map((url) => new TestViewer(url));
  await playOn('at first');
  timer = setInterval(() => {
    mostConnections = Math.max(mostConnections, ...cameras.map((camera) => camera.connectedClients()));
  }, 50);
}, 240_000);
afterAll(async () => {
  clearInterval(timer);
  await Promise.all((viewers ?? []).map((viewer) => viewer.stop()));
  await nginx?.stop();
  await cluster?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function open({ m3u8Url }: TestShare, place: TestGateway | LoadBalancer): Promise<string> {
  const url = movedTo(m3u8Url, place);
  const stream = await until('the share is open', () => openShare(url), 60_000);
  return stream.replace('stream.m3u8', 'file.m3u8');
}

/** Every viewer gets further parts, and none has failed. */
async function playOn(when: string): Promise<void> {
  const partsBefore = viewers.map(({ parts }) => parts);
  const isFurther = () => viewers.every(({ parts }, at) => parts >= partsBefore[at]! + 5);
  const hasFailed = () => viewers.some(({ failures }) => failures.length > 0);
  await until(`further parts ${when}`, () => isFurther() || hasFailed());
  expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
}

const fences = () =>
  Promise.all(shares.map(async ({ cameraUuid }) => (await cluster.leaseOf(cameraUuid)).fence));

/** Viewers of each share, as each node says. */
const viewerCounts = () =>
  Promise.all(
    cluster.nodes.map(async (node) => {
      const answer = await node.call('camera/findSharedStreams');
      const rows = answer.sharedStreams as Json[];
      return shares.map(({ uuid }) => rows.find((row) => row.uuid === uuid)?.viewerCount);
    }),
  );

it('nobody is cut off while Redis is away, and when it comes back empty', async () => {
  const fencesBefore = await fences();
  await cluster.killRedis();
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < REDIS_AWAY_MS) {
    await playOn('without Redis');
    // How long it is away is what we test.
    await pause(500);
  }
  expect(await cluster.relyingNodes()).toBeGreaterThan(0);
  await cluster.startEmptyRedis();
  await playOn('with Redis again');
  await until('leases in Redis again', async () => (await cluster.relyingNodes()) === 0);
  await playOn('with leases in Redis');
  expect(await fences()).toEqual(fencesBefore);
  expect(mostConnections).toBe(1);
  const all = shares.map(() => cluster.nodes.length + 1);
  await until('true counts', async () => {
    const counts = await viewerCounts();
    return counts.every((of) => of.every((count, at) => count === all[at]));
  });
});

it('nobody is cut off while PostgreSQL is restarted, and what is revoked stays revoked', async () => {
  const [a, b] = cluster.nodes as [TestGateway, TestGateway];
  const before = await a.share(nameOf(0));
  const after = await a.share(nameOf(1));
  await Promise.all(cluster.nodes.map((node) => open(after, node)));
  expect(await a.revoke(before)).toMatchObject({ error: false });
  await cluster.postgres.stop('SIGINT');
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < POSTGRES_AWAY_MS) await playOn('without PostgreSQL');
  await cluster.postgres.run();
  await until('it is revoked', async () => (await b.revoke(after)).error === false);
  const revokedMs = performance.now();
  await until('all nodes refuse it', async () => {
    const responses = await Promise.all(cluster.nodes.map((node) => fetch(movedTo(after.m3u8Url, node))));
    return responses.every(({ ok }) => !ok);
  });
  expect(performance.now() - revokedMs).toBeLessThan(BOUND_MS);
  for (const node of cluster.nodes) {
    const refused = await fetch(movedTo(before.m3u8Url, node));
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  }
  await playOn('with PostgreSQL again');
  expect(mostConnections).toBe(1);
});
