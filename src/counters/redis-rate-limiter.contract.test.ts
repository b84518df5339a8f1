import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RtmpPublisher } from '../../test/support/rtmp-publisher.ts';
import { until } from '../../test/support/until.ts';
import { openApiFixture } from '../api/api-fixture.ts';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { type Attempt, AttemptLimiter } from '../sharing/attempt-limiter.ts';
import { OpenLimiter } from '../sharing/open-limiter.ts';
import { REFUSAL_DELAY_MS } from '../sources/rtmp/publish-connection.ts';
import { publishDigest } from '../sources/rtmp/publish-key.ts';
import { RtmpListener, WRONG_KEYS_PER_MINUTE } from '../sources/rtmp/rtmp-listener.ts';
import { describeRateLimiterContract } from './rate-limiter-contract.ts';
import { openRedisRateLimiters, type RedisRateLimiters } from './redis-rate-limiter.ts';
import { RedisServerProcess } from './redis-server-fixture.ts';

let server: RedisServerProcess;
let shared: RedisRateLimiters;
const clock = new FakeClock();
const open = () => openRedisRateLimiters({ url: server.url, clock, log: silentLog });

beforeAll(async () => {
  server = await RedisServerProcess.start();
  shared = await open();
});
const others: RedisRateLimiters[] = [];
afterEach(() => {
  for (const limiters of others.splice(0)) limiters.close();
});
afterAll(async () => {
  shared.close();
  await server.kill();
});

describeRateLimiterContract('Redis', (limit, testClock) => {
  return {
    take: async (key) => (await limiterAt(testClock)).limiter('test', limit).take(key),
    peek: async (key) => (await limiterAt(testClock)).limiter('test', limit).peek(key),
  };
});

/** Limiters on the shared server, with the clock of a test, opened once for that test. */
const byClock = new Map<FakeClock, Promise<RedisRateLimiters>>();
function limiterAt(testClock: FakeClock): Promise<RedisRateLimiters> {
  const known = byClock.get(testClock);
  if (known !== undefined) return known;
  const opening = openRedisRateLimiters({ url: server.url, clock: testClock, log: silentLog });
  byClock.set(testClock, opening);
  void opening.then((limiters) => others.push(limiters));
  return opening;
}

const KEY = 'yard-0123456789abcdefghij';
const WRONG_KEY = 'none-0123456789abcdefghij';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The listener of a node that has a camera with KEY. */
async function rtmpListener({ buckets }: RedisRateLimiters): Promise<RtmpListener> {
  const listen = { host: '127.0.0.1', port: 0 };
  const options = { listen, clock, log: silentLog, silenceMs: 120_000, onPublisher: () => undefined };
  const listener = new RtmpListener({ ...options, shared: buckets });
  closers.push(() => listener.close());
  listener.put(newRuuid(), publishDigest(new Secret(KEY)), 'off');
  await until('the listener', () => listener.port);
  return listener;
}

async function ask(listener: RtmpListener, key: string): Promise<void> {
  const device = await RtmpPublisher.connect(listener.port!);
  closers.push(() => device.close());
  await device.handshake();
  device.askToPublish('live', key);
}

