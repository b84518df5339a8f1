import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { createMemoryCounters } from '../../counters/memory-counters.ts';
import type { ViewerChange } from '../../realtime/change-follower.ts';
import type { DeviceGrant } from '../../sharing/device-grant.ts';
import type { Grant } from '../../sharing/grant.ts';
import { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerObserver } from '../../sharing/viewer-sessions.ts';
import { FakeCluster, type FakeNode } from '../viewers/fake-cluster.ts';
import { groupViewerObserver, viewerCounts, viewerObserver } from './viewer-notices.ts';

const [ORG, CAMERA, SHARE, WALL_SHARE] = [newRuuid(), newRuuid(), newRuuid(), newRuuid()];
const KNOWN_MS = 1_000;

function sessionOf(viewerId: string, of: { share?: Ruuid; wall?: Ruuid; device?: Ruuid }): ViewerSession {
  const grant =
    of.device === undefined
      ? { of: 'share', shareUuid: of.share ?? SHARE, viewerId, accessEpoch: 1, expiresAtSec: 9 }
      : { of: 'device', deviceUuid: of.device, viewerId, expiresAtSec: 9 };
  const watched = {
    orgUuid: ORG,
    cameraUuid: CAMERA,
    deviceUuid: CAMERA,
    includeAudio: false,
    wallShareUuid: of.wall ?? null,
    urgency: 'viewer' as const,
    audienceUuid: of.share ?? of.device ?? SHARE,
    sharesPaths: false,
  };
  const start = { address: '192.0.2.1', userAgent: '', atEpochMs: 0 };
  return new ViewerSession(`${viewerId} ${newRuuid()}`, grant as Grant | DeviceGrant, watched, start);
}

describe('viewers of one gateway', () => {
  it('are told as they come and leave, those of a wall with the wall’s count', () => {
    const told: ViewerChange[] = [];
    const observer = viewerObserver(
      null,
      (viewer) => told.push(viewer),
      () => 4,
    );
    observer.viewerJoined(sessionOf('anna', {}), 2);
    observer.viewerLeft(sessionOf('ben', { wall: WALL_SHARE }), 0);
    observer.viewerJoined(sessionOf('carl', { device: CAMERA }), 1);
    const common = { orgUuid: ORG, cameraUuid: CAMERA };
    expect(told).toEqual([
      { ...common, type: 'CREATE', shareUuid: SHARE, viewerId: 'anna', viewers: 2 },
      { ...common, type: 'DELETE', shareUuid: WALL_SHARE, viewerId: 'ben', viewers: 4 },
    ]);
  });

  it('are counted by its counters', () => {
    const counters = createMemoryCounters({ clock: new FakeClock() });
    expect(viewerCounts(null, counters)).toBe(counters);
  });
});

describe('viewers of a cluster', () => {
  let cluster: FakeCluster;
  let told: ViewerChange[][];
  let observers: ViewerObserver[];
  let nodes: FakeNode[];

  beforeEach(async () => {
    cluster = new FakeCluster();
    nodes = [cluster.add('a'), cluster.add('b')];
    told = [[], []];
    observers = nodes.map((node, at) =>
      viewerObserver(
        node,
        (viewer) => told[at]!.push(viewer),
        () => Number.NaN,
      ),
    );
    await cluster.pass(KNOWN_MS);
  });

  it('are told and counted alike at all nodes, whatever a node alone would count', async () => {
    observers[0]!.viewerJoined(sessionOf('anna', {}), 1);
    await cluster.pass(KNOWN_MS);
    observers[1]!.viewerJoined(sessionOf('ben', {}), 1);
    observers[1]!.viewerJoined(sessionOf('anna', {}), 2);
    await cluster.pass(KNOWN_MS);
    observers[0]!.viewerLeft(sessionOf('anna', {}), 0);
    await cluster.pass(KNOWN_MS);
    const common = { orgUuid: ORG, cameraUuid: CAMERA, type: 'CREATE', shareUuid: SHARE };
    for (const changes of told) {
      expect(changes).toEqual([
        { ...common, viewerId: 'anna', viewers: 1 },
        { ...common, viewerId: 'ben', viewers: 2 },
      ]);
    }
    for (const node of nodes) {
      const counts = viewerCounts(node, createMemoryCounters({ clock: node.clock }));
      counts.viewerSeen(SHARE, 'someone');
      expect(await counts.viewerCounts([SHARE, WALL_SHARE])).toEqual([2, 0]);
      expect(counts.localViewerCount(SHARE)).toBe(2);
    }
  });

  it('of a wall are told with its share, and with the count of the camera with the most', async () => {
    const [tile, otherTile] = [newRuuid(), newRuuid()];
    observers[0]!.viewerJoined(sessionOf('anna', { share: tile, wall: WALL_SHARE }), 1);
    observers[1]!.viewerJoined(sessionOf('anna', { share: otherTile, wall: WALL_SHARE }), 1);
    await cluster.pass(KNOWN_MS);
    observers[1]!.viewerLeft(sessionOf('anna', { share: otherTile, wall: WALL_SHARE }), 0);
    await cluster.pass(KNOWN_MS);
    const common = { orgUuid: ORG, cameraUuid: CAMERA, shareUuid: WALL_SHARE, viewerId: 'anna', viewers: 1 };
    for (const changes of told) {
      expect(changes).toEqual(['CREATE', 'CREATE', 'DELETE'].map((type) => ({ ...common, type })));
    }
  });

  it('of devices and of groups of files are counted, and no one is told', async () => {
    const device = newRuuid();
    observers[0]!.viewerJoined(sessionOf('anna', { device }), 1);
    groupViewerObserver(nodes[0]!).viewerJoined(sessionOf('ben', {}), 1);
    await cluster.pass(KNOWN_MS);
    expect(told).toEqual([[], []]);
    expect([nodes[1]!.viewers.count(device), nodes[1]!.viewers.count(SHARE)]).toEqual([1, 1]);
  });
});
