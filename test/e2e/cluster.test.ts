/** Two gateways as nodes of one cluster: one pulls the camera, both show the same, and either takes over. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
/** A camera with a substream. */
let dock: readonly SyntheticCamera[];
let cluster: TestCluster;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  dock = await Promise.all([startCamera(), startCamera()]);
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' },
    cameras: [
      { name: 'Gate', rtsp: camera.url },
      { name: 'Dock', rtsp: dock[0]!.url, substream: dock[1]!.url },
    ],
  });
  share = await cluster.nodes[0]!.share('Gate');
});
afterAll(async () => {
  await cluster?.dispose();
  await Promise.all([camera, ...(dock ?? [])].map((one) => one?.close()));
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

/** The start of each segment of each Representation, by Period. */
function startsOf(manifest: string): Map<string, string> {
  const starts = new Map<string, string>();
  for (const [, period, streams] of manifest.matchAll(/<Period id="(\w+)"[^>]*>([\s\S]*?)<\/Period>/g)) {
    const each =
      /<Representation id="(\w+)".*?presentationTimeOffset="(\d+)" startNumber="(\d+)".*?<S t="(\d+)"/g;
    for (const [, stream, offset, number, ticks] of streams!.matchAll(each)) {
      starts.set(`${stream} ${number}`, `${period} ${offset} ${ticks}`);
    }
  }
  return starts;
}

/** The manifest of a share at this node. */
async function openManifest({ pageUrl }: TestShare, node: TestGateway): Promise<string> {
  const url = `${pageUrl.replace(cluster.nodes[0]!.mediaUrl, node.mediaUrl)}/open`;
  const opened = await fetch(url, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  return new URL('file.mpd', new URL(playlistUrl, node.mediaUrl)).href;
}

async function textOf(url: string): Promise<string> {
  return (await fetchOk(url)).toString();
}

it('both nodes have the same DASH manifest, also the one that began to mirror later', async () => {
  const dockShare = await cluster.nodes[0]!.share('Dock');
  const one = await openManifest(dockShare, cluster.nodes[0]!);
  const begun = await textOf(one);
  expect(begun).toContain('<Representation id="sub"');
  // The substream comes back: in a Period that the other node could not find out by itself.
  const [main, sub] = dock as [SyntheticCamera, SyntheticCamera];
  await sub.close();
  dock = [main, await startCamera(Number(new URL(sub.url).port))];
  await until('another Period', async () => (await textOf(one)).match(/<Period /g)!.length > 1);
  const two = await openManifest(dockShare, cluster.nodes[1]!);
  const seen: string[] = [];
  for (let round = 0; round < 10; round++) {
    const query = round % 2 === 0 ? '' : '?latency=low';
    const newest = seen.at(-1);
    await until('the same text at both nodes', async () => {
      const [here, there] = await Promise.all([one, two].map((url) => textOf(url + query)));
      seen.push(here!, there!);
      return here === there && here !== newest;
    });
  }
  const known = new Map<string, string>();
  for (const text of [begun, ...seen]) {
    for (const [segment, start] of startsOf(text)) {
      expect([segment, known.get(segment) ?? start]).toEqual([segment, start]);
      known.set(segment, start);
    }
  }
});

it('another node takes over from one that was killed, and no number goes back', async () => {
  const owner = cluster.nodes.find(({ child }) =>
    child.lines.some((line) => line.includes('"role":"owner"')),
  )!;
  const other = cluster.nodes.find((node) => node !== owner)!;
  const playlistUrl = await open(other);
  const before = await fetchPlaylist(playlistUrl);
  const { hint } = readPlaylistText(before.text);
  const known = before.segments.at(-2)!.uri;
  const bytes = await fetchOk(new URL(known, playlistUrl).href);
  await owner.end('SIGKILL');
  const after = await until('parts of the new owner', async () => {
    const response = await fetch(playlistUrl);
    if (response.status !== 200) return null;
    const playlist = readPlaylistText(await response.text());
    return playlist.hint.msn > hint.msn + 1 ? playlist : null;
  });
  expect(after.hint.msn).toBeGreaterThan(hint.msn);
  // Who is a little behind still gets what the old list had.
  expect((await fetchOk(new URL(known, playlistUrl).href)).equals(bytes)).toBe(true);
});
