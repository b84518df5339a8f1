/**
 * How soon viewers at another node have parts of a camera whose node was killed, and how soon another node ends a view that
 * one has revoked. The references are the time of a gateway without a cluster from the reconnection of its camera to a
 * part, and the time from part to part at the same node.
 */

import { TestCluster } from '../../../test/support/cluster.ts';
import { TestGateway } from '../../../test/support/gateway.ts';
import { openShare } from '../../../test/support/hls.ts';
import { movedTo } from '../../../test/support/load-balancer.ts';
import { readPlaylistText } from '../../../test/support/playlist-text.ts';
import { startCamera } from '../../../test/support/synthetic.ts';
import { until } from '../../../test/support/until.ts';
import { median } from '../../report.ts';
import type { MeasuredDelays } from '../delays.ts';
import { PartViewer } from './part-viewer.ts';

const HLS = { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' };

export async function measureFailOver(rounds: number): Promise<MeasuredDelays> {
  const reconnectMs: number[] = [];
  const failOverMs: number[] = [];
  const revokedMs: number[] = [];
  const partsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    reconnectMs.push(await measureReconnection());
    const measured = await measureCluster();
    failOverMs.push(measured.failOverMs);
    revokedMs.push(measured.revokedMs);
    partsMs.push(measured.partMs);
  }
  const figures = {
    failOverVsReconnection: median(failOverMs) / median(reconnectMs),
    cutOffAtOtherNodeVsPart: median(revokedMs) / median(partsMs),
  };
  return {
    rows: [
      { case: 'parts again: camera back', 'median ms': median(reconnectMs) },
      { case: 'parts again: node killed', 'median ms': median(failOverMs) },
      { case: 'cut off at another node', 'median ms': median(revokedMs), 'part ms': median(partsMs) },
    ],
    figures,
  };
}

/** Resolves, with the time since `sinceMs`, once the playlist hints at a part behind a further discontinuity. */
async function newPartsMs(playlistUrl: string, breaks: number, sinceMs: number): Promise<number> {
  await until('parts behind a discontinuity', async () => {
    const response = await fetch(playlistUrl);
    return response.ok && breaksOf(await response.text()) > breaks;
  });
  return performance.now() - sinceMs;
}

function breaksOf(text: string): number {
  const { discontinuitySequence, segments, openParts } = readPlaylistText(text);
  const isOpen = /#EXT-X-DISCONTINUITY\n(?!.*#EXTINF)/s.test(text) && openParts.length > 0;
  return (
    discontinuitySequence +
    segments.filter(({ hasDiscontinuity }) => hasDiscontinuity).length +
    Number(isOpen)
  );
}

async function measureReconnection(): Promise<number> {
  let camera = await startCamera();
  const gateway = await TestGateway.start({
    hls: HLS,
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  try {
    const playlistUrl = await playlistOf((await gateway.share('Gate')).m3u8Url);
    const breaks = breaksOf(await (await fetch(playlistUrl)).text());
    const { port } = camera;
    const sinceMs = performance.now();
    await camera.close();
    camera = await startCamera(port);
    return await newPartsMs(playlistUrl, breaks, sinceMs);
  } finally {
    await gateway.dispose();
    await camera.close();
  }
}

async function measureCluster() {
  const camera = await startCamera();
  const cluster = await TestCluster.start(2, { hls: HLS, cameras: [{ name: 'Gate', rtsp: camera.url }] });
  try {
    const [first] = cluster.nodes as [TestGateway];
    const share = await first.share('Gate');
    await playlistOf(share.m3u8Url);
    const { owner } = await cluster.leaseOf(share.cameraUuid);
    const [other] = cluster.othersThan(owner) as [TestGateway];
    const ending = await owner.share('Gate');
    const revoked = new PartViewer(await playlistOf(movedTo(ending.m3u8Url, other)));
    await until('parts', () => revoked.partsAtMonoMs.length > 10);
    await owner.revoke(ending);
    const sinceMs = performance.now();
    const revokedMs = Math.max(0, (await revoked.refused).atMonoMs - sinceMs);
    const playlistUrl = await playlistOf(movedTo(share.m3u8Url, other));
    const breaks = breaksOf(await (await fetch(playlistUrl)).text());
    const killedMs = performance.now();
    await owner.end('SIGKILL');
    const failOverMs = await newPartsMs(playlistUrl, breaks, killedMs);
    return { failOverMs, revokedMs, partMs: median(revoked.intervalsMs) };
  } finally {
    await cluster.dispose();
    await camera.close();
  }
}

async function playlistOf(m3u8Url: string): Promise<string> {
  const url = await until('the share is open', () => openShare(m3u8Url));
  return url.replace('stream.m3u8', 'file.m3u8');
}
