import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import type { CountedShare, Counters } from './counters.ts';
import { countedShare, describeCountersContract } from './counters-contract.ts';
import { openRedisCounters, type RedisCountersOptions } from './redis-counters.ts';
import { RedisServerProcess } from './redis-server-fixture.ts';

const COMMAND_TIMEOUT_MS = 250;

let server: RedisServerProcess;
beforeAll(async () => {
  server = await RedisServerProcess.start();
});
afterAll(() => server.kill());

beforeEach(() => withClient((client) => client.flushall()));

const opened: Counters[] = [];
afterEach(async () => {
  for (const counters of opened.splice(0)) await counters.close();
});

async function open(options: Partial<RedisCountersOptions> = {}): Promise<Counters> {
  const counters = await openRedisCounters({
    url: server.url,
    clock: systemClock,
    log: silentLog,
    onReturned: async () => undefined,
    flushIntervalMs: 20,
    commandTimeoutMs: COMMAND_TIMEOUT_MS,
    ...options,
  });
  opened.push(counters);
  return counters;
}

describeCountersContract('Redis', (options) => open(options));

describe('Redis counters of several nodes', () => {
  it('add up', async () => {
    const [first, second] = [await open(), await open()];
    const share = countedShare({ nvrUuid: newRuuid() });
    await first.putShare(share);
    await second.putShare(countedShare({ cameraUuid: share.cameraUuid }));
    expect(await second.shareCounts([share.cameraUuid, share.nvrUuid!])).toEqual([2, 1]);
    first.viewerSeen(share.uuid, 'anna');
    second.viewerSeen(share.uuid, 'ben');
    await vi.waitFor(async () => expect(await first.viewerCounts([share.uuid])).toEqual([2]));
    expect(first.localViewerCount(share.uuid)).toBe(1);
    await second.removeShare(share.uuid);
    expect(await first.shareCounts([share.cameraUuid])).toEqual([1]);
  });

  it('leave behind only keys that the key layout names, all in one slot', async () => {
    const counters = await open();
    const share = countedShare();
    await counters.putShare(share);
    counters.viewerSeen(share.uuid, 'anna');
    await counters.viewerCounts([share.uuid]);
    const keys = await withClient((client) => client.keys('*'));
    expect(keys.sort()).toEqual([
      `sluice:{counts}:device:${share.cameraUuid}`,
      'sluice:{counts}:shares',
      `sluice:{counts}:viewers:${share.uuid}`,
    ]);
    // -1: without an end.
    const remaining = await withClient((client) => client.pttl(`sluice:{counts}:viewers:${share.uuid}`));
    expect(remaining).not.toBe(-1);
    await counters.removeShare(share.uuid);
    expect(await withClient((client) => client.exists(keys[0]!, keys[1]!))).toBe(0);
  });

  it('report a viewer who keeps watching three times per timeout, not at every sighting', async () => {
    const clock = new FakeClock();
    const counters = await open({ clock, viewerTimeoutMs: 15_000, flushIntervalMs: 500 });
    const share = newRuuid();
    const before = await commandsProcessed('zadd');
    for (let i = 0; i < 60; i++) {
      counters.viewerSeen(share, 'anna');
      clock.advance(500);
      await counters.viewerCounts([share]);
    }
    expect((await commandsProcessed('zadd')) - before).toBe(6);
  });
});

