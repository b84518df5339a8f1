/** The node that pulls a camera stands still and wakes up: others have taken over, and nothing has two contents. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { movedTo } from '../support/load-balancer.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { ServedMedia } from '../support/served-media.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PAUSE_MS = 20_000;

let camera: SyntheticCamera;
let cluster: TestCluster;
let share: TestShare;
let playlists: Map<TestGateway, string>;
let served: ServedMedia;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  share = await cluster.nodes[0]!.share('Gate');
  playlists = new Map(
    await Promise.all(cluster.nodes.map(async (node) => [node, await open(node)] as const)),
  );
  served = new ServedMedia(playlists);
}, 400_000);
afterAll(async () => {
  await served?.stop();
  await cluster?.dispose();
  await camera?.close();
});

/** The Media Playlist at this node. */
async function open(node: TestGateway): Promise<string> {
  const url = movedTo(share.m3u8Url, node);
  const stream = await until('the share is open', () => openShare(url));
  return stream.replace('stream.m3u8', 'file.m3u8');
}

/** Whether all nodes show the same text at the same part. */
async function isSameText(): Promise<boolean> {
  const [first, ...others] = [...playlists.values()];
  const { hint } = readPlaylistText((await fetchPlaylist(first!)).text);
  const query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
  const texts = await Promise.all([first!, ...others].map((url) => fetchPlaylist(url + query)));
  return texts.every(({ text }) => text === texts[0]!.text);
}

it('a node that wakes up publishes nothing, and shows what the others show', async () => {
  const { owner, fence } = await cluster.leaseOf(share.cameraUuid);
  const others = cluster.othersThan(owner);
  const before = await until('several segments at all nodes', () => {
    const edges = cluster.nodes.map((node) => served.edge(node).msn);
    return Math.min(...edges) >= 3 && Math.max(...edges);
  });
  owner.child.process.kill('SIGSTOP');
  const stoppedMs = performance.now();
  await until('the others go on', () => others.every((node) => served.edge(node).msn > before + 2));
  const next = await cluster.leaseOf(share.cameraUuid);
  expect(others).toContain(next.owner);
  expect(next.fence).toBeGreaterThan(fence);
  // How long it stands still is what we test.
  await pause(PAUSE_MS - (performance.now() - stoppedMs));
  const wokenMs = performance.now();
  owner.child.process.kill('SIGCONT');
  const there = served.edge(others[0]!).msn;
  await until('the woken node goes on', () => served.edge(owner).msn > there + 2);
  await until('all nodes show the same text', isSameText);
  const after = served.edge(owner).msn;
  await until('further segments', () => cluster.nodes.every((node) => served.edge(node).msn > after + 2));
  expect(camera.connectedClients()).toBe(1);
  expect((await cluster.leaseOf(share.cameraUuid)).owner).toBe(next.owner);
  await served.stop();
  expect(served.onlyAt(owner, wokenMs)).toEqual([]);
  expect(served.conflicts).toEqual([]);
  expect(served.stepsBack).toEqual([]);
  expect(served.failures).toEqual([]);
  expect(served.count).toBeGreaterThan(200);
});
