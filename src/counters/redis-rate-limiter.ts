/**
 * Token buckets that all nodes share, in Redis. One script reads, refills and takes in one atomic step. While Redis is
 * unavailable, each node uses its own buckets.
 *
 * `sluice:rate:<policy>:{<key>}` is a hash of the bucket's `tokens` and `filledAtMs`; it expires when the bucket is full
 * again. Now is the gateway's clock. Nodes that share a Redis synchronize their clocks with NTP.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import {
  MemoryRateLimiter,
  type RateLimit,
  type RateLimiter,
  type RateVerdict,
  rateVerdict,
} from './rate-limiter.ts';
import { RedisLink } from './redis-link.ts';

/** A request waits no longer than this for its bucket. */
const COMMAND_TIMEOUT_MS = 250;

/** How long a full bucket is kept, so that nodes whose clocks differ a little agree on it. */
const KEPT_WHEN_FULL_MS = 60_000;

/** KEYS: the bucket. ARGV: burst, tokens per second, now, 1 to take and 0 to peek, how long a full bucket is kept. */
const BUCKET_SCRIPT = `
local burst, perSec, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'filledAtMs')
local tokens, filledAt = tonumber(state[1]) or burst, tonumber(state[2]) or now
if now > filledAt then
  tokens = tokens + (now - filledAt) / 1000 * perSec
  filledAt = now
end
if tokens > burst then tokens = burst end
local allowed = tokens >= 1
if ARGV[4] == '1' then
  if allowed then tokens = tokens - 1 end
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens), 'filledAtMs', string.format('%.0f', filledAt))
  redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / perSec * 1000) + tonumber(ARGV[5]))
end
return { allowed and 1 or 0, string.format('%.17g', tokens) }
`;

export interface RedisRateLimiters {
  /** The buckets of one policy. Nodes give the same limit to the same policy. */
  limiter(policy: string, limit: RateLimit): RateLimiter;
  close(): void;
}

/** Resolves after the first attempt to connect, whether or not it succeeded. */
export async function openRedisRateLimiters(options: {
  readonly url: CredentialUrl;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<RedisRateLimiters> {
  const { url, clock } = options;
  const log = options.log.child({ counts: 'requests' });
  const onReturned = async () => undefined;
  const link = new RedisLink({ url, clock, log, commandTimeoutMs: COMMAND_TIMEOUT_MS, onReturned });
  await link.start();
  return {
    limiter: (policy, limit) => new RedisRateLimiter(link, clock, policy, limit),
    close: () => link.close(),
  };
}

class RedisRateLimiter implements RateLimiter {
  readonly #link: RedisLink;
  readonly #clock: Clock;
  readonly #policy: string;
  readonly #limit: RateLimit;
  readonly #twin: MemoryRateLimiter;

  constructor(link: RedisLink, clock: Clock, policy: string, limit: RateLimit) {
    this.#link = link;
    this.#clock = clock;
    this.#policy = policy;
    this.#limit = limit;
    this.#twin = new MemoryRateLimiter(limit, clock);
  }

  async take(key: string): Promise<RateVerdict> {
    return (await this.#ask(key, '1')) ?? this.#twin.take(key);
  }

  async peek(key: string): Promise<RateVerdict> {
    return (await this.#ask(key, '0')) ?? this.#twin.peek(key);
  }

  async #ask(key: string, takes: '0' | '1'): Promise<RateVerdict | null> {
    if (!this.#link.isUp) return null;
    const reply = await this.#link.run((client) => this.#runScript(client, key, takes));
    if (reply === null) return null;
    const [allowed, tokens] = reply as [number, string];
    return rateVerdict(this.#limit, Number(tokens), allowed === 1);
  }

  #runScript(client: Redis, key: string, takes: '0' | '1'): Promise<unknown> {
    const { burst, perSec } = this.#limit;
    const bucket = `sluice:rate:${this.#policy}:{${key}}`;
    const nowMs = this.#clock.epochMs();
    return client.eval(BUCKET_SCRIPT, 1, bucket, burst, perSec, nowMs, takes, KEPT_WHEN_FULL_MS);
  }
}
