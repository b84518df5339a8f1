/** Talk leases over a real Redis. */

import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import { LEASE_MS, RENEWAL_MS } from './held-lease.ts';
import { openLink, PausedClock, TEST_KEYS } from './lease-fixture.ts';
import { type TalkLease, TalkLeases } from './talk-leases.ts';

let server: RedisServerProcess;
const links: RedisLink[] = [];
const nodes: TalkLeases[] = [];
beforeAll(async () => {
  server = await RedisServerProcess.start();
  // As a node of the cluster does it.
  const client = new Redis(server.url.reveal());
  const [, run] = /run_id:(\w+)/.exec(await client.info('server'))!;
  await client.set(TEST_KEYS.open, run!);
  client.disconnect();
});
afterEach(async () => {
  for (const each of nodes.splice(0)) await each.close();
  for (const each of links.splice(0)) each.close();
});
afterAll(() => server.kill());

async function start(nodeId: string, clock = systemClock): Promise<TalkLeases> {
  const link = await openLink(server);
  links.push(link);
  const leases = new TalkLeases({ link, keys: TEST_KEYS, run: { nodeId, runId: newRuuid() }, clock });
  nodes.push(leases);
  return leases;
}

const FORBIDDEN = () => expect.unreachable('lost');
const untilTaken = (node: TalkLeases, camera = newRuuid()) =>
  vi.waitFor(
    async () => {
      const lease = await node.take(camera, FORBIDDEN);
      if (typeof lease === 'string') throw new Error(lease);
      return lease;
    },
    { timeout: 4 * LEASE_MS, interval: 50 },
  );

it('lets one talk in the whole cluster, until they end', async () => {
  const [a, b] = [await start('a'), await start('b')];
  const camera = newRuuid();
  const lease = (await a.take(camera, FORBIDDEN)) as TalkLease;
  expect([await b.take(camera, FORBIDDEN), await a.take(camera, FORBIDDEN)]).toEqual(['taken', 'taken']);
  expect(await b.take(newRuuid(), FORBIDDEN)).toHaveProperty('giveBack');
  lease.giveBack();
  await untilTaken(b, camera);
});

it('is renewed while they talk, and free for others after its node has died', async () => {
  const frozen = new PausedClock();
  const [a, b] = [await start('a', frozen), await start('b')];
  const camera = newRuuid();
  await a.take(camera, FORBIDDEN);
  // Without a renewal, Redis lets it expire.
  await untilTaken(b, camera);
  const client = new Redis(server.url.reveal());
  let [renewals, lastMs] = [0, Number.POSITIVE_INFINITY];
  await vi.waitFor(
    async () => {
      const leftMs = await client.pttl(TEST_KEYS.talk(camera));
      expect(leftMs).toBeGreaterThan(0);
      if (leftMs > lastMs) renewals++;
      lastMs = leftMs;
      expect(renewals).toBeGreaterThan(LEASE_MS / RENEWAL_MS);
    },
    { timeout: 10 * LEASE_MS, interval: 20 },
  );
  client.disconnect();
});

it('is lost when it is not renewed in time, or another has it', async () => {
  const clock = new PausedClock();
  const a = await start('a', clock);
  const lost: string[] = [];
  await a.take(newRuuid(), () => lost.push('late'));
  clock.pause(LEASE_MS);
  clock.advance(LEASE_MS);
  expect(lost).toEqual(['late']);
  const [b, camera] = [await start('b'), newRuuid()];
  await b.take(camera, () => lost.push('gone'));
  const client = new Redis(server.url.reveal());
  await client.set(TEST_KEYS.talk(camera), 'c AAAAAAAAAAAAAAAAAAAAAA 1');
  client.disconnect();
  await vi.waitFor(() => expect(lost).toEqual(['late', 'gone']), { timeout: 2 * LEASE_MS, interval: 20 });
});

it('cannot be had without Redis', async () => {
  const a = await start('a');
  links[0]!.close();
  expect(await a.take(newRuuid(), FORBIDDEN)).toBe('unavailable');
});
