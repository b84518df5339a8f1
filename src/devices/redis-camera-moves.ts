/**
 * Moves of cameras as all nodes of a cluster see them, in Redis. Each change is one script, so that nodes agree on the order. Times are
 * those of the Redis server.
 *
 * - `sluice:{<cluster>}:move:<camera>` hash: `last`, the token of the running move, empty if there is none; `wanted`, that of the newest
 *   request; `turn` and `turnUntilMs`, the request in progress. Expires
 * - `sluice:{<cluster>}:moves` sorted set: `<organization> <camera>` by the time at which any node may end its move
 *
 * While Redis is unavailable, each node ends its own moves: a camera that stops too early is better than one that keeps moving.
 */

import type { Redis } from 'ioredis';
import { type Clock, pause } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { RedisLink } from '../counters/redis-link.ts';
import {
  type CameraMoves,
  MOVE_CALL_MS,
  type MovedCamera,
  type MoveOutcome,
  type MoveToken,
  type OverdueMove,
} from './camera-moves.ts';
import { DEVICE_ERRORS } from './errors.ts';

const COMMAND_TIMEOUT_MS = 300;
/** The wait for the request of another node: then this node's request goes first. */
const TURN_WAIT_MS = 2_000;
const TURN_LOOK_MS = 50;
/** How long after its time a move is left to the node that began it. */
const OVERDUE_MS = 2_000;
/** Longer than any move, and than all attempts to end it. */
const KEPT_MS = 120_000;
/** The most overdue moves that one node takes at a time. */
const MAX_OVERDUE = 10;

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * A turn of the node that asks. A move that others have ended is not ended again, unless a node has ended during a request. KEYS: camera,
 * moves. ARGV: token, member, kind (`first`, `again`, `end`), 1 to go ahead of the request in progress, time of a request, time until
 * others may end it, lifetime.
 */
const TURN_SCRIPT = `
${NOW}
local kind, callMs = ARGV[3], tonumber(ARGV[5])
local state = redis.call('HMGET', KEYS[1], 'last', 'wanted', 'turn', 'turnUntilMs')
local last, wanted, turn, untilMs = state[1], state[2], state[3], tonumber(state[4])
if kind == 'first' then
  redis.call('HSET', KEYS[1], 'wanted', ARGV[1])
elseif kind == 'again' and wanted and wanted ~= ARGV[1] then
  return 'replaced'
elseif kind == 'end' and last == '' and not redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  return 'replaced'
elseif kind == 'end' and last and last ~= '' and last ~= ARGV[1] then
  return 'replaced'
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
if turn and turn ~= ARGV[1] and untilMs > now and ARGV[4] ~= '1' then return 'busy' end
redis.call('HSET', KEYS[1], 'turn', ARGV[1], 'turnUntilMs', now + callMs)
local dueMs = now + callMs + ARGV[6]
if kind == 'end' then
  redis.call('ZADD', KEYS[2], dueMs, ARGV[2])
else
  redis.call('ZADD', KEYS[2], 'NX', dueMs, ARGV[2])
end
return 'taken'
`;

/**
 * A request without its turn, because the node was paused, counts only if nothing else has happened. KEYS: camera, moves. ARGV: token,
 * member, outcome, time until others may end it, lifetime.
 */
const SETTLE_SCRIPT = `
${NOW}
local state = redis.call('HMGET', KEYS[1], 'last', 'turn')
local last, turn = state[1], state[2]
local isLast = not last or last == '' or last == ARGV[1]
if turn ~= ARGV[1] and not isLast then return 0 end
if turn == ARGV[1] then redis.call('HDEL', KEYS[1], 'turn', 'turnUntilMs') end
if ARGV[3] == 'moves' then
  redis.call('HSET', KEYS[1], 'last', ARGV[1])
  redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[2])
elseif ARGV[3] == 'ends' then
  redis.call('HSET', KEYS[1], 'last', '')
  redis.call('ZREM', KEYS[2], ARGV[2])
elseif not last or last == '' then
  redis.call('ZREM', KEYS[2], ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
`;

/** KEYS: moves. ARGV: how many, how long they are the caller's. */
const OVERDUE_SCRIPT = `
${NOW}
local members = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(members) do redis.call('ZADD', KEYS[1], now + ARGV[2], member) end
return members
`;

