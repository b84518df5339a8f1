import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import { openLink, TEST_KEYS } from './lease-fixture.ts';
import type { NodeState } from './node-info.ts';
import { type NodeChange, NodeRegistry } from './node-registry.ts';

let server: RedisServerProcess;
const opened: { registry: NodeRegistry; link: RedisLink }[] = [];
beforeAll(async () => {
  server = await RedisServerProcess.start();
});
afterAll(() => server.kill());
beforeEach(async () => {
  const client = new Redis(server.url.reveal());
  await client.flushall();
  client.disconnect();
});
afterEach(async () => {
  for (const { registry, link } of opened.splice(0)) {
    await registry.close();
    link.close();
  }
});

async function open(nodeId: string, clock: Clock = systemClock) {
  const link = await openLink(server);
  const state: { -readonly [Key in keyof NodeState]: NodeState[Key] } = {
    address: `${nodeId}:7700`,
    version: '1.2.3',
    isDraining: false,
    load: { ownedCameras: 1, openStreams: 1, viewers: 2, busyShare: 0.25 },
  };
  const onNodeIdTaken = vi.fn();
  const run = { nodeId, runId: newRuuid() };
  const registry = new NodeRegistry({
    link,
    keys: TEST_KEYS,
    run,
    clock,
    log: silentLog,
    state: () => state,
    onNodeIdTaken,
  });
  opened.push({ registry, link });
  const changes: string[] = [];
  registry.onChange(({ kind, node }: NodeChange) => changes.push(`${kind} ${node.nodeId}`));
  return { registry, link, state, run, changes, onNodeIdTaken };
}

const idsOf = (registry: NodeRegistry) =>
  registry
    .nodes()
    .map(({ nodeId }) => nodeId)
    .toSorted();

describe('the registry of nodes', () => {
  it('knows how far the clocks of others are off', async () => {
    const wrong: Clock = {
      monoMs: () => systemClock.monoMs(),
      after: (delayMs, callback) => systemClock.after(delayMs, callback),
      epochMs: () => systemClock.epochMs() + 3_600_000,
    };
    const [a, b] = [await open('a'), await open('b', wrong)];
    const beforeMs = systemClock.epochMs();
    await b.registry.start();
    await a.registry.start();
    const offMs = a.registry.clockOffsetMs('b')!;
    const ownMs = a.registry.clockOffsetMs('a')!;
    // Less what passed between writing and reading, which is part of the time since then.
    const passedMs = systemClock.epochMs() - beforeMs;
    expect([offMs >= 3_600_000 - passedMs, offMs <= 3_600_000]).toEqual([true, true]);
    expect([ownMs >= -passedMs, ownMs <= 0]).toEqual([true, true]);
    expect(a.registry.clockOffsetMs('c')).toBeNull();
  });

  it('knows all live nodes, and what they say of themselves', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await a.registry.start();
    await b.registry.start();
    expect(b.registry.nodes()).toHaveLength(2);
    await vi.waitFor(() => expect(idsOf(a.registry)).toEqual(['a', 'b']), PATIENCE);
    expect(a.registry.find(b.run)).toEqual({ ...b.run, ...b.state, clockEpochMs: expect.any(Number) });
    expect(a.registry.find({ ...b.run, runId: newRuuid() })).toBeNull();

    b.state.load = { ownedCameras: 1, openStreams: 7, viewers: 0, busyShare: 0.5 };
    b.state.isDraining = true;
    await vi.waitFor(() => expect(a.changes).toEqual(['joined a', 'joined b', 'changed b']), PATIENCE);
    expect(a.registry.find(b.run)?.load).toEqual(b.state.load);
    await b.registry.close();
    await vi.waitFor(() => expect(a.changes.at(-1)).toBe('left b'), PATIENCE);
  });

  it('forgets a node that ended without a word', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await b.registry.start();
    await a.registry.start();
    b.link.close();
    await vi.waitFor(() => expect(a.changes.at(-1)).toBe('left b'), PATIENCE);
    expect(idsOf(a.registry)).toEqual(['a']);
  });

  it('refuses a second process with the same ID, and the first one goes on', async () => {
    const [first, second] = [await open('a'), await open('a')];
    await first.registry.start();
    await expect(second.registry.start()).rejects.toMatchObject({
      code: 'CLUSTER_NODE_ID_TAKEN',
      context: { nodeId: 'a' },
    });
    expect([first.registry.isRegistered, second.registry.isRegistered]).toEqual([true, false]);
    // Its end removes nothing of the first one.
    await second.registry.close();
    expect(first.registry.find(first.run)).not.toBeNull();
    expect(first.onNodeIdTaken).not.toHaveBeenCalled();
  });

  it('lets one of two that start at once in', async () => {
    const [first, second] = [await open('a'), await open('a')];
    const outcomes = await Promise.allSettled([first.registry.start(), second.registry.start()]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('waits for the process before a crash', async () => {
    const [crashed, next] = [await open('a'), await open('a')];
    await crashed.registry.start();
    crashed.link.close();
    await next.registry.start();
    expect(next.registry.find(next.run)).not.toBeNull();
  });

  it('keeps the nodes that it knew while Redis is away, and begins anew in an empty one', async () => {
    const a = await open('a');
    await a.registry.start();
    await server.kill();
    await vi.waitFor(() => expect(a.link.isUp).toBe(false), PATIENCE);
    const late = await open('b');
    await late.registry.start();
    expect([idsOf(a.registry), late.registry.isRegistered]).toEqual([['a'], false]);
    await server.restart();
    await vi.waitFor(() => expect(idsOf(a.registry)).toEqual(['a', 'b']), PATIENCE);
    expect(late.registry.isRegistered).toBe(true);
  });

  it('tells a node whose ID another process has taken', async () => {
    const [first, second] = [await open('a'), await open('a')];
    await first.registry.start();
    const client = new Redis(server.url.reveal());
    await client.flushall();
    client.disconnect();
    await second.registry.start().catch(() => undefined);
    await vi.waitFor(() => {
      const told = first.onNodeIdTaken.mock.calls.length;
      expect([told, first.registry.isRegistered !== second.registry.isRegistered]).toEqual([
        second.registry.isRegistered ? 1 : 0,
        true,
      ]);
    }, PATIENCE);
  });
});
