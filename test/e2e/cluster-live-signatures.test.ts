/** Signed live video in a cluster: every node shows the owner's signatures, and the next owner begins a session of its own. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkInit, checkSegment, type LiveSigner } from '../../src/c2pa/check-live.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, msnOf, openShare, type TestSegment } from '../support/hls.ts';
import { movedTo } from '../support/load-balancer.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let cluster: TestCluster;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(2, {
    evidence: { signLive: true },
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  share = await cluster.nodes[0]!.share('Gate');
}, 400_000);
afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
});

/** The Media Playlist of the share at this node. */
async function open(node: TestGateway): Promise<string> {
  const url = await until('the share is open', () => openShare(movedTo(share.m3u8Url, node)));
  return url.replace('stream.m3u8', 'file.m3u8');
}

/** The newest whole segment behind `afterMsn`, and its signer. */
async function newest(url: string, afterMsn = -1): Promise<{ segment: TestSegment; signer: LiveSigner }> {
  const segment = await until('a segment', async () => {
    const { segments } = await fetchPlaylist(url);
    // A gap has no init segment.
    const whole = segments.filter(({ map, uri }) => map !== undefined && /^seg_\d+\.m4v$/.test(uri));
    return whole.findLast(({ uri }) => msnOf(uri) > afterMsn) ?? null;
  });
  const finding = await checkInit(await fetchOk(new URL(segment.map.uri, url).href));
  if (finding.state !== 'signed') throw new Error(JSON.stringify(finding));
  return { segment, signer: finding.signer };
}

async function stateOf(
  url: string,
  { segment, signer }: Awaited<ReturnType<typeof newest>>,
): Promise<string> {
  const bytes = await fetchOk(new URL(segment.uri, url).href);
  return (await checkSegment(bytes, signer, msnOf(segment.uri))).state;
}

it('has the signatures of its owner at each node, and those of the next owner when that one ends', async () => {
  const [first] = cluster.nodes;
  const before = await newest(await open(first!));
  const { owner } = await cluster.leaseOf(share.cameraUuid);
  const [mirror] = cluster.othersThan(owner);
  const url = await open(mirror!);
  const mirrored = await newest(url);
  expect(mirrored.signer.manifestId).toBe(before.signer.manifestId);
  expect(await stateOf(url, mirrored)).toBe('signed');

  await owner.end('SIGKILL');
  const after = await newest(url, msnOf(mirrored.segment.uri) + 100);
  expect(after.signer.manifestId).not.toBe(before.signer.manifestId);
  expect(after.signer.fingerprint).toBe(before.signer.fingerprint);
  expect(after.signer.streamId).toBe(before.signer.streamId);
  expect(await stateOf(url, after)).toBe('signed');
});