describe('an unavailable Redis', () => {
  it('at the start: counts locally, and reconciles when Redis is available', {
    timeout: 30_000,
  }, async () => {
    await server.kill();
    const log = new RecordingLog();
    const share = countedShare();
    const onReturned = vi.fn(() => counters.reconcile([share]));
    const counters = await open({ log, onReturned });
    expect(counters.status()).toBe('down');
    expect(counters.connection()).toMatchObject({
      isConnected: false,
      lastError: expect.stringMatching(/./),
    });
    await counters.reconcile([share]);
    expect(await counters.shareCounts([share.cameraUuid])).toEqual([1]);
    await server.restart();
    await vi.waitFor(() => expect(counters.status()).toBe('up'), { timeout: 15_000 });
    expect(onReturned).toHaveBeenCalledOnce();
    expect(counters.connection()).toMatchObject({ isConnected: true });
    expect(await counters.shareCounts([share.cameraUuid])).toEqual([1]);
    expect(await withClient((client) => client.hlen('sluice:{counts}:shares'))).toBe(1);
  });

  it('killed and restarted under load: no call fails, and the counts end up correct', {
    timeout: 30_000,
  }, async () => {
    const log = new RecordingLog();
    const truth = new Map<string, CountedShare>();
    const counters = await open({ log, onReturned: () => counters.reconcile([...truth.values()]) });
    const cameras = Array.from({ length: 10 }, () => newRuuid());
    const watched = newRuuid();
    let round = 0;
    const work = async () => {
      const n = round++;
      const share = countedShare({ cameraUuid: cameras[n % 10]!, nvrUuid: newRuuid() });
      truth.set(share.uuid, share);
      counters.viewerSeen(watched, `viewer ${n % 50}`);
      await counters.putShare(share);
      if (n % 3 === 0) {
        truth.delete(share.uuid);
        await counters.removeShare(share.uuid);
      }
      expect((await counters.shareCounts(cameras)).length).toBe(10);
      expect(await counters.viewerCounts([watched])).toHaveLength(1);
    };
    const workUntil = async (reached: () => boolean) => {
      while (!reached()) {
        await Promise.all(Array.from({ length: 8 }, work));
        // Without Redis, everything above happens in one turn of the event loop.
        await setImmediate();
      }
    };

    await workUntil(() => round >= 100);
    const killed = server.kill();
    await workUntil(() => counters.status() === 'down' && round >= 300);
    await killed;
    const restarted = server.restart();
    await workUntil(() => counters.status() === 'up');
    await restarted;

    const expected = cameras.map(
      (cameraUuid) => [...truth.values()].filter((share) => share.cameraUuid === cameraUuid).length,
    );
    expect(await counters.shareCounts(cameras)).toEqual(expected);
    const observer = await open();
    expect(await observer.shareCounts(cameras)).toEqual(expected);
    expect(await observer.viewerCounts([watched])).toEqual([50]);
    expect(log.lines).toEqual([
      'info Redis connected',
      'warn Redis unavailable, counting in this process only',
      'info Redis available again',
    ]);
    expect(log.fields.at(-1)).toMatchObject({ awayMs: expect.any(Number) });
  });

  it('silent on an open connection: one read waits for the command timeout, and no other one waits', {
    timeout: 30_000,
  }, async () => {
    const counters = await open({ onReturned: () => counters.reconcile([share]) });
    const share = countedShare();
    await counters.putShare(share);
    server.freeze();
    try {
      // Redis answers nothing before it is thawed: it is the timeout that ends this.
      expect(await counters.shareCounts([share.cameraUuid])).toEqual([1]);
      expect(counters.status()).toBe('down');
      const later = counters.putShare(share).then(() => counters.viewerCounts([share.uuid]));
      // Whatever waits for a timer or a socket takes longer than one turn of the event loop.
      expect(await Promise.race([later, setImmediate('still waiting')])).toEqual([0]);
    } finally {
      server.thaw();
    }
    await vi.waitFor(() => expect(counters.status()).toBe('up'), { timeout: 15_000 });
    expect(await counters.shareCounts([share.cameraUuid])).toEqual([1]);
  });

  it('refusing writes: counts locally until it accepts them again', { timeout: 30_000 }, async () => {
    const log = new RecordingLog();
    const share = countedShare();
    const counters = await open({ log, onReturned: () => counters.reconcile([share]) });
    await withClient((client) => client.config('SET', 'maxmemory', '1'));
    await counters.putShare(share);
    expect(counters.status()).toBe('down');
    expect(await counters.shareCounts([share.cameraUuid])).toEqual([1]);
    await withClient((client) => client.config('SET', 'maxmemory', '0'));
    await vi.waitFor(() => expect(counters.status()).toBe('up'), { timeout: 15_000 });
    expect(await withClient((client) => client.hlen('sluice:{counts}:shares'))).toBe(1);
    expect(log.lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  });

  it('failed reconciliation is requested again', { timeout: 30_000 }, async () => {
    await server.kill();
    const onReturned = vi.fn(async () => undefined);
    onReturned.mockRejectedValueOnce(new Error('the store is busy'));
    const counters = await open({ onReturned });
    await server.restart();
    await vi.waitFor(() => expect(counters.status()).toBe('up'), { timeout: 15_000 });
    expect(onReturned).toHaveBeenCalledTimes(2);
  });
});

describe('openRedisCounters', () => {
  it('refuses other URLs without showing them', async () => {
    const url = new CredentialUrl('http://user:hush@localhost');
    await expect(open({ url })).rejects.toMatchObject({ code: 'COUNTERS_REDIS_URL' });
  });

  it('shows no password in the log', async () => {
    const log = new RecordingLog();
    const { port } = server.url;
    await open({ log, url: new CredentialUrl(`redis://user:hush@127.0.0.1:${port}`) });
    expect(log.lines).toHaveLength(1);
    expect(JSON.stringify(log.fields)).not.toContain('hush');
  });
});

class RecordingLog implements Log {
  readonly lines: string[] = [];
  readonly fields: object[] = [];
  debug = this.#recorder('debug');
  info = this.#recorder('info');
  warn = this.#recorder('warn');
  error = this.#recorder('error');

  child(): Log {
    return this;
  }

  #recorder(level: string) {
    return (fields: object, message: string) => {
      this.lines.push(`${level} ${message}`);
      this.fields.push(fields);
    };
  }
}

async function withClient<T>(work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(server.url.reveal());
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** How many times the server has run a command. */
async function commandsProcessed(command: string): Promise<number> {
  const text = await withClient((client) => client.info('commandstats'));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0);
}
