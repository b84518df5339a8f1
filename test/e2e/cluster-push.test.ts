/** A device that pushes its video to any node of a cluster, as through a load balancer. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestGateway, TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { movedTo } from '../support/load-balancer.ts';
import { RtmpEncoder } from '../support/rtmp-encoder.ts';
import { RtmpPublisher } from '../support/rtmp-publisher.ts';
import { until } from '../support/until.ts';

const KEY = 'yard-0123456789abcdefghij';
const WRONG_KEY = 'none-0123456789abcdefghij';

let cluster: TestCluster;
let share: TestShare;
const encoders: RtmpEncoder[] = [];

beforeAll(async () => {
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '2s' },
    // Longer than the test waits: what plays was told that someone pushes.
    sources: { backoffMin: '1m', backoffMax: '1m' },
    rtmp: { listen: '127.0.0.1:0' },
    cameras: [{ name: 'Yard', publishKey: KEY }],
  });
  share = await cluster.nodes[0]!.share('Yard');
}, 400_000);
afterEach(async () => {
  for (const encoder of encoders.splice(0)) await encoder.end();
});
afterAll(() => cluster?.dispose());

const logged = ({ child }: TestGateway, msg: string): Json[] =>
  child.lines.filter((line) => line.includes(`"msg":"${msg}"`)).map((line) => JSON.parse(line));

function rtmpPortOf(node: TestGateway): number {
  const [{ port }] = logged(node, 'listening for RTMP') as [Json];
  return port;
}

function pushTo(node: TestGateway): RtmpEncoder {
  const encoder = new RtmpEncoder(`rtmp://127.0.0.1:${rtmpPortOf(node)}/live/${KEY}`);
  encoders.push(encoder);
  return encoder;
}

async function hasNoPublisher({ apiUrl }: TestGateway): Promise<boolean> {
  return /^sluice_rtmp_publishers 0$/m.test(await (await fetch(`${apiUrl}/metrics`)).text());
}

/** The playlist of the camera there, which plays. */
async function playsAt(node: TestGateway): Promise<string> {
  const url = movedTo(share.m3u8Url, node);
  const playlistUrl = await until('the camera to play', () => openShare(url));
  await until('a segment', async () => (await fetchPlaylist(playlistUrl)).segments.length > 0);
  return playlistUrl;
}

async function newestAt(url: string): Promise<number> {
  const { mediaSequence, segments } = await fetchPlaylist(url);
  return mediaSequence + segments.length;
}

/** Since the stream began. */
function discontinuitiesIn(playlist: string): number {
  const before = Number(/^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)$/m.exec(playlist)?.[1] ?? 0);
  return before + (playlist.match(/^#EXT-X-DISCONTINUITY$/gm) ?? []).length;
}

it('goes to the node to which the device pushes, and plays at all', async () => {
  const cameraUuid = await cluster.nodes[0]!.cameraUuid('Yard');
  // Someone wants to watch at every node, so a node owns it without a publisher.
  await Promise.all(cluster.nodes.map((node) => fetch(movedTo(share.m3u8Url, node))));
  const before = (await until('an owner', () => cluster.leaseOf(cameraUuid).catch(() => null))).owner;
  for (const node of [...cluster.othersThan(before), before]) {
    const encoder = pushTo(node);
    for (const each of cluster.nodes) await playsAt(each);
    expect((await cluster.leaseOf(cameraUuid)).owner).toBe(node);
    await encoder.end();
    await until('the device to be gone', () => logged(node, 'publisher disconnected').length > 0);
  }
});

it('has one publisher in the cluster: a second one is refused, and the first one notices nothing', async () => {
  const [first, second] = cluster.nodes as [TestGateway, TestGateway];
  for (const node of cluster.nodes) await until('no publisher', () => hasNoPublisher(node));
  pushTo(first);
  const url = await playsAt(second);
  const before = discontinuitiesIn((await fetchPlaylist(url)).text);
  const known = logged(second, 'publisher refused').length;
  const intruder = pushTo(second);
  const refused = await until('the refusal', () => logged(second, 'publisher refused')[known]);
  expect(refused).toMatchObject({ code: 'RTMP_KEY_IN_USE', node: 'node-1' });
  await intruder.end();
  const newest = await newestAt(url);
  await until('further segments', async () => (await newestAt(url)) > newest + 1);
  expect(discontinuitiesIn((await fetchPlaylist(url)).text)).toBe(before);
  expect((await cluster.leaseOf(await first.cameraUuid('Yard'))).owner).toBe(first);
});

it('limits wrong keys through all nodes together', async () => {
  // Where a device is pushing, there is no limit.
  for (const node of cluster.nodes) await until('no publisher', () => hasNoPublisher(node));
  // At each node fewer than it allows by itself, and no more than it lets wait.
  const responses = cluster.nodes.flatMap((node) =>
    Array.from({ length: 14 }, async () => {
      const device = await RtmpPublisher.publish(rtmpPortOf(node), `live/${WRONG_KEY}`);
      device.close();
      return device.received.includes('NetStream.Publish.Denied');
    }),
  );
  const denied = (await Promise.all(responses)).filter((isDenied) => isDenied).length;
  // 42 of which 30 are looked at, and one more every 2 s.
  expect(denied).toBeGreaterThan(0);
  expect(denied).toBeLessThanOrEqual(12);
});
