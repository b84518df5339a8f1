/** Two nodes that cannot reach each other, but Redis and PostgreSQL: each refuses the other's cameras, so nginx asks the other. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare, refusalReason } from '../support/hls.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import { PartPuller } from '../support/part-puller.ts';
import { Partition } from '../support/partition.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { freePort } from '../support/ports.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CAMERAS = 4;
const SIZE = { widthPx: 320, heightPx: 180 };

let clip: Clip;
let cameras: SyntheticCamera[] = [];
let partitions: Partition[] = [];
let cluster: TestCluster;
let nginx: LoadBalancer;
let shares: TestShare[];
let pullers: PartPuller[] = [];

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  clip = await makeClip(SIZE.widthPx, SIZE.heightPx);
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera(0, { clip })));
  const ports = [await freePort(), await freePort()];
  partitions = await Promise.all(ports.map((port) => Partition.before(port)));
  cluster = await TestCluster.start(
    2,
    {
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
    },
    ports.map((port, at) => ({ listen: `127.0.0.1:${port}`, address: partitions[at]!.address })),
  );
  nginx = await startLoadBalancer(cluster.nodes);
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
  pullers = await Promise.all(shares.map(async (share) => new PartPuller(await open(share, nginx))));
  await pullFurther(10);
}, 400_000);
afterAll(async () => {
  await Promise.all(pullers.map((puller) => puller.stop()));
  await nginx?.stop();
  await cluster?.dispose();
  await Promise.all(partitions.map((partition) => partition.close()));
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function open({ m3u8Url }: TestShare, place: TestGateway | LoadBalancer): Promise<string> {
  const url = movedTo(m3u8Url, place);
  return until('the share is open', () => openShare(url));
}

async function pullFurther(parts: number): Promise<void> {
  const before = pullers.map((puller) => puller.parts);
  const isFurther = () => pullers.every((puller, at) => puller.parts >= before[at]! + parts);
  await until('further parts', () => isFurther() || pullers.some(({ failures }) => failures.length > 0));
  expect(pullers.flatMap(({ failures }) => failures)).toEqual([]);
}

const leases = () => Promise.all(shares.map(({ cameraUuid }) => cluster.leaseOf(cameraUuid)));

it('viewers behind nginx get every frame while two nodes cannot reach each other, and afterwards', async () => {
  const before = await leases();
  const { owner } = before[0]!;
  const [other] = cluster.othersThan(owner) as [TestGateway];
  const playlistUrl = await open(shares[0]!, other);
  const { hint } = readPlaylistText((await fetchPlaylist(playlistUrl)).text);
  const next = `${playlistUrl}?_HLS_msn=${hint.msn + 1}`;
  for (const partition of partitions) partition.begin();
  const refused = await until('it refuses the camera', async () => {
    const response = await fetch(next);
    if (response.status === 503) return response;
    await response.arrayBuffer();
    return null;
  });
  expect(await refusalReason(refused)).toBe('camera-offline');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const url of [next, playlistUrl]) {
    expect((await fetch(url)).status).toBe(503);
  }
  await pullFurther(50);
  expect(cameras.map((camera) => camera.connectedClients())).toEqual(cameras.map(() => 1));
  expect(await leases()).toEqual(before);

  for (const partition of partitions) partition.heal();
  await until('the other node shows the camera again', async () => {
    const url = await openShare(movedTo(shares[0]!.m3u8Url, other));
    const { text } = await fetchPlaylist(url);
    return readPlaylistText(text).hint.msn >= pullers[0]!.msn;
  });
  await pullFurther(20);
  await Promise.all(pullers.map((puller) => puller.stop()));
  expect(await leases()).toEqual(before);
  for (const { failures, discontinuities, media, nodes } of pullers) {
    expect([failures, discontinuities, nodes.size]).toEqual([[], 0, 2]);
    const numbers = await decodedFrameNumbers(media, SIZE);
    const steps = numbers.slice(1).map((number, at) => {
      const step = (number ?? Number.NaN) - (numbers[at] ?? Number.NaN);
      return (step + clip.pictures.length) % clip.pictures.length;
    });
    expect(new Set(steps)).toEqual(new Set([1]));
  }
});
