/** The simulation's twin of Redis does what Redis does: the same scripts, in the same order, over both. */

import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BEGIN_OPENING_SCRIPT,
  FINISH_OPENING_SCRIPT,
  RELEASE_SCRIPT,
  RENEW_SCRIPT,
  REPLACE_SCRIPT,
  RESERVE_SCRIPT,
} from '../../src/cluster/nodes/lease-scripts.ts';
import { BEAT_SCRIPT, LEAVE_SCRIPT } from '../../src/cluster/nodes/node-registry.ts';
import { RedisServerProcess } from '../../src/counters/redis-server-fixture.ts';
import { Network } from './network.ts';
import { Random } from './random.ts';
import { SimulatedRedis } from './redis.ts';
import { World } from './world.ts';

const HOUR_MS = 3_600_000;
/** Hours apart, so no key expires in Redis during a test, however slow the machine is. */
const LIVES_MS = [HOUR_MS, 10 * HOUR_MS];
const LEASES = ['lease:a', 'lease:b', 'lease:c'];
const NODE_IDS = ['east', 'west', 'north'];
/** One begins like the other. */
const RUN_IDS = ['run-1', 'run-10'];
const [OPEN, OPENING, NODES, PREFIX] = ['open', 'opening', 'nodes', 'node:'];
const KEYS = [...LEASES, OPEN, OPENING, ...NODE_IDS.map((id) => PREFIX + id)];
const STEPS = 600;

interface Call {
  readonly script: string;
  readonly keys: readonly string[];
  readonly values: readonly (string | number)[];
}

let server: RedisServerProcess;
let redis: Redis;
let twin: SimulatedRedis;

beforeAll(async () => {
  server = await RedisServerProcess.start();
});
afterAll(async () => {
  redis?.disconnect();
  await server?.kill();
});
beforeEach(async () => {
  redis?.disconnect();
  redis = new Redis(server.url.reveal(), { retryStrategy: null });
  await redis.flushall();
  const world = new World(1);
  twin = new SimulatedRedis(world, new Network(world));
});

/** Calls both and expects the same reply. */
async function call({ script, keys, values }: Call): Promise<unknown> {
  const args = [...keys, ...values.map(String)];
  const reply = await redis.eval(script, keys.length, ...args);
  // A set has no order.
  const inOrder = (value: unknown) => (script === BEAT_SCRIPT && Array.isArray(value) ? value.sort() : value);
  expect(inOrder(twin.evaluate(script, keys.length, args))).toEqual(inOrder(reply));
  return reply;
}

/**
 * Compares the data of both, with the name of the server's process replaced, and the rest of it after an hour and after
 * ten.
 */
async function expectSameData(): Promise<void> {
  const { run_id: runId } = infoOf(await redis.info('server'));
  const [texts, lives] = await Promise.all([
    redis.mget(KEYS),
    Promise.all(KEYS.map((key) => redis.pttl(key))),
  ]);
  const inRedis = KEYS.map((key, i) => [key, texts[i]?.replaceAll(runId!, 'this-run') ?? null]);
  const inTwin = KEYS.map((key) => [key, twin.get(key)?.replaceAll(twin.runId, 'this-run') ?? null]);
  expect(inTwin).toEqual(inRedis);
  expect([...twin.members(NODES)].sort()).toEqual((await redis.smembers(NODES)).sort());
  for (const hours of LIVES_MS.map((lifeMs) => lifeMs / HOUR_MS + 1)) {
    const isLeft = (_key: string, i: number) => lives[i] === -1 || lives[i]! > hours * HOUR_MS;
    expect(twin.keysLeftAfter(KEYS, hours * HOUR_MS)).toEqual(KEYS.filter(isLeft));
  }
}

function infoOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split('\r\n').map((line) => line.split(':') as [string, string]));
}

/** Few nodes, cameras and fences, so that callers get in each other's way. */
function randomCall(random: Random): Call {
  const lease = random.pick(LEASES);
  const value = () => `${random.pick(NODE_IDS)} ${random.pick(RUN_IDS)} ${random.below(2)}`;
  const life = random.pick(LIVES_MS);
  const nodeId = random.pick(NODE_IDS);
  const runId = random.pick(RUN_IDS);
  const node = [PREFIX + nodeId, NODES];
  const token = `token-${random.below(2)}`;
  const some = LEASES.filter(() => random.chance(0.6));
  return random.pick<() => Call>([
    () => ({ script: RESERVE_SCRIPT, keys: [lease, OPEN], values: [value(), life] }),
    () => ({ script: REPLACE_SCRIPT, keys: [lease], values: [value(), value(), life] }),
    () => ({ script: RELEASE_SCRIPT, keys: some, values: some.map(value) }),
    () => ({
      script: RENEW_SCRIPT,
      keys: [OPEN, ...some],
      values: [life, random.chance(0.5) ? '1' : '0', ...some.map(value)],
    }),
    () => ({ script: BEGIN_OPENING_SCRIPT, keys: [OPEN, OPENING], values: [token, life] }),
    () => ({ script: FINISH_OPENING_SCRIPT, keys: [OPEN, OPENING], values: [token] }),
    () => ({ script: BEAT_SCRIPT, keys: node, values: [nodeId, runId, `text ${life}`, life, PREFIX, 10] }),
    () => ({ script: LEAVE_SCRIPT, keys: node, values: [nodeId, runId] }),
  ])();
}

describe.each([1, 2, 3, 4])('calls of seed %i', (seed) => {
  it('leave the same data, for as long, after the same replies', async () => {
    const random = new Random(seed);
    for (let step = 0; step < STEPS; step++) {
      if (random.chance(0.1)) await lose(random.pick(KEYS));
      await call(randomCall(random));
      await expectSameData();
    }
  });
});

/** As if it had expired. */
async function lose(key: string): Promise<void> {
  await redis.del(key);
  twin.delete(key);
}

it('a server that starts again without its data is closed, and a node that waited for the one before does not open it', async () => {
  const begin: Call = { script: BEGIN_OPENING_SCRIPT, keys: [OPEN, OPENING], values: ['mine', HOUR_MS] };
  const finish: Call = { script: FINISH_OPENING_SCRIPT, keys: [OPEN, OPENING], values: ['mine'] };
  const reserve: Call = {
    script: RESERVE_SCRIPT,
    keys: ['lease:a', OPEN],
    values: ['east run-1 0', HOUR_MS],
  };
  expect(await call(begin)).toBe('begun');
  expect(await call(begin)).toBe('waiting');
  expect(await call(finish)).toBe(1);
  expect(await call(reserve)).toBe('reserved');
  expect(await call(begin)).toBe('open');

  redis.disconnect();
  await server.kill();
  await server.restart();
  redis = new Redis(server.url.reveal(), { retryStrategy: null });
  twin.stop(false);
  twin.start();

  expect(await call(reserve)).toBe('closed');
  expect(await call(finish)).toBe(0);
  const renew: Call = {
    script: RENEW_SCRIPT,
    keys: [OPEN, 'lease:a'],
    values: [HOUR_MS, '0', 'east run-1 7'],
  };
  expect(await call(renew)).toEqual(['restored']);
  expect(await call(begin)).toBe('begun');
  expect(await call(finish)).toBe(1);
  expect(await call(reserve)).toBe('taken');
  await expectSameData();
});
