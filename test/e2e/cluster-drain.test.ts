/** A node of a cluster is drained: another one goes on with its cameras, frame by frame, and no viewer notices. */

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestConfig, TestGateway, TestShare } from '../support/gateway.ts';
import { type GstCamera, NUMBERED_FRAMES, NUMBERED_PICTURE, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };
const SEGMENTS = 4;
const HLS = { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' };

let camera: SyntheticCamera | undefined;
let gstCamera: GstCamera | undefined;
let cluster: TestCluster | undefined;

afterEach(async () => {
  await cluster?.dispose();
  await camera?.close();
  await gstCamera?.stop();
  [cluster, camera, gstCamera] = [undefined, undefined, undefined];
});

/** The Media Playlist at this node. */
async function playlistAt(share: TestShare, node: TestGateway): Promise<string> {
  const url = share.m3u8Url.replace(cluster!.nodes[0]!.mediaUrl, node.mediaUrl);
  return (await openShare(url)).replace('stream.m3u8', 'file.m3u8');
}

function isOwner({ child }: TestGateway): boolean {
  return (
    child.lines.findLast((line) => line.includes('camera in the cluster'))?.includes('"role":"owner"') ===
    true
  );
}

async function ownerOf(nodes: readonly TestGateway[]): Promise<TestGateway> {
  return until('an owner', () => nodes.find(isOwner));
}

/** A cluster with one camera that both play, and the playlist of each node. */
async function startPlaying(
  nodes: number,
  options: Parameters<typeof startCamera>[1] = {},
  config: TestConfig = {},
) {
  camera = await startCamera(0, options);
  return playAt(camera.url, nodes, config);
}

async function playAt(rtsp: string, nodes: number, config: TestConfig = {}) {
  const cameras = [{ name: 'Gate', rtsp }];
  cluster = await TestCluster.start(nodes, { hls: HLS, cameras, ...config });
  const share = await cluster.nodes[0]!.share('Gate');
  const urls = await Promise.all(
    cluster.nodes.map((node) => until('the share at every node', () => playlistAt(share, node))),
  );
  await Promise.all(urls.map((url) => fetchOk(url)));
  const owner = await ownerOf(cluster.nodes);
  const other = cluster.nodes.find((node) => node !== owner)!;
  const urlOf = (node: TestGateway): string => urls[cluster!.nodes.indexOf(node)]!;
  return { share, owner, other, urlOf };
}

const drain = ({ folder }: TestGateway) => runCli('drain', '--config', join(folder, 'sluice.yaml'));

/** What /readyz of a listener said that was not "ready", until the function returned ends it. */
function watchReadiness(url: string): () => Promise<{ answers: unknown[]; connections: Set<string | null> }> {
  const answers: unknown[] = [];
  const connections = new Set<string | null>();
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const response = await fetch(`${url}/readyz`).catch(() => null);
      if (response !== null) connections.add(response.headers.get('connection'));
      if (response?.status === 503) answers.push(await response.json());
      await pause(50);
    }
  };
  const done = watch();
  return async () => {
    isOver = true;
    await done;
    return { answers, connections };
  };
}

it('SIGTERM: every frame is published once, and no request fails', async () => {
  const { owner, other, urlOf } = await startPlaying(2);
  const collector = new SegmentCollector(() => urlOf(other));
  const viewer = new TestViewer(urlOf(other));
  await collector.more(SEGMENTS);
  const endWatches = [owner.apiUrl, owner.mediaUrl].map(watchReadiness);
  await owner.end();
  expect(owner.child.process.exitCode).toBe(0);
  for (const endWatch of endWatches) {
    const { answers, connections } = await endWatch();
    expect(answers).toContainEqual({ ready: false, checks: { cluster: 'draining' } });
    // Before it closes, so that none is closed on which a request is on its way.
    expect([...connections]).toEqual(['keep-alive', 'close']);
  }
  await collector.more(SEGMENTS);
  await Promise.all([viewer.stop(), collector.stop()]);
  expect(owner.child.lines.filter((line) => line.includes('stream cut'))).toEqual([
    expect.stringContaining('"by":"frame"'),
  ]);
  expect(misplaced(await collector.frameNumbers(PICTURE), CLIP_FRAMES)).toEqual([]);
  expect(collector.runs).toHaveLength(2);
  expect([...viewer.failures, ...collector.failures]).toEqual([]);
  expect(camera!.connectedClients()).toBe(1);
}, 400_000);

it('sluice drain: viewers stay at the node that has given its camera away', async () => {
  const { owner, other, urlOf } = await startPlaying(2);
  const collector = new SegmentCollector(() => urlOf(owner));
  const viewer = new TestViewer(urlOf(owner));
  await collector.more(SEGMENTS);
  expect(await drain(owner)).toMatchObject({ code: 0, stdout: expect.stringContaining('is drained') });
  await until('the other node owns the camera', () => isOwner(other));
  await collector.more(SEGMENTS);
  await Promise.all([viewer.stop(), collector.stop()]);
  expect(misplaced(await collector.frameNumbers(PICTURE), CLIP_FRAMES)).toEqual([]);
  expect([...viewer.failures, ...collector.failures]).toEqual([]);
  expect(await drain(other)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CLUSTER_NO_OTHER_NODE'),
  });
  expect(isOwner(other)).toBe(true);
  await owner.end();
  expect(await drain(owner)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CLI_NODE_NOT_RUNNING'),
  });
}, 400_000);

