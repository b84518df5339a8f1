/** Privacy masks in a cluster: every node shows the same masked camera, and none shows it without masks. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { type Area, decodeFrames, isBlackIn, maskOf } from '../support/private-video.ts';
import { workersOf } from '../support/processes.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MIDDLE: Area = { left: 2_500, top: 2_500, right: 7_500, bottom: 7_500 };
const CORNER: Area = { left: 0, top: 5_000, right: 2_000, bottom: 10_000 };

let camera: SyntheticCamera;
let cluster: TestCluster;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m', window: '6s' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
  await setMasks([MIDDLE]);
  share = await cluster.nodes[0]!.share('Lobby');
}, 400_000);
afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
});

async function setMasks(areas: readonly Area[]): Promise<void> {
  const [node] = cluster.nodes;
  const cameraUuid = await node!.cameraUuid('Lobby');
  const response = await node!.call('camera/setPrivacyMasks', { cameraUuid, masks: areas.map(maskOf) });
  if (response.error) throw new Error(response.errorMsg);
}

const at = (node: TestGateway): string => share.m3u8Url.replace(/^https?:\/\/[^/]+/, node.mediaUrl);

/** What the node shows once it has segments. */
async function windowAt(node: TestGateway) {
  const playlist = await until('the link to open', () => openShare(at(node)).catch(() => null));
  const [run] = await until('segments', async () => {
    const runs = await fetchRuns(playlist).catch(() => []);
    return (runs[0]?.segments.length ?? 0) > 1 ? runs : null;
  });
  return { playlist, video: decodeFrames(Buffer.concat(run!.media)) };
}

it('all nodes show one masked camera, of one worker', async () => {
  const shown = [];
  for (const node of cluster.nodes) shown.push(await windowAt(node));
  for (const { video } of shown) expect(isBlackIn(video, MIDDLE)).toBe(true);
  const newest = await Promise.all(shown.map(({ playlist }) => fetchPlaylist(playlist)));
  const numbers = newest.map(({ mediaSequence, segments }) => mediaSequence + segments.length);
  expect(Math.abs(numbers[0]! - numbers[1]!)).toBeLessThanOrEqual(1);
  const workers = cluster.nodes.map((node) => workersOf(node.child.process.pid!).length);
  expect(workers.reduce((sum, count) => sum + count, 0)).toBe(1);
});

it('a node that did not get the call shows other masks, too', async () => {
  await setMasks([CORNER]);
  for (const node of cluster.nodes) {
    await until('the new masks', async () => {
      const { video } = await windowAt(node);
      return isBlackIn(video, CORNER) && !isBlackIn(video, MIDDLE);
    });
  }
});
