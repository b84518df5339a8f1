/**
 * Token buckets that all nodes share, in Redis. One script reads, refills and takes in one atomic step. While Redis is
 * unavailable, each node uses its own buckets.
 *
 * `sluice:rate:<policy>:{<key>}` is a hash of the bucket's `tokens` and `filledAtMs`; it expires when the bucket is full
 * again. Now is the gateway's clock. Nodes that share a Redis synchronize their clocks with NTP.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { type BucketSize, TokenBuckets, type TokenDraw, type TokenSource } from '../core/token-buckets.ts';
import { MemoryRateLimiter, type RateLimiter, type RateVerdict, rateVerdict } from './rate-limiter.ts';
import { RedisLink } from './redis-link.ts';

/** A request waits no longer than this for its bucket. */
const COMMAND_TIMEOUT_MS = 250;

/** How long a full bucket is kept, so that nodes whose clocks differ a little agree on it. */
const KEPT_WHEN_FULL_MS = 60_000;

const SCRIPT_ACTIONS = { peek: '0', take: '1', 'give-back': '2' } as const;
const MS_PER_SEC = 1_000;

/** KEYS: the bucket. ARGV: burst, tokens per second, now, 1 to take, 0 to peek and 2 to give back, how long a full bucket is kept. */
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
if ARGV[4] ~= '0' then
  if ARGV[4] == '2' then
    tokens = math.min(burst, tokens + 1)
  elseif allowed then
    tokens = tokens - 1
  end
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens), 'filledAtMs', string.format('%.0f', filledAt))
  redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / perSec * 1000) + tonumber(ARGV[5]))
end
return { allowed and 1 or 0, string.format('%.17g', tokens) }
`;

export interface RedisRateLimiters {
  /** The buckets of one policy. Nodes give the same limit to the same policy. */
  limiter(policy: string, limit: RateLimit): RateLimiter;
  /** The same buckets for those who give tokens back, and whose waits are in milliseconds. */
  buckets(policy: string, size: BucketSize): TokenSource;
  close(): void;
}

/** Resolves after the first attempt to connect, whether or not it succeeded. */
export async function openRedisRateLimiters(options: {
  readonly url: CredentialUrl;
  readonly clock: Clock;
  readonly log: Log;
  /** The counted thing, for the log. Default: requests. */
  readonly counts?: 'requests' | 'openings';
}): Promise<RedisRateLimiters> {
  const { url, clock, counts = 'requests' } = options;
  const log = options.log.child({ counts });
  const onReturned = async () => undefined;
  const link = new RedisLink({ url, clock, log, commandTimeoutMs: COMMAND_TIMEOUT_MS, onReturned });
  await link.start();
  return {
    limiter: (policy, limit) => new RedisRateLimiter(link, clock, policy, limit),
    buckets: (policy, size) => new RedisTokenBuckets(link, clock, policy, size),
    close: () => link.close(),
  };
}

/** The buckets of one policy, as they are in Redis. */
class RedisBuckets {
  readonly #link: RedisLink;
  readonly #clock: Clock;
  readonly #policy: string;
  readonly #limit: RateLimit;

  constructor(link: RedisLink, clock: Clock, policy: string, limit: RateLimit) {
    this.#link = link;
    this.#clock = clock;
    this.#policy = policy;
    this.#limit = limit;
  }

  /** null: Redis is unavailable. */
  async run(
    key: string,
    action: 'peek' | 'take' | 'give-back',
  ): Promise<{ readonly isAllowed: boolean; readonly tokens: number } | null> {
    if (!this.#link.isUp) return null;
    const reply = await this.#link.run((client) => this.#runScript(client, key, action));
    if (reply === null) return null;
    const [allowed, tokens] = reply as [number, string];
    return { isAllowed: allowed === 1, tokens: Number(tokens) };
  }

  #runScript(client: Redis, key: string, action: keyof typeof SCRIPT_ACTIONS): Promise<unknown> {
    const { burst, perSec } = this.#limit;
    const bucket = `sluice:rate:${this.#policy}:{${key}}`;
    const args = [burst, perSec, this.#clock.epochMs(), SCRIPT_ACTIONS[action], KEPT_WHEN_FULL_MS];
    return client.eval(BUCKET_SCRIPT, 1, bucket, ...args);
  }
}

class RedisRateLimiter implements RateLimiter {
  readonly #buckets: RedisBuckets;
  readonly #limit: RateLimit;
  readonly #twin: MemoryRateLimiter;

  constructor(link: RedisLink, clock: Clock, policy: string, limit: RateLimit) {
    this.#buckets = new RedisBuckets(link, clock, policy, limit);
    this.#limit = limit;
    this.#twin = new MemoryRateLimiter(limit, clock);
  }

  async take(key: string): Promise<RateVerdict> {
    return (await this.#ask(key, 'take')) ?? this.#twin.take(key);
  }

  async peek(key: string): Promise<RateVerdict> {
    return (await this.#ask(key, 'peek')) ?? this.#twin.peek(key);
  }

  async #ask(key: string, action: 'peek' | 'take'): Promise<RateVerdict | null> {
    const reply = await this.#buckets.run(key, action);
    return reply === null ? null : rateVerdict(this.#limit, reply.tokens, reply.isAllowed);
  }
}

class RedisTokenBuckets implements TokenSource {
  readonly #buckets: RedisBuckets;
  readonly #perMs: number;
  readonly #twin: TokenBuckets;

  constructor(link: RedisLink, clock: Clock, policy: string, size: BucketSize) {
    const { burst, refill } = size;
    this.#perMs = refill.tokens / refill.perMs;
    this.#buckets = new RedisBuckets(link, clock, policy, { burst, perSec: this.#perMs * MS_PER_SEC });
    this.#twin = new TokenBuckets({ clock, ...size });
  }

  async take(key: string): Promise<TokenDraw> {
    const reply = await this.#buckets.run(key, 'take');
    if (reply === null) return this.#twin.take(key);
    const { isAllowed: isTaken, tokens } = reply;
    const waitMs = isTaken ? 0 : Math.max(1, Math.ceil((1 - tokens) / this.#perMs));
    let isBack = !isTaken;
    const giveBack = () => {
      // If Redis is unavailable now, the token comes back with time.
      if (!isBack) void this.#buckets.run(key, 'give-back');
      isBack = true;
    };
    return { isTaken, tokens, waitMs, giveBack };
  }
}
