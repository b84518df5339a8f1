import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import type { CameraLeasesOptions } from './camera-leases.ts';
import { LEASE_MS, RENEWAL_MS, SAFETY_MS } from './held-lease.ts';
import { acquired, openLink, PausedClock, startNode, TEST_KEYS, type TestNode } from './lease-fixture.ts';
import { RENEW_SCRIPT } from './lease-scripts.ts';

let server: RedisServerProcess;
let store: Store;
const nodes: TestNode[] = [];
beforeAll(async () => {
  server = await RedisServerProcess.start();
});
afterAll(() => server.kill());
beforeEach(async () => {
  store = await openTestStore(new FakeClock());
});
afterEach(async () => {
  for (const { leases, link } of nodes.splice(0)) {
    await leases.close();
    link.close();
  }
  await store.close();
});

async function start(nodeId: string, options: Partial<CameraLeasesOptions> = {}): Promise<TestNode> {
  const node = await startNode(nodeId, server, store.clusterLeases, options);
  nodes.push(node);
  return node;
}

async function redisValue(camera: Ruuid): Promise<string | null> {
  const client = new Redis(server.url.reveal());
  try {
    return await client.get(TEST_KEYS.lease(camera));
  } finally {
    client.disconnect();
  }
}

/** Until the lease ends by itself; negative: there is none. */
async function leaseLeftMs(camera: Ruuid): Promise<number> {
  const client = new Redis(server.url.reveal());
  try {
    return await client.pttl(TEST_KEYS.lease(camera));
  } finally {
    client.disconnect();
  }
}

/**
 * Records how many leases each renewal of a client was for. Its leases last in Redis however long this process waits for the
 * processor, because their node's clock is frozen then.
 */
class Renewals {
  readonly sizes: number[] = [];

  of(client: Redis): Redis {
    const evaluate = async (script: string, keyCount: number, ...args: readonly (string | number)[]) => {
      const longer = args.map((arg) => (arg === LEASE_MS ? LEASE_MS * 1_000 : arg));
      const reply = await client.eval(script, keyCount, ...longer);
      if (script === RENEW_SCRIPT) this.sizes.push(keyCount - 1);
      return reply;
    };
    return new Proxy(client, {
      get: (target, key) => (key === 'eval' ? evaluate : Reflect.get(target, key, target)),
    });
  }
}