type Turn = 'taken' | 'busy' | 'replaced';

export interface RedisCameraMovesOptions {
  readonly url: CredentialUrl;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class RedisCameraMoves implements CameraMoves {
  readonly #link: RedisLink;
  readonly #clock: Clock;
  readonly #prefix: string;

  private constructor({ url, clusterName, clock, log }: RedisCameraMovesOptions) {
    this.#clock = clock;
    this.#prefix = `sluice:{${clusterName}}:`;
    this.#link = new RedisLink({
      url,
      clock,
      log,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      unavailableMessage: 'Redis unavailable, each node ends its own moves of cameras',
      onReturned: async () => undefined,
    });
  }

  /** Resolves after the first attempt to connect, whether or not it succeeded. */
  static async open(options: RedisCameraMovesOptions): Promise<RedisCameraMoves> {
    const moves = new RedisCameraMoves(options);
    await moves.#link.start();
    return moves;
  }

  async begin(camera: MovedCamera): Promise<MoveToken> {
    const token = newRuuid();
    const turn = await this.#turn(camera, token, false);
    if (turn === 'replaced') throw new GatewayError(DEVICE_ERRORS.PTZ_MOVE_REPLACED);
    return turn === null ? null : token;
  }

  async beginEnd(camera: MovedCamera, move: MoveToken): Promise<boolean> {
    return move === null || (await this.#turn(camera, move, true)) !== 'replaced';
  }

  async settle(camera: MovedCamera, move: MoveToken, outcome: MoveOutcome): Promise<MoveToken> {
    if (move === null) return null;
    const overdueInMs = outcome.kind === 'moves' ? outcome.endsInMs + OVERDUE_MS : 0;
    const args = [move, memberOf(camera), outcome.kind, overdueInMs, KEPT_MS];
    const isKnown = await this.#run((client) =>
      client.eval(SETTLE_SCRIPT, 2, ...this.#keys(camera), ...args),
    );
    return isKnown === null ? null : move;
  }

  async overdue(): Promise<readonly OverdueMove[]> {
    const found = await this.#run(async (client) => {
      const claimMs = MOVE_CALL_MS + OVERDUE_MS;
      const reply = await client.eval(OVERDUE_SCRIPT, 1, this.#ends, MAX_OVERDUE, claimMs);
      const cameras = (reply as string[]).map(cameraOf);
      return Promise.all(
        cameras.map(async (camera) => ({ camera, last: await client.hget(this.#keys(camera)[0], 'last') })),
      );
    });
    // Without a last move, a node has ended while its request was in progress.
    return (found ?? []).map(({ camera, last }) => ({ camera, token: last || newRuuid() }));
  }

  close(): void {
    this.#link.close();
  }

  /** null: Redis is unavailable. */
  async #turn(camera: MovedCamera, token: string, isEnd: boolean): Promise<Turn | null> {
    const sinceMonoMs = this.#clock.monoMs();
    let kind = isEnd ? 'end' : 'first';
    for (;;) {
      const isPatient = this.#clock.monoMs() - sinceMonoMs < TURN_WAIT_MS;
      const args = [token, memberOf(camera), kind, isPatient ? '0' : '1', MOVE_CALL_MS, OVERDUE_MS, KEPT_MS];
      const turn = await this.#run((client) => client.eval(TURN_SCRIPT, 2, ...this.#keys(camera), ...args));
      if (turn !== 'busy') return turn as Turn | null;
      await pause(this.#clock, TURN_LOOK_MS);
      if (!isEnd) kind = 'again';
    }
  }

  async #run<T>(work: (client: Redis) => Promise<T>): Promise<T | null> {
    return this.#link.isUp ? this.#link.run(work) : null;
  }

  get #ends(): string {
    return `${this.#prefix}moves`;
  }

  #keys({ uuid }: MovedCamera): [camera: string, moves: string] {
    return [`${this.#prefix}move:${uuid}`, this.#ends];
  }
}

function memberOf({ orgUuid, uuid }: MovedCamera): string {
  return `${orgUuid} ${uuid}`;
}

function cameraOf(member: string): MovedCamera {
  const [orgUuid, uuid] = member.split(' ');
  return { orgUuid: orgUuid as Ruuid, uuid: uuid as Ruuid };
}
