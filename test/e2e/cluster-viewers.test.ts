/** Three gateways behind nginx, which sends every request to the next one: viewers cannot tell that they are three. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare, refusalReason } from '../support/hls.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import { PartPuller } from '../support/part-puller.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const CAMERAS = 30;
const SIZE = { widthPx: 320, heightPx: 180 };
const ROTATION_MS = 12_000;

let clip: Clip;
let cameras: SyntheticCamera[] = [];
let cluster: TestCluster;
let nginx: LoadBalancer;
let shares: TestShare[];

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  clip = await makeClip(SIZE.widthPx, SIZE.heightPx, { bitrateBitsPerSec: 100_000 });
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera(0, { clip })));
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m', window: '6s' },
    cdnRotation: `${ROTATION_MS}ms`,
    cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
  });
  nginx = await startLoadBalancer(cluster.nodes);
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
}, 400_000);
afterAll(async () => {
  await nginx?.stop();
  await cluster?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

/** The Media Playlist of the share there, which plays. */
async function open({ m3u8Url }: TestShare, place: TestGateway | LoadBalancer): Promise<string> {
  const url = movedTo(m3u8Url, place);
  return until('the share is open', () => openShare(url));
}

async function untilRefused(share: TestShare): Promise<void> {
  await until('all nodes refuse it', async () => {
    const responses = await Promise.all(cluster.nodes.map((node) => fetch(movedTo(share.m3u8Url, node))));
    return responses.every(({ ok }) => !ok);
  });
}

it('all nodes show the same text of each camera, from one connection to it', async () => {
  await Promise.all(
    shares.map(async (share) => {
      const urls = await Promise.all(cluster.nodes.map((node) => open(share, node)));
      await Promise.all(urls.map((url) => until('video', () => fetchOk(url))));
      const texts = new Map<string, Set<string>>();
      const shown = new Map<string, number>();
      for (let round = 0; round < 10; round++) {
        const { hint } = readPlaylistText((await fetchPlaylist(urls[0]!)).text);
        const query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
        for (const { text } of await Promise.all(urls.map((url) => fetchPlaylist(url + query)))) {
          // A node that is asked late may have the next part, too.
          const { uri } = readPlaylistText(text).hint;
          texts.set(uri, (texts.get(uri) ?? new Set()).add(text));
          shown.set(uri, (shown.get(uri) ?? 0) + 1);
        }
      }
      expect([...texts.values()].filter(({ size }) => size > 1)).toEqual([]);
      expect([...shown.values()].filter((times) => times === urls.length).length).toBeGreaterThan(2);
    }),
  );
  expect(cameras.map((camera) => camera.connectedClients())).toEqual(cameras.map(() => 1));
});

it('cameras are spread over the nodes', async () => {
  const leases = await Promise.all(shares.map(({ cameraUuid }) => cluster.leaseOf(cameraUuid)));
  const owned = cluster.nodes.map((node) => leases.filter(({ owner }) => owner === node).length);
  expect(Math.min(...owned)).toBeGreaterThan(0);
  expect(Math.max(...owned)).toBeLessThan(CAMERAS - 1);
});

it('who asks another node each time gets every frame in order, once', async () => {
  const pulled = shares.slice(0, 3);
  const pullers = await Promise.all(pulled.map(async (share) => new PartPuller(await open(share, nginx))));
  await until(
    'parts',
    () => pullers.every(({ parts, failures }) => parts >= 50 || failures.length > 0),
    90_000,
  );
  await Promise.all(pullers.map((puller) => puller.stop()));
  for (const { failures, nodes, discontinuities, media, refusals } of pullers) {
    expect([failures, discontinuities, refusals]).toEqual([[], 0, 0]);
    expect(nodes.size).toBe(3);
    const numbers = await decodedFrameNumbers(media, SIZE);
    expect(numbers.length).toBeGreaterThan(200);
    const steps = numbers.slice(1).map((number, at) => {
      const step = (number ?? Number.NaN) - (numbers[at] ?? Number.NaN);
      return (step + clip.pictures.length) % clip.pictures.length;
    });
    expect(new Set(steps)).toEqual(new Set([1]));
  }
});

it('what one node revokes ends at the others', async () => {
  const [a, , c] = cluster.nodes as [TestGateway, TestGateway, TestGateway];
  const share = await a.share(nameOf(0));
  const playlistUrl = await open(share, c);
  const viewer = new TestViewer(playlistUrl);
  await until('parts', () => viewer.parts > 0);
  expect(await a.revoke(share)).toMatchObject({ error: false });
  await until(
    'the end of the viewer, which always waits for the next part',
    () => viewer.failures.length > 0,
  );
  expect(viewer.failures[0]).toMatch(/^403 .*"revoked"/);
  await untilRefused(share);
  const later = await fetch(playlistUrl);
  expect([later.status, await refusalReason(later)]).toEqual([403, 'revoked']);
});

it('with a CDN, what one node revokes ends at the others within one rotation', async () => {
  const [a, , c] = cluster.nodes as [TestGateway, TestGateway, TestGateway];
  const share = await a.share(nameOf(1), { cdn: true });
  const playlistUrl = await open(share, c);
  const { text } = await fetchPlaylist(playlistUrl);
  const uris = [...text.matchAll(/[^"\n]*\/seg_[\d.]+\.mp4/g)].map(([uri]) => uri);
  const urls = new Set(uris.map((uri) => new URL(uri, playlistUrl).href));
  expect([...urls].filter((url) => new URL(url).pathname.startsWith('/cdn/')).length).toBeGreaterThan(3);
  const statusOf = async (url: string) => {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  };
  expect(await statusOf([...urls].at(-2)!)).toBe(200);
  expect(await a.revoke(share)).toMatchObject({ error: false });
  const revokedEpochMs = Date.now();
  await untilRefused(share);
  expect((await fetch(playlistUrl)).status).toBe(403);
  // Each response says until when caches can serve it.
  const expirations: number[] = [];
  await until('the end of all paths at all nodes', async () => {
    await Promise.all(
      [...urls].map(async (url) => {
        const responses = await Promise.all(cluster.nodes.map((node) => fetch(movedTo(url, node))));
        await Promise.all(responses.map((response) => response.arrayBuffer()));
        const kept = responses.filter(({ ok, headers }) => ok && headers.has('expires'));
        expirations.push(...kept.map(({ headers }) => Date.parse(headers.get('expires')!)));
        if (responses.every(({ ok }) => !ok)) urls.delete(url);
      }),
    );
    return urls.size === 0;
  });
  expect(expirations.filter((epochMs) => epochMs > revokedEpochMs + ROTATION_MS)).toEqual([]);
});
