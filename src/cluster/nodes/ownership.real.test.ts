import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { RenditionNumbering } from '../../stream/numbering/numbering.ts';
import { ClusterNode } from './cluster-node.ts';
import { LEASE_MS, RELIANCE_MS } from './held-lease.ts';
import { acquired, startNode, TEST_KEYS } from './lease-fixture.ts';
import { Ownership } from './ownership.ts';

let server: RedisServerProcess;
let store: Store;
const nodes: ClusterNode[] = [];
beforeAll(async () => {
  server = await RedisServerProcess.start();
});
afterAll(() => server.kill());
beforeEach(async () => {
  store = await openTestStore(new FakeClock());
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
  await store.close();
});

async function start(nodeId: string): Promise<ClusterNode> {
  const node = await ClusterNode.start({
    settings: { name: 'city', nodeId },
    redisUrl: server.url,
    store,
    address: `${nodeId}:7700`,
    runId: newRuuid(),
    clock: systemClock,
    log: silentLog,
    onLost: () => undefined,
    onNodeIdTaken: () => undefined,
    state: () => ({
      version: '1',
      isDraining: false,
      load: { ownedCameras: 1, openStreams: 0, viewers: 0, busyShare: 0 },
    }),
  });
  nodes.push(node);
  return node;
}

/** It knows no other node, and its clock is the test's. */
async function startAlone(): Promise<{ clock: FakeClock; ownership: Ownership; end: () => Promise<void> }> {
  const clock = new FakeClock();
  const { leases, link, run } = await startNode('b', server, store.clusterLeases, { clock });
  const registry = { isRegistered: true, find: () => null, nodes: () => [] };
  const common = { link, keys: TEST_KEYS, store: store.clusterLeases, leases, run };
  const ownership = new Ownership({ ...common, registry, clock, log: silentLog });
  const end = async () => {
    await leases.close();
    link.close();
  };
  return { clock, ownership, end };
}

/** Both know each other. */
async function startTwo(): Promise<[ClusterNode, ClusterNode]> {
  const pair: [ClusterNode, ClusterNode] = [await start('a'), await start('b')];
  await vi.waitFor(
    () => expect(pair.map(({ registry }) => registry.nodes().length)).toEqual([2, 2]),
    PATIENCE,
  );
  return pair;
}

const numbers = (nextMediaSequenceNumber: number) => ({
  nextMediaSequenceNumber,
  nextDiscontinuitySequence: 0,
  initFingerprint: 'aa',
});

describe('the owner of a camera', () => {
  it('is known to all nodes, and who claims a camera first owns it', async () => {
    const [a, b] = await startTwo();
    const camera = newRuuid();
    expect(await b.ownership.ownerOf(camera)).toBeNull();
    expect(a.ownership.ranking(camera)).toMatchObject(
      b.ownership.ranking(camera).map(({ runId }) => ({ runId })),
    );
    await acquired(a.leases, camera);
    expect(await a.ownership.claim(camera)).toMatchObject({ kind: 'acquired', fence: 1 });
    expect(await b.ownership.claim(camera)).toEqual({ kind: 'taken' });
    expect(await a.ownership.ownerOf(camera)).toEqual({ ...a.run, fence: 1, isSelf: true, silence: null });
    expect(await b.ownership.ownerOf(camera)).toEqual({
      ...a.run,
      fence: 1,
      isSelf: false,
      silence: null,
    });
    await a.close();
    expect(await b.ownership.ownerOf(camera)).toBeNull();
    expect(await b.ownership.claim(camera)).toMatchObject({ kind: 'acquired', fence: 2 });
  });

  it('is known while Redis is away, too', async () => {
    const [a, b] = await startTwo();
    const camera = newRuuid();
    await acquired(a.leases, camera);
    await server.kill();
    await vi.waitFor(
      async () =>
        expect(await b.ownership.ownerOf(camera)).toMatchObject({
          ...a.run,
          fence: 1,
          isSelf: false,
          silence: { endsInMs: expect.any(Number) },
        }),
      PATIENCE,
    );
    expect(await a.ownership.ownerOf(camera)).toMatchObject({ nodeId: 'a', isSelf: true });
    expect(await b.ownership.claim(camera)).toEqual({ kind: 'unavailable' });
    await server.restart();
  });

  it('is one that relies on the store for as long as that beats: after a crash, others may have the camera', async () => {
    const { clock, ownership, end } = await startAlone();
    const [camera, crashed] = [newRuuid(), { nodeId: 'a', runId: newRuuid(), address: 'a:7700' }];
    await store.clusterLeases.claim(camera, crashed, null);
    for (const [beat, aliveMs] of [
      [1, RELIANCE_MS],
      [2, RELIANCE_MS],
      [3, LEASE_MS],
    ] as const) {
      await store.clusterLeases.rely({ ...crashed, beat, aliveMs });
      const silence = { forMs: 0, endsInMs: aliveMs };
      expect(await ownership.ownerOf(camera)).toEqual({ ...crashed, fence: 1, isSelf: false, silence });
      clock.advance(aliveMs - 1);
      expect(await ownership.ownerOf(camera)).toMatchObject(crashed);
    }
    clock.advance(1);
    expect(await ownership.ownerOf(camera)).toBeNull();
    await vi.waitFor(async () => {
      clock.advance(100);
      expect(await ownership.claim(camera)).toMatchObject({ kind: 'acquired', fence: 2 });
    }, PATIENCE);
    await end();
  });

  it('and that is suspected to have ended has, if it relied on the store, after the time from then on', async () => {
    const { clock, ownership, end } = await startAlone();
    const crashed = { nodeId: 'a', runId: newRuuid(), address: 'a:7700', beat: 1, aliveMs: LEASE_MS };
    const camera = newRuuid();
    await store.clusterLeases.claim(camera, crashed, null);
    await store.clusterLeases.rely(crashed);
    const lookedUp = vi.spyOn(store.clusterLeases, 'relyingRun');
    for (let cameras = 0; cameras < 3; cameras++) ownership.suspect(crashed.runId);
    await lookedUp.mock.results[0]!.value;
    ownership.suspect(newRuuid());
    expect(lookedUp).toHaveBeenCalledTimes(2);
    clock.advance(LEASE_MS);
    expect(await ownership.ownerOf(camera)).toBeNull();
    await end();
  });

  it('alone reserves its numbers, and the next one begins where those end', async () => {
    const [a, b] = await startTwo();
    const key = { cameraUuid: newRuuid(), rendition: 'main' as const };
    const reservedBy = async (node: ClusterNode) => {
      const fence = await acquired(node.leases, key.cameraUuid);
      return RenditionNumbering.open(node.numbering, { ...key, fence }, silentLog);
    };
    const first = await reservedBy(a);
    first.advance(numbers(7));
    expect(await a.leases.handOver(key.cameraUuid, b.run)).toBe(true);
    const end = (await store.streamLedger.find(key.cameraUuid, 'main'))!.nextMediaSequenceNumber;
    expect(end).toBeGreaterThan(1_000);
    const second = await reservedBy(b);
    expect(second.current.nextMediaSequenceNumber).toBe(end);
    // Too late: what the first one would write, exact numbers or another block, is not written.
    await first.close();
    await expect(a.numbering.save({ ...key, fence: 1, ...numbers(8) })).rejects.toMatchObject({
      code: 'CLUSTER_LEASE_LOST',
    });
    const ledger = await store.streamLedger.find(key.cameraUuid, 'main');
    expect(ledger?.nextMediaSequenceNumber).toBeGreaterThan(end);
    await second.close();
  });
});
