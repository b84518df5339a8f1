/** Viewers of a link: the organization sees one arrive, and ends its view, in a whole gateway. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare, refusalReason } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
  share = await gateway.share('Lobby', { name: 'Front desk' });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const viewers = () =>
  gateway.call('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid: share.uuid });
const end = (viewerId: string, fields: Json = {}) =>
  gateway.call('camera/endSharedStreamViewer', {
    sharedLiveVideoStreamUuid: share.uuid,
    viewerId,
    ...fields,
  });
const open = async () => (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');

/** The ID of the viewer that arrived last, once it has its media. */
const newest = (count: number) =>
  until(`viewer ${count}`, async () => {
    const listed: Json[] = (await viewers()).viewers;
    return listed.length === count && (listed.at(-1)!.sentBytes as number) > 0 ? listed.at(-1)! : null;
  });

it('lists a viewer, ends its view while a request waits, and lets no one in from a blocked address', async () => {
  const startMs = Date.now();
  const playlistUrl = await open();
  const { segments } = await fetchPlaylist(playlistUrl);
  await (await fetch(new URL(segments.at(-1)!.uri, playlistUrl))).arrayBuffer();
  const viewer = await newest(1);
  expect(viewer).toMatchObject({ address: '127.0.0.1', protocol: 'HLS', stream: 'MAIN', isInPast: false });
  expect(viewer.sinceMs).toBeGreaterThanOrEqual(startMs);
  const others = await open();
  await fetchPlaylist(others);
  await newest(2);

  // The segment after the next one: seconds from now.
  const { mediaSequence, segments: now } = await fetchPlaylist(playlistUrl);
  const held = fetch(`${playlistUrl}?_HLS_msn=${mediaSequence + now.length + 1}`);
  expect(await end(viewer.viewerId)).toEqual({ error: false, endedCount: 1 });
  const ended = await held;
  expect([ended.status, await refusalReason(ended)]).toEqual([403, 'viewer-ended']);
  const later = await fetch(playlistUrl);
  expect([later.status, await refusalReason(later)]).toEqual([403, 'viewer-ended']);
  await fetchPlaylist(others);

  // Whoever has the link is a new viewer, unless the address is blocked.
  const again = await open();
  await fetchPlaylist(again);
  const { viewerId } = await newest(2);
  expect(viewerId).not.toBe(viewer.viewerId);
  expect(await end(viewerId, { blockMinutes: 60 })).toMatchObject({
    endedCount: 2,
    blockedAddress: { address: '127.0.0.1' },
  });
  for (const url of [share.m3u8Url, others, again]) {
    const refused = await fetch(url);
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'viewer-ended']);
  }
  const page = await fetch(`${share.pageUrl}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(page.status).toBe(403);
  expect(await page.json()).toMatchObject({ reason: 'viewer-ended', until: expect.any(Number) });
  expect(await viewers()).toMatchObject({ viewers: [], blockedAddresses: [{ address: '127.0.0.1' }] });
});

it('knows after a restart when someone last watched, and what is blocked', async () => {
  const before = await viewers();
  expect(before.lastViewedAtMs).toBeGreaterThan(0);
  await gateway.restart();
  expect(await viewers()).toMatchObject({ viewers: [], blockedAddresses: [{ address: '127.0.0.1' }] });
  expect((await fetch(share.m3u8Url)).status).toBe(403);
  expect((await viewers()).lastViewedAtMs).toBeGreaterThanOrEqual(before.lastViewedAtMs);
  await gateway.call('camera/unblockSharedStreamAddress', {
    sharedLiveVideoStreamUuid: share.uuid,
    address: '127.0.0.1',
  });
  await fetchPlaylist(await open());
  const { sharedStreams } = await gateway.call('camera/findSharedStreams', { text: 'lobby' });
  expect(sharedStreams).toMatchObject([{ name: 'Front desk', state: 'VISIBLE', viewerCount: 1 }]);
});
