import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { LINGER_MS, LOST_NODE_MS, MAX_LINGER_MS } from './cluster-viewers.ts';
import { FakeCluster, type FakeNode } from './fake-cluster.ts';
import type { ClusterViewerChange } from './viewer-board.ts';
import type { AudienceMedia } from './viewer-messages.ts';

/** By then, other nodes know what happened at one. */
const KNOWN_MS = LINGER_MS + 300;
const SHARE = newRuuid();
const MEDIA = mediaOf(SHARE);

let cluster: FakeCluster;
let a: FakeNode;
let b: FakeNode;
let c: FakeNode;

beforeEach(async () => {
  cluster = new FakeCluster();
  [a, b, c] = ['a', 'b', 'c'].map((nodeId) => cluster.add(nodeId)) as [FakeNode, FakeNode, FakeNode];
  await cluster.pass(KNOWN_MS);
});

function mediaOf(linkUuid: Ruuid | null): AudienceMedia {
  return { orgUuid: newRuuid(), cameraUuid: newRuuid(), linkUuid };
}

const shown = (changes: readonly ClusterViewerChange[]) =>
  changes.map(({ type, viewerId, viewers }) => [type, viewerId, viewers]);

describe('viewers of a cluster', () => {
  it('come and leave once at each node, however many nodes their requests reach', async () => {
    for (const node of [b, c, a]) {
      node.join(SHARE, 'anna', MEDIA);
      await cluster.pass(KNOWN_MS);
    }
    a.join(SHARE, 'ben', MEDIA);
    await cluster.pass(KNOWN_MS);
    expect([a, b, c].map(({ viewers }) => viewers.count(SHARE))).toEqual([2, 2, 2]);
    for (const node of [c, a, b]) {
      node.leave(SHARE, 'anna');
      await cluster.pass(KNOWN_MS);
    }
    for (const { told, viewers } of [a, b, c]) {
      const expected = [
        ['CREATE', 'anna', 1],
        ['CREATE', 'ben', 2],
        ['DELETE', 'anna', 1],
      ];
      expect(shown(told)).toEqual(expected);
      expect(told[0]).toEqual({ type: 'CREATE', viewerId: 'anna', viewers: 1, ...MEDIA });
      expect(viewers.count(SHARE)).toBe(1);
    }
  });

  it('come with the first of several sessions at a node, and leave with the last', async () => {
    a.join(SHARE, 'anna', MEDIA);
    a.join(SHARE, 'anna', MEDIA);
    a.leave(SHARE, 'anna');
    await cluster.pass(KNOWN_MS);
    expect(shown(b.told)).toEqual([['CREATE', 'anna', 1]]);
    a.leave(SHARE, 'anna');
    // The viewer comes back immediately.
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    expect([a, b].map(({ told }) => told.length)).toEqual([1, 1]);
    a.leave(SHARE, 'anna');
    await cluster.pass(KNOWN_MS);
    expect(shown(b.told)).toEqual([
      ['CREATE', 'anna', 1],
      ['DELETE', 'anna', 0],
    ]);
  });

  it('of a wall are those of the camera with the most, and leave each camera', async () => {
    const [wall, tile, otherTile] = [newRuuid(), newRuuid(), newRuuid()];
    const [media, otherMedia] = [mediaOf(wall), mediaOf(wall)];
    a.join(tile, 'anna', media);
    b.join(otherTile, 'anna', otherMedia);
    await cluster.pass(KNOWN_MS);
    b.join(tile, 'ben', media);
    await cluster.pass(KNOWN_MS);
    a.leave(tile, 'anna');
    await cluster.pass(KNOWN_MS);
    b.leave(tile, 'ben');
    await cluster.pass(KNOWN_MS);
    expect(shown(c.told).slice(2)).toEqual([
      ['CREATE', 'ben', 2],
      ['DELETE', 'anna', 1],
      ['DELETE', 'ben', 1],
    ]);
    expect(c.told.map(({ linkUuid }) => linkUuid)).toEqual(Array(5).fill(wall));
  });

  it('of a node that was killed stay while they may go on at another one', async () => {
    for (const viewer of ['anna', 'ben']) a.join(SHARE, viewer, MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.kill(a);
    await cluster.pass(LOST_NODE_MS - 5_000);
    c.join(SHARE, 'anna', MEDIA);
    await cluster.pass(4_000);
    expect(shown(b.told)).toEqual([
      ['CREATE', 'anna', 1],
      ['CREATE', 'ben', 2],
    ]);
    await cluster.pass(2_000);
    for (const node of [b, c]) expect(shown(node.told.slice(2))).toEqual([['DELETE', 'ben', 1]]);
  });

  /** Anna's node is paused, and she continues at another node. */
  async function goesOnAtOther(): Promise<void> {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.pause(a);
    // The link has ended: the node does not read this when it continues.
    await cluster.pass(5_000);
    b.join(SHARE, 'anna', MEDIA);
    await cluster.pass(15_000);
  }

  it('who go on at other nodes while one is paused neither leave nor come anywhere', async () => {
    await goesOnAtOther();
    cluster.continue(a, () => a.leave(SHARE, 'anna'));
    await cluster.pass(5_000);
    for (const { told } of [a, b, c]) expect(shown(told)).toEqual([['CREATE', 'anna', 1]]);
  });

  it('at the node that was paused, the same holds if it needs a while to reach the others', async () => {
    await goesOnAtOther();
    for (const other of [b, c]) cluster.setReachable(a, other, false);
    cluster.continue(a, () => a.leave(SHARE, 'anna'));
    await cluster.pass(MAX_LINGER_MS - 1_000);
    for (const other of [b, c]) cluster.setReachable(a, other, true);
    await cluster.pass(5_000);
    for (const { told } of [a, b, c]) expect(shown(told)).toEqual([['CREATE', 'anna', 1]]);
  });

  it('who left while their node was paused do not come again', async () => {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.pause(a);
    await cluster.pass(20_000);
    cluster.continue(a, () => a.leave(SHARE, 'anna'));
    await cluster.pass(5_000);
    const expected = [
      ['CREATE', 'anna', 1],
      ['DELETE', 'anna', 0],
    ];
    for (const { told } of [a, b, c]) expect(shown(told)).toEqual(expected);
  });

  it('who come back while a link opens are known over it', async () => {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.setReachable(a, b, false);
    a.leave(SHARE, 'anna');
    cluster.setReachable(a, b, true);
    await cluster.pass(400);
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(5_000);
    expect([a, b, c].map(({ viewers }) => viewers.count(SHARE))).toEqual([1, 1, 1]);
  });

  it('of a node that is paused for longer leave, and come back with it', async () => {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.pause(a);
    await cluster.pass(20_000);
    expect([a, b, c].map(({ viewers }) => viewers.count(SHARE))).toEqual([1, 0, 0]);
    cluster.continue(a);
    await cluster.pass(2_000);
    expect([a, b, c].map(({ viewers }) => viewers.count(SHARE))).toEqual([1, 1, 1]);
    expect(a.told).toHaveLength(1);
  });

  it('leave although another node cannot be heard', async () => {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    cluster.setReachable(a, c, false);
    a.leave(SHARE, 'anna');
    await cluster.pass(MAX_LINGER_MS + 200);
    expect([a, b, c].map(({ viewers }) => viewers.count(SHARE))).toEqual([0, 0, 1]);
    cluster.setReachable(a, c, true);
    await cluster.pass(2_000);
    expect(shown(c.told).at(-1)).toEqual(['DELETE', 'anna', 0]);
  });

  it('are known to a node that starts before its clients can ask', async () => {
    a.join(SHARE, 'anna', MEDIA);
    await cluster.pass(KNOWN_MS);
    const d = cluster.add('d');
    const known = d.viewers.untilHeard(10_000);
    let isKnown = false;
    void known.then(() => {
      isKnown = true;
    });
    expect(isKnown).toBe(false);
    await cluster.pass(1_000);
    expect([isKnown, d.viewers.count(SHARE)]).toEqual([true, 1]);
    // One that says nothing is not waited for longer.
    cluster.pause(a);
    await cluster.pass(3_000);
    const e = cluster.add('e');
    let isOver = false;
    void e.viewers.untilHeard(2_000).then(() => {
      isOver = true;
    });
    await cluster.pass(1_500);
    expect(isOver).toBe(false);
    await cluster.pass(1_000);
    expect(isOver).toBe(true);
  });

  it('ten thousand come and leave in few messages, and none is forgotten', async () => {
    for (let at = 0; at < 10_000; at++) a.join(SHARE, `viewer-${at}`, MEDIA);
    await cluster.pass(KNOWN_MS);
    expect(b.told).toHaveLength(10_000);
    expect(b.told.at(-1)!.viewers).toBe(10_000);
    cluster.kill(a);
    await cluster.pass(LOST_NODE_MS - 200);
    expect(b.told).toHaveLength(10_000);
    let most = 0;
    for (let waitedMs = 0; waitedMs < 2_000; waitedMs += 50) {
      const before = b.told.length;
      await cluster.pass(50);
      most = Math.max(most, b.told.length - before);
    }
    expect(b.told).toHaveLength(20_000);
    expect(b.viewers.count(SHARE)).toBe(0);
    // Other listeners take turns with the viewers.
    expect(most).toBeLessThanOrEqual(3_500);
  });
});

describe('a random history at three nodes', () => {
  const SHARES = [newRuuid(), newRuuid()] as const;
  const MEDIA_OF = new Map(SHARES.map((share) => [share, mediaOf(share)]));
  const at = fc.nat(2);
  const viewer = fc.record({ at, share: fc.constantFrom(...SHARES), id: fc.constantFrom('v', 'w', 'x') });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('join' as const), viewer }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('leave' as const), viewer }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('passLong' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('heal' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), at }) },
  );

  /** Plays it, and then lets everything be well again. The nodes that there were. */
  async function play(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
    const network = new FakeCluster();
    const live = ['a', 'b', 'c'].map((nodeId) => network.add(nodeId));
    const all = [...live];
    /** Sessions of each node. */
    const sessions = new Map(live.map((node) => [node, [] as { share: Ruuid; id: string }[]]));
    await network.pass(KNOWN_MS);
    for (const one of steps) {
      const node = live['at' in one ? one.at : 'viewer' in one ? one.viewer.at : 0]!;
      const next = live[(live.indexOf(node) + 1) % live.length]!;
      if (one.kind === 'join' && !node.isPaused) {
        const { share, id } = one.viewer;
        sessions.get(node)!.push({ share, id });
        node.join(share, id, MEDIA_OF.get(share)!);
      } else if (one.kind === 'leave' && !node.isPaused) {
        const own = sessions.get(node)!;
        const { share, id } = one.viewer;
        const found = own.findIndex((session) => session.share === share && session.id === id);
        if (found >= 0) own.splice(found, 1);
        if (found >= 0) node.leave(share, id);
      } else if (one.kind === 'pass') await network.pass(one.ms);
      else if (one.kind === 'passLong') await network.pass(LOST_NODE_MS + 1_000);
      else if (one.kind === 'cut') network.setReachable(node, next, false);
      else if (one.kind === 'heal') network.setReachable(node, next, true);
      else if (one.kind === 'pause' && node.isPaused) network.continue(node);
      else if (one.kind === 'pause') network.pause(node);
      else if (one.kind === 'kill' && !node.isPaused) {
        network.kill(node);
        sessions.delete(node);
        const heir = network.add(node.run.nodeId);
        live[live.indexOf(node)] = heir;
        all.push(heir);
        sessions.set(heir, []);
      }
    }
    for (const node of live) if (node.isPaused) network.continue(node);
    for (const [one, other] of [
      [live[0]!, live[1]!],
      [live[1]!, live[2]!],
      [live[2]!, live[0]!],
    ] as const) {
      network.setReachable(one, other, true);
    }
    await network.pass(LOST_NODE_MS + 5_000);
    return { live, all, sessions: [...sessions.values()].flat() };
  }

  it('tells of each viewer in turns, with the count, and ends with who is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const { live, all, sessions } = await play(steps);
        for (const { told } of all) {
          const present = new Map(SHARES.map((share) => [share as Ruuid, new Set<string>()]));
          for (const { type, linkUuid, viewerId, viewers } of told) {
            const ofShare = present.get(linkUuid!)!;
            expect(ofShare.has(viewerId)).toBe(type === 'DELETE');
            if (type === 'CREATE') ofShare.add(viewerId);
            else ofShare.delete(viewerId);
            expect(viewers).toBe(ofShare.size);
          }
        }
        for (const share of SHARES) {
          const there = new Set(sessions.filter((one) => one.share === share).map(({ id }) => id));
          for (const { viewers, told } of live) {
            expect(viewers.count(share)).toBe(there.size);
            const last = told.findLast(({ linkUuid }) => linkUuid === share);
            expect(last?.viewers ?? 0).toBe(there.size);
          }
        }
      }),
      randomRuns(500),
    );
  }, 60_000);
});
