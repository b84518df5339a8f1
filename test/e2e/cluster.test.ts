/** Two gateways as nodes of one cluster: one pulls the camera, both show the same, and either takes over. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let cluster: TestCluster;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  share = await cluster.nodes[0]!.share('Gate');
}, 120_000);
afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
});

/** The Media Playlist at this node. */
async function open(node: TestGateway): Promise<string> {
  const url = share.m3u8Url.replace(cluster.nodes[0]!.mediaUrl, node.mediaUrl);
  return (await openShare(url)).replace('stream.m3u8', 'file.m3u8');
}

it('both nodes show the same text and the same bytes, from one connection to the camera', async () => {
  const [one, two] = await Promise.all(cluster.nodes.map(open));
  await Promise.all([fetchOk(one!), fetchOk(two!)]);
  expect(camera.connectedClients()).toBe(1);
  for (let round = 0; round < 10; round++) {
    const { hint } = readPlaylistText((await fetchPlaylist(one!)).text);
    const query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
    const [here, there] = await Promise.all([one!, two!].map((url) => fetchPlaylist(url + query)));
    expect(there!.text).toBe(here!.text);
    const [part, same] = await Promise.all([one!, two!].map((url) => fetchOk(new URL(hint.uri, url).href)));
    expect(same!.equals(part!)).toBe(true);
  }
});

it('another node takes over from one that was killed, and no number goes back', async () => {
  const owner = cluster.nodes.find(({ child }) =>
    child.lines.some((line) => line.includes('"role":"owner"')),
  )!;
  const other = cluster.nodes.find((node) => node !== owner)!;
  const playlistUrl = await open(other);
  const { hint } = readPlaylistText((await fetchPlaylist(playlistUrl)).text);
  const sinceMs = performance.now();
  await owner.end('SIGKILL');
  const after = await until(
    'parts of the new owner',
    async () => {
      const response = await fetch(playlistUrl);
      if (response.status !== 200) return null;
      const playlist = readPlaylistText(await response.text());
      return playlist.hint.msn > hint.msn + 1 ? playlist : null;
    },
    15_000,
  );
  expect(performance.now() - sinceMs).toBeLessThan(6_000);
  expect(after.hint.msn).toBeGreaterThan(hint.msn);
});