it('camera threads: every frame is published once, and a camera thread packages at the next node, too', async () => {
  const { owner, other, urlOf } = await startPlaying(2, {}, { threads: { cameras: 1 } });
  const collector = new SegmentCollector(() => urlOf(other));
  const viewer = new TestViewer(urlOf(other));
  await collector.more(SEGMENTS);
  await owner.end();
  await until('the other node owns the camera', () => isOwner(other));
  await collector.more(2 * SEGMENTS);
  await Promise.all([viewer.stop(), collector.stop()]);
  expect(owner.child.lines.filter((line) => line.includes('handed over with a gap'))).toEqual([]);
  expect(misplaced(await collector.frameNumbers(PICTURE), CLIP_FRAMES)).toEqual([]);
  // Packaging leaves one thread, the camera one node, and packaging begins in another thread.
  expect(collector.runs).toHaveLength(4);
  expect([...viewer.failures, ...collector.failures]).toEqual([]);
  expect(camera!.connectedClients()).toBe(1);
}, 400_000);

it('a transcoded stream shows every frame once, as the camera’s own stream does', async () => {
  const clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { codec: 'h265', durationSec: 16 });
  const { owner, other, urlOf } = await startPlaying(2, { clip });
  const own = new SegmentCollector(() => urlOf(other));
  const made = new SegmentCollector(() => urlOf(other).replace('file.m3u8', 'h264/file.m3u8'));
  await Promise.all([own.more(SEGMENTS), made.more(SEGMENTS)]);
  await owner.end();
  await until('the other node owns the camera', () => isOwner(other));
  await Promise.all([own.more(SEGMENTS), made.more(SEGMENTS)]);
  await Promise.all([own.stop(), made.stop()]);
  expect(owner.child.lines.filter((line) => line.includes('handed over with a gap'))).toEqual([]);
  for (const collector of [own, made]) {
    const numbers = await collector.frameNumbers(PICTURE);
    expect(misplaced(numbers, clip.pictures.length)).toEqual([]);
    expect(collector.runs).toHaveLength(2);
    expect(collector.failures).toEqual([]);
  }
}, 400_000);

it('a transcoded stream shows every frame once if it alone is watched, at one node, and a camera thread reads the camera', async () => {
  const clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { codec: 'h265', durationSec: 16 });
  const config = { hls: { ...HLS, idleStop: '5s' }, threads: { cameras: 1 } };
  const { owner, other, urlOf } = await startPlaying(2, { clip }, config);
  const collector = new SegmentCollector(() => urlOf(owner).replace('file.m3u8', 'h264/file.m3u8'));
  await collector.more(SEGMENTS);
  const renditions = async ({ apiUrl }: TestGateway): Promise<string[]> => {
    const text = await (await fetch(`${apiUrl}/metrics`)).text();
    return [...new Set([...text.matchAll(/rendition="([\w-]+)"/g)].map(([, name]) => name!))];
  };
  await until(
    'nothing else is open',
    async () => String([await renditions(owner), await renditions(other)]) === 'h264,',
  );
  expect(await drain(owner)).toMatchObject({ code: 0 });
  await until('the other node owns the camera', () => isOwner(other));
  await collector.more(SEGMENTS);
  await collector.stop();
  expect(owner.child.lines.filter((line) => line.includes('handed over with a gap'))).toEqual([]);
  expect(misplaced(await collector.frameNumbers(PICTURE), clip.pictures.length)).toEqual([]);
  expect(collector.failures).toEqual([]);
}, 400_000);

/** A counter of this node. */
async function counted({ apiUrl }: TestGateway, name: string): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

it('a camera that puts the sending time into each picture: every frame is published once', async () => {
  gstCamera = await startGstCamera('h264-sent-only');
  const { owner, other, urlOf } = await playAt(gstCamera.url, 2);
  const collector = new SegmentCollector(() => urlOf(other));
  await collector.more(SEGMENTS);
  await owner.end();
  await until('the other node owns the camera', () => isOwner(other));
  await collector.more(SEGMENTS);
  await collector.stop();
  expect(owner.child.lines.filter((line) => line.includes('stream cut'))).toEqual([
    expect.stringContaining('"by":"frame"'),
  ]);
  expect(misplaced(await collector.frameNumbers(NUMBERED_PICTURE), NUMBERED_FRAMES)).toEqual([]);
  expect(await counted(other, 'sluice_cluster_handovers_total')).toBe(1);
  expect(await counted(other, 'sluice_cluster_handover_gaps_total')).toBe(0);
}, 400_000);

it('a camera that takes one connection is handed over with a gap, and the log says why', async () => {
  const { owner, other, urlOf } = await startPlaying(2, { maxClients: 1 });
  const collector = new SegmentCollector(() => urlOf(other));
  await collector.more(SEGMENTS);
  await owner.end();
  expect(owner.child.lines.find((line) => line.includes('handed over with a gap'))).toContain(
    'HANDOVER_NOT_POSSIBLE',
  );
  await until('the other node owns the camera', () => isOwner(other));
  await collector.more(SEGMENTS);
  await collector.stop();
  expect(collector.msns).toEqual(collector.msns.map((_, index) => collector.msns[0]! + index));
  const wrong = misplaced(await collector.frameNumbers(PICTURE), CLIP_FRAMES);
  const taken = other.child.lines.find((line) => line.includes('taken over with a gap'));
  process.stdout.write(`one connection: ${wrong.join(', ')}; ${taken}\n`);
  expect(wrong).toHaveLength(1);
  expect(taken).toContain('"by":"none"');
  expect(await counted(other, 'sluice_cluster_handover_gaps_total')).toBe(1);
  expect(await counted(other, 'sluice_cluster_handover_gap_seconds_total')).toBeGreaterThan(0);
}, 400_000);