describe('Redis rate limiters of several nodes', () => {
  it('share one bucket, which expires on its own', async () => {
    const second = await open();
    others.push(second);
    const caller = newRuuid();
    const limit = { burst: 2, perSec: 1 };
    expect((await shared.limiter('organization', limit).take(caller)).remaining).toBe(1);
    expect((await second.limiter('organization', limit).take(caller)).remaining).toBe(0);
    expect((await shared.limiter('organization', limit).take(caller)).isAllowed).toBe(false);
    expect((await shared.limiter('address', limit).take(caller)).isAllowed).toBe(true);
    const client = new Redis(server.url.reveal());
    const ttlMs = await client.pttl(`sluice:rate:organization:{${caller}}`);
    client.disconnect();
    expect(ttlMs).toBeGreaterThan(60_000);
    expect(ttlMs).toBeLessThanOrEqual(62_000);
  });

  it('count wrong passwords together, and give back those that were right', async () => {
    const second = await open();
    others.push(second);
    const share = newRuuid();
    const limits = { clock, perMinute: 2 };
    const here = new AttemptLimiter({ ...limits, shared: shared.buckets });
    const there = new AttemptLimiter({ ...limits, shared: second.buckets });
    const right = (await here.take(share, '192.0.2.1')) as Attempt;
    expect(await there.take(share, '192.0.2.1')).toHaveProperty('forgive');
    for (const limiter of [here, there]) {
      expect(await limiter.take(share, '192.0.2.1')).toEqual({ retryAfterMs: 30_000 });
    }
    right.forgive();
    right.forgive();
    // Nothing waits for tokens to be returned, and each node has its own connection: what follows it on this one has its response later.
    await here.take(newRuuid(), '192.0.2.1');
    expect(await there.take(share, '192.0.2.1')).toHaveProperty('forgive');
    expect(await here.take(share, '192.0.2.1')).toEqual({ retryAfterMs: 30_000 });
    expect(await here.take(share, '192.0.2.2')).toHaveProperty('forgive');
  });

  it('count openings together', async () => {
    const second = await open();
    others.push(second);
    const share = newRuuid();
    const [here, there] = [shared, second].map(
      ({ buckets }) => new OpenLimiter({ clock, perMinute: 5, shared: buckets }),
    );
    const requested = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? here! : there!).take(share, '192.0.2.1'),
    );
    const waits = await Promise.all(requested);
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(10);
    expect(Math.max(...waits)).toBe(12_000);
  });

  it('count wrong publish keys together, and keep nothing of a right one', async () => {
    const second = await open();
    others.push(second);
    const [here, there] = await Promise.all([rtmpListener(shared), rtmpListener(second)]);
    const halves = [here, there].flatMap((listener) =>
      Array.from({ length: WRONG_KEYS_PER_MINUTE / 2 }, () => ask(listener, WRONG_KEY)),
    );
    await Promise.all(halves);
    const client = new Redis(server.url.reveal());
    const left = async () => Number(await client.hget('sluice:rate:publish-key:{127.0.0.1}', 'tokens'));
    await until('all to be counted', async () => (await left()) === 0);
    await Promise.all([ask(here, KEY), ask(there, KEY)]);
    await until('all to be refused', () => {
      clock.advance(REFUSAL_DELAY_MS / 10);
      return [here, there].every((listener) => listener.counts().pending === 0);
    });
    for (const { refused } of [here.counts(), there.counts()]) {
      expect(Object.fromEntries(refused)).toEqual({
        RTMP_KEY_REFUSED: WRONG_KEYS_PER_MINUTE / 2,
        RTMP_TOO_MANY_TRIES: 1,
      });
    }
    clock.advance(60_000);
    await ask(there, KEY);
    await until('the publisher', () => there.counts().publishers === 1);
    await until('its token to be back', async () => (await left()) === WRONG_KEYS_PER_MINUTE);
    client.disconnect();
  });

  it('are used by the API if it gets them', async () => {
    const fixture = await openApiFixture({
      limits: { requestsPerOrg: { burst: 5, perSec: 1 } },
      overrides: { createRateLimiter: shared.limiter },
    });
    const first = await fixture.post('/api/integrations/validateToken');
    const onOtherNode = shared.limiter('organization', { burst: 5, perSec: 1 });
    await onOtherNode.take(fixture.own.organization.uuid);
    const second = await fixture.post('/api/integrations/validateToken');
    await fixture.close();
    expect([first.headers.ratelimit, second.headers.ratelimit]).toEqual([
      '"credential";r=3;t=2',
      '"organization";r=2;t=3',
    ]);
  });

  it('decide on their own while Redis is unavailable', async () => {
    const away = await RedisServerProcess.start();
    const limiters = await openRedisRateLimiters({ url: away.url, clock, log: silentLog });
    others.push(limiters);
    await away.kill();
    const limiter = limiters.limiter('organization', { burst: 1, perSec: 1 });
    expect((await limiter.take('a')).isAllowed).toBe(true);
    expect((await limiter.take('a')).isAllowed).toBe(false);
    const guesses = new AttemptLimiter({ clock, perMinute: 1, shared: limiters.buckets });
    const right = (await guesses.take(newRuuid(), '192.0.2.1')) as Attempt;
    right.forgive();
    const share = newRuuid();
    expect(await guesses.take(share, '192.0.2.1')).toHaveProperty('forgive');
    expect(await guesses.take(share, '192.0.2.1')).toEqual({ retryAfterMs: 60_000 });
  });

  it('do not keep a device waiting for a Redis that says nothing', async () => {
    const away = await RedisServerProcess.start();
    const limiters = await openRedisRateLimiters({ url: away.url, clock: systemClock, log: silentLog });
    others.push(limiters);
    const listener = await rtmpListener(limiters);
    away.freeze();
    await ask(listener, KEY);
    // The listener's clock does not move: only the limiter's own deadline can end its waiting.
    await until('the publisher', () => listener.counts().publishers === 1);
    away.thaw();
    await away.kill();
  });
});
