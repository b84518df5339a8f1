/** Leases in Redis, each change in one atomic step. Values are `<node ID> <run ID> <fence>`. */

import type { Redis } from 'ioredis';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { ClusterKeys } from './redis-keys.ts';

/** A lease as Redis has it; fence 0: its claim is under way. */
export interface StoredLease extends NodeRun {
  readonly fence: number;
}

export type Reservation = 'reserved' | 'taken' | 'closed';
export type Opening = 'open' | 'begun' | 'waiting';
export type Renewal = 'renewed' | 'restored' | 'not-mine';

export function leaseValue({ nodeId, runId, fence }: StoredLease): string {
  return `${nodeId} ${runId} ${fence}`;
}

/** null: not a lease that a node wrote. */
export function parseLease(value: string | null): StoredLease | null {
  const [, nodeId, runId, fence] = /^([\w-]+) ([\w-]{22}) (\d{1,15})$/.exec(value ?? '') ?? [];
  if (nodeId === undefined || runId === undefined) return null;
  return { nodeId, runId: runId as Ruuid, fence: Number(fence) };
}

/** The run of the server's process. Another process may have lost leases: a restart, a failover. */
const SERVER_RUN = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;

/** A lease that was handed over is reserved for the run that gets it. KEYS: lease, open. ARGV: value, lifetime. */
export const RESERVE_SCRIPT = `
${SERVER_RUN}
if redis.call('GET', KEYS[2]) ~= run then return 'closed' end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 'reserved' end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'taken' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'reserved'
`;

/** KEYS: lease. ARGV: the value it must have, the new one, lifetime. */
export const REPLACE_SCRIPT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** KEYS: leases. ARGV: the value that each must have. */
export const RELEASE_SCRIPT = `
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[i] then redis.call('DEL', KEYS[i]) end
end
return 1
`;

/**
 * A missing lease is written again if the store protects it (ARGV[2] is 1), or if Redis has lost its data: then no other node can
 * claim it. KEYS: open, leases. ARGV: lifetime, whether the store protects them, the value that each must have.
 */
export const RENEW_SCRIPT = `
${SERVER_RUN}
local restores = ARGV[2] == '1' or redis.call('GET', KEYS[1]) ~= run
local outcomes = {}
for i = 2, #KEYS do
  local value, mine = redis.call('GET', KEYS[i]), ARGV[i + 1]
  outcomes[i - 1] = 'not-mine'
  if value == mine then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    outcomes[i - 1] = 'renewed'
  elseif not value and restores then
    redis.call('SET', KEYS[i], mine, 'PX', ARGV[1])
    outcomes[i - 1] = 'restored'
  end
end
return outcomes
`;

/** KEYS: open, opening. ARGV: token, lifetime. */
export const BEGIN_OPENING_SCRIPT = `
${SERVER_RUN}
if redis.call('GET', KEYS[1]) == run then return 'open' end
if redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. run, 'NX', 'PX', ARGV[2]) then return 'begun' end
return 'waiting'
`;

/** Only who has waited since this process of the server began opens it. KEYS: open, opening. ARGV: token. */
export const FINISH_OPENING_SCRIPT = `
${SERVER_RUN}
if redis.call('GET', KEYS[2]) ~= ARGV[1] .. ' ' .. run then return 0 end
redis.call('SET', KEYS[1], run)
redis.call('DEL', KEYS[2])
return 1
`;

export async function reserveLease(
  client: Redis,
  keys: ClusterKeys,
  cameraUuid: Ruuid,
  run: NodeRun,
  lifeMs: number,
): Promise<Reservation> {
  const value = leaseValue({ ...run, fence: 0 });
  const reply = await client.eval(RESERVE_SCRIPT, 2, keys.lease(cameraUuid), keys.open, value, lifeMs);
  return reply as Reservation;
}

/** Whether it was `from` until now. */
export async function replaceLease(
  client: Redis,
  key: string,
  from: StoredLease,
  to: StoredLease,
  lifeMs: number,
): Promise<boolean> {
  return (await client.eval(REPLACE_SCRIPT, 1, key, leaseValue(from), leaseValue(to), lifeMs)) === 1;
}

export async function releaseLeases(
  client: Redis,
  leases: readonly (readonly [key: string, lease: StoredLease])[],
): Promise<true> {
  const [names, values] = [leases.map(([key]) => key), leases.map(([, lease]) => leaseValue(lease))];
  await client.eval(RELEASE_SCRIPT, leases.length, ...names, ...values);
  return true;
}

/** One outcome per lease, in order. */
export async function renewLeases(
  client: Redis,
  keys: ClusterKeys,
  leases: readonly (readonly [key: string, lease: StoredLease])[],
  options: { readonly lifeMs: number; readonly isProtected: boolean },
): Promise<Renewal[]> {
  const reply = await client.eval(
    RENEW_SCRIPT,
    leases.length + 1,
    keys.open,
    ...leases.map(([key]) => key),
    options.lifeMs,
    options.isProtected ? '1' : '0',
    ...leases.map(([, lease]) => leaseValue(lease)),
  );
  return reply as Renewal[];
}

/** `begun`: this caller waits now, with `token`, to open Redis. `waiting`: someone else does, or did. */
export async function beginOpening(
  client: Redis,
  keys: ClusterKeys,
  token: string,
  lifeMs: number,
): Promise<Opening> {
  return (await client.eval(BEGIN_OPENING_SCRIPT, 2, keys.open, keys.opening, token, lifeMs)) as Opening;
}

export async function finishOpening(client: Redis, keys: ClusterKeys, token: string): Promise<boolean> {
  return (await client.eval(FINISH_OPENING_SCRIPT, 2, keys.open, keys.opening, token)) === 1;
}