describe('leases of cameras', () => {
  it('are held by one node of many that want them at once, and go to another with a higher fence', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const cameras = Array.from({ length: 20 }, () => newRuuid());
    await acquired(a.leases, newRuuid());
    const won = await Promise.all(
      cameras.map(async (camera) => {
        const kinds = await Promise.all(
          [a, b, a, b].map(async ({ leases }) => (await leases.acquire(camera)).kind),
        );
        return [kinds[0] === kinds[2], kinds[1] === kinds[3], new Set(kinds).size];
      }),
    );
    expect(won).toEqual(cameras.map(() => [true, true, 2]));
    for (const camera of cameras) expect(a.leases.isHeld(camera)).not.toBe(b.leases.isHeld(camera));

    const [camera] = cameras;
    const [holder, other] = a.leases.isHeld(camera!) ? [a, b] : [b, a];
    expect(await redisValue(camera!)).toBe(`${holder.run.nodeId} ${holder.run.runId} 1`);
    await holder.leases.release(camera!);
    expect(holder.leases.isHeld(camera!)).toBe(false);
    expect(await other.leases.acquire(camera!)).toEqual({
      kind: 'acquired',
      fence: 2,
      isContinuation: false,
    });
    // A release that comes too late changes nothing.
    await holder.leases.release(camera!);
    expect(other.leases.isHeld(camera!)).toBe(true);
    expect([...a.lost, ...b.lost]).toEqual([]);
  });

  it('are renewed for as long as their node lives, in scripts of some hundred', async () => {
    const [clock, renewals] = [new PausedClock(), new Renewals()];
    const link = await openLink(server, silentLog, PATIENCE.timeout);
    const a = await start('a', {
      clock,
      link: { run: (work) => link.run((client) => work(renewals.of(client))) },
    });
    const b = await start('b');
    const cameras = Array.from({ length: 450 }, () => newRuuid());
    clock.advance(LEASE_MS);
    for (const camera of cameras) await acquired(a.leases, camera);
    for (let passedMs = 0; passedMs < 2 * LEASE_MS; passedMs += RENEWAL_MS) {
      renewals.sizes.length = 0;
      clock.advance(RENEWAL_MS);
      await vi.waitFor(() => expect(renewals.sizes).toEqual([200, 200, 50]), PATIENCE);
    }
    expect(cameras.filter((camera) => !a.leases.isHeld(camera))).toEqual([]);
    expect((await b.leases.acquire(cameras[449]!)).kind).toBe('taken');
    await a.leases.close();
    link.close();
    expect((await b.leases.acquire(cameras[449]!)).kind).toBe('acquired');
  });

  it('of a node that ended go to another when they have expired, and not before', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const camera = newRuuid();
    await acquired(b.leases, newRuuid());
    await acquired(a.leases, camera);
    // As after kill -9: nothing is released, and nothing is said to the store.
    a.link.close();
    a.store.isAway = true;
    const leftMs = await leaseLeftMs(camera);
    // -1: without an end.
    expect([leftMs !== -1, leftMs <= LEASE_MS]).toEqual([true, true]);
    expect((await b.leases.acquire(camera)).kind).toBe('taken');
    expect(await acquired(b.leases, camera)).toBe(2);
    expect(a.leases.isHeld(camera)).toBe(false);
  });

  it('have ended for a node that was paused, by its own clock, before it asks anyone', async () => {
    const clock = new PausedClock();
    const [a, b] = [await start('a', { clock }), await start('b')];
    const camera = newRuuid();
    await acquired(b.leases, newRuuid());
    await acquired(a.leases, camera);
    // No timer of the paused node fires, so nothing is renewed.
    expect(await acquired(b.leases, camera)).toBe(2);
    clock.pause(LEASE_MS - SAFETY_MS);
    expect(a.leases.isHeld(camera)).toBe(false);
    expect(a.leases.fencedLease(camera)).toBeNull();
    clock.advance(RENEWAL_MS);
    expect(a.lost).toEqual([camera]);
    expect(b.leases.isHeld(camera)).toBe(true);
  });

  it('do not depend on the wall clock', async () => {
    const clock = new PausedClock();
    const a = await start('a', { clock });
    const camera = newRuuid();
    clock.advance(LEASE_MS);
    await acquired(a.leases, camera);
    clock.stepWallClock(3_600_000);
    expect(a.leases.isHeld(camera)).toBe(true);
    clock.stepWallClock(-7_200_000);
    clock.pause(LEASE_MS - SAFETY_MS - 1);
    expect(a.leases.isHeld(camera)).toBe(true);
    clock.pause(1);
    expect(a.leases.isHeld(camera)).toBe(false);
  });

  it('that a paused node lost to no one are a continuation', async () => {
    const clock = new PausedClock();
    const a = await start('a', { clock });
    const camera = newRuuid();
    clock.advance(LEASE_MS);
    const fence = await acquired(a.leases, camera);
    clock.pause(LEASE_MS);
    await vi.waitFor(
      async () =>
        expect(await a.leases.acquire(camera)).toEqual({
          kind: 'acquired',
          fence: fence + 1,
          isContinuation: true,
        }),
      PATIENCE,
    );
    expect(a.lost).toEqual([camera]);
  });

  it('are handed over without being free in between', async () => {
    const [a, b, c] = [await start('a'), await start('b'), await start('c')];
    const camera = newRuuid();
    await acquired(a.leases, camera);
    let [isDone, attempts] = [false, 0];
    const third = (async () => {
      while (!isDone) {
        expect((await c.leases.acquire(camera)).kind).toBe('taken');
        attempts++;
      }
    })();
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(20), PATIENCE);
    const handedOver = a.leases.handOver(camera, b.run);
    expect(a.leases.isHeld(camera)).toBe(false);
    expect(await handedOver).toBe(true);
    expect(await b.leases.acquire(camera)).toMatchObject({ kind: 'acquired', fence: 2 });
    const before = attempts;
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(before + 20), PATIENCE);
    isDone = true;
    await third;
    expect(await a.leases.handOver(camera, c.run)).toBe(false);
    expect(b.leases.isHeld(camera)).toBe(true);
    expect(a.lost).toEqual([]);
  });
});
