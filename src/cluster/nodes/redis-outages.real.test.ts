import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import type { CameraLeasesOptions } from './camera-leases.ts';
import { COMMAND_TIMEOUT_MS, LEASE_MS, RELIANCE_MS, STAND_IN_MS } from './held-lease.ts';
import { acquired, PausedClock, startNode, type TestNode } from './lease-fixture.ts';

let server: RedisServerProcess;
let store: Store;
const nodes: TestNode[] = [];
beforeEach(async () => {
  server = await RedisServerProcess.start();
  store = await openTestStore(new FakeClock());
});
afterEach(async () => {
  for (const { leases, link, store: severed } of nodes.splice(0)) {
    severed.isAway = false;
    await leases.close();
    link.close();
  }
  await store.close();
  await server.kill();
});

async function start(nodeId: string, options: Partial<CameraLeasesOptions> = {}): Promise<TestNode> {
  const node = await startNode(nodeId, server, store.clusterLeases, options);
  nodes.push(node);
  return node;
}

const monoMs = () => performance.now();

/** Until the time has passed: whether the holder held the lease at every look, and what the other one got. */
async function watch(holder: TestNode, other: TestNode, camera: Ruuid, forMs: number) {
  const untilMonoMs = monoMs() + forMs;
  let gaps = 0;
  const attempts = new Set<string>();
  await vi.waitFor(
    async () => {
      if (!holder.leases.isHeld(camera)) gaps++;
      attempts.add((await other.leases.acquire(camera)).kind);
      expect(monoMs()).toBeGreaterThan(untilMonoMs);
    },
    { timeout: forMs + 10_000, interval: 20 },
  );
  return { gaps, attempts: [...attempts].toSorted() };
}

describe('while Redis is away', () => {
  it('killed, for longer than anything lasts: holders go on, and no one else gets a lease', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const [camera, later] = [newRuuid(), newRuuid()];
    await acquired(a.leases, camera);
    await server.kill();
    const away = await watch(a, b, camera, RELIANCE_MS + 2 * LEASE_MS);
    expect(away).toEqual({ gaps: 0, attempts: ['unavailable'] });
    expect((await a.leases.acquire(later)).kind).toBe('unavailable');
    expect(await store.clusterLeases.relyingOwner(camera)).toMatchObject({ ...a.run, fence: 1 });

    // Empty: the holder writes its lease again.
    await server.restart();
    await vi.waitFor(() => expect(b.link.isUp && a.link.isUp).toBe(true), { timeout: 15_000 });
    const back = await watch(a, b, camera, 3 * LEASE_MS);
    expect(back.gaps).toBe(0);
    expect(back.attempts).not.toContain('acquired');
    await vi.waitFor(async () => expect(await store.clusterLeases.relyingOwner(camera)).toBeNull(), {
      timeout: 10_000,
    });
    expect(await acquired(b.leases, later)).toBe(1);
    await a.leases.release(camera);
    expect(await acquired(b.leases, camera)).toBe(2);
    expect([...a.lost, ...b.lost]).toEqual([]);
  });

  it('it may be stopped without closing connections', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const camera = newRuuid();
    await acquired(a.leases, camera);
    server.freeze();
    const away = await watch(a, b, camera, 2 * LEASE_MS);
    expect(away).toEqual({ gaps: 0, attempts: ['unavailable'] });
    server.thaw();
    await vi.waitFor(() => expect(b.link.isUp && a.link.isUp).toBe(true), { timeout: 15_000 });
    const back = await watch(a, b, camera, LEASE_MS);
    expect([back.gaps, back.attempts.includes('acquired')]).toEqual([0, false]);
  });

  it('a holder that cannot reach the store either has lost its lease in time', async () => {
    const a = await start('a');
    const camera = newRuuid();
    await acquired(a.leases, camera);
    a.store.isAway = true;
    await server.kill();
    await vi.waitFor(() => expect(a.lost).toEqual([camera]), { timeout: 5_000, interval: 10 });
    expect(a.leases.isHeld(camera)).toBe(false);
  });
});

describe('a holder that alone cannot reach Redis', () => {
  it('goes on, because no one else can claim its camera', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const camera = newRuuid();
    await acquired(a.leases, camera);
    a.link.close();
    expect(await watch(a, b, camera, 3 * LEASE_MS)).toEqual({ gaps: 0, attempts: ['taken'] });
  });

  it.each([
    ['at once', LEASE_MS],
    ['after a while', RELIANCE_MS],
  ])(
    'and ends %s is followed by another node when its beat has stopped for %i ms',
    async (_when, aliveMs) => {
      const clock = new PausedClock();
      const [a, b] = [await start('a'), await start('b', { clock })];
      const camera = newRuuid();
      await acquired(a.leases, camera);
      a.link.close();
      const relying = () => store.clusterLeases.relyingOwner(camera);
      await vi.waitFor(async () => expect(await relying()).toMatchObject({ aliveMs }), {
        timeout: 2 * STAND_IN_MS,
      });
      a.store.isAway = true;
      // Its key in Redis expires; then the store decides.
      const { attempts } = await watch(a, b, camera, LEASE_MS + COMMAND_TIMEOUT_MS);
      expect(attempts).toEqual(['taken']);
      clock.pause(aliveMs - 1);
      expect((await b.leases.acquire(camera)).kind).toBe('taken');
      clock.pause(1);
      expect(await b.leases.acquire(camera)).toMatchObject({ kind: 'acquired', fence: 2 });
      expect(await relying()).toBeNull();
    },
  );
});

describe('a Redis that was restarted empty at once', () => {
  it('gives no lease away that its holder still believes in', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const camera = newRuuid();
    await acquired(a.leases, camera);
    // The holder does not learn of it: it reaches neither Redis nor the store.
    a.link.close();
    a.store.isAway = true;
    await server.kill();
    await server.restart();
    let heldByBoth = 0;
    await vi.waitFor(
      async () => {
        const { kind } = await b.leases.acquire(camera);
        if (kind === 'acquired' && a.leases.isHeld(camera)) heldByBoth++;
        expect(kind).toBe('acquired');
      },
      { timeout: 15_000, interval: 5 },
    );
    expect([heldByBoth, a.leases.isHeld(camera), b.leases.isHeld(camera)]).toEqual([0, false, true]);
    expect(b.leases.fencedLease(camera)).toEqual({ cameraUuid: camera, runId: b.run.runId, fence: 2 });
  });
});
