/**
 * A twin of Redis: its data in memory, the scripts of a cluster as functions, expiry by its own wall clock, and a connection for
 * each client over the simulation's network.
 */

import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import {
  BEGIN_OPENING_SCRIPT,
  FINISH_OPENING_SCRIPT,
  RELEASE_SCRIPT,
  RENEW_SCRIPT,
  REPLACE_SCRIPT,
  RESERVE_SCRIPT,
} from '../../src/cluster/nodes/lease-scripts.ts';
import { BEAT_SCRIPT, LEAVE_SCRIPT } from '../../src/cluster/nodes/node-registry.ts';
import type { Moment } from './moment.ts';
import { type Network, Pipe } from './network.ts';
import { ARRIVALS, Host, type World } from './world.ts';

type Reply = string | number | null | string[];
type Script = (redis: SimulatedRedis, keys: readonly string[], values: readonly string[]) => Reply;

interface Stored {
  readonly value: string;
  /** By the server's clock; null: it does not expire. */
  readonly untilMs: number | null;
}

export class SimulatedRedis {
  readonly host = new Host('redis');
  readonly #world: World;
  readonly #network: Network;
  readonly #values = new Map<string, Stored>();
  readonly #sets = new Map<string, Set<string>>();
  readonly #connections = new Set<RedisConnection>();
  #runId: string;
  #isUp = true;
  #wallOffsetMs = 0;

  constructor(world: World, network: Network) {
    this.#world = world;
    this.#network = network;
    this.#runId = world.random.bytes(20).toString('hex');
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get runId(): string {
    return this.#runId;
  }

  /** The client of a process; not connected yet. */
  client(of: Host): Redis {
    const connection = new RedisConnection(this, this.#network, of);
    return connection as unknown as Redis;
  }

  /** The process ends; `keeps`: it has saved everything. */
  stop(keeps: boolean): void {
    this.#isUp = false;
    for (const connection of this.#connections) connection.reset();
    this.#connections.clear();
    if (keeps) return;
    this.#values.clear();
    this.#sets.clear();
  }

  start(): void {
    this.#isUp = true;
    this.#runId = this.#world.random.bytes(20).toString('hex');
  }

  stepWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  opened(connection: RedisConnection): void {
    this.#connections.add(connection);
  }

  closed(connection: RedisConnection): void {
    this.#connections.delete(connection);
  }

  evaluate(script: string, keyCount: number, args: readonly string[]): Reply {
    const run = SCRIPTS.get(script);
    if (run === undefined) throw new Error('ERR a script that the simulation does not know');
    return run(this, args.slice(0, keyCount), args.slice(keyCount));
  }

  get(key: string): string | null {
    const stored = this.#values.get(key);
    if (stored === undefined) return null;
    if (stored.untilMs === null || stored.untilMs > this.#nowMs) return stored.value;
    this.#values.delete(key);
    return null;
  }

  /** Those of `keys` that do not expire within `afterMs`. */
  keysLeftAfter(keys: readonly string[], afterMs: number): string[] {
    return keys.filter((key) => {
      const stored = this.#values.get(key);
      return stored !== undefined && (stored.untilMs === null || stored.untilMs > this.#nowMs + afterMs);
    });
  }

  set(key: string, value: string, lifeMs: number | null = null): void {
    this.#values.set(key, { value, untilMs: lifeMs === null ? null : this.#nowMs + lifeMs });
  }

  setIfAbsent(key: string, value: string, lifeMs: number): boolean {
    if (this.get(key) !== null) return false;
    this.set(key, value, lifeMs);
    return true;
  }

  expire(key: string, lifeMs: number): void {
    const value = this.get(key);
    if (value !== null) this.set(key, value, lifeMs);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  members(key: string): Set<string> {
    let members = this.#sets.get(key);
    if (members === undefined) {
      members = new Set();
      this.#sets.set(key, members);
    }
    return members;
  }

  get #nowMs(): number {
    return this.#world.nowMs + this.#wallOffsetMs;
  }
}

const reserve: Script = (redis, [lease, open], [value, life]) => {
  if (redis.get(open!) !== redis.runId) return 'closed';
  if (redis.setIfAbsent(lease!, value!, Number(life))) return 'reserved';
  if (redis.get(lease!) !== value) return 'taken';
  redis.expire(lease!, Number(life));
  return 'reserved';
};

const replace: Script = (redis, [lease], [from, to, life]) => {
  if (redis.get(lease!) !== from) return 0;
  redis.set(lease!, to!, Number(life));
  return 1;
};

const release: Script = (redis, leases, values) => {
  leases.forEach((lease, i) => {
    if (redis.get(lease) === values[i]) redis.delete(lease);
  });
  return 1;
};

const renew: Script = (redis, [open, ...leases], [life, isProtected, ...values]) => {
  const restores = isProtected === '1' || redis.get(open!) !== redis.runId;
  return leases.map((lease, i) => {
    const value = redis.get(lease);
    if (value === values[i]) {
      redis.expire(lease, Number(life));
      return 'renewed';
    }
    if (value !== null || !restores) return 'not-mine';
    redis.set(lease, values[i]!, Number(life));
    return 'restored';
  });
};

const beginOpening: Script = (redis, [open, opening], [token, life]) => {
  if (redis.get(open!) === redis.runId) return 'open';
  return redis.setIfAbsent(opening!, `${token} ${redis.runId}`, Number(life)) ? 'begun' : 'waiting';
};

const finishOpening: Script = (redis, [open, opening], [token]) => {
  if (redis.get(opening!) !== `${token} ${redis.runId}`) return 0;
  redis.set(open!, redis.runId);
  redis.delete(opening!);
  return 1;
};

const beat: Script = (redis, [node, nodes], [nodeId, runId, text, life, prefix, limit]) => {
  const current = redis.get(node!);
  if (current !== null && !current.startsWith(`${runId} `)) return null;
  redis.set(node!, `${runId} ${text}`, Number(life));
  const ids = redis.members(nodes!);
  ids.add(nodeId!);
  const texts: string[] = [];
  for (const id of [...ids]) {
    const found = redis.get(prefix! + id);
    if (found === null) ids.delete(id);
    else if (texts.length < Number(limit)) texts.push(found);
  }
  return texts;
};

const leave: Script = (redis, [node, nodes], [nodeId, runId]) => {
  if (redis.get(node!)?.startsWith(`${runId} `) !== true) return 0;
  redis.delete(node!);
  redis.members(nodes!).delete(nodeId!);
  return 1;
};

const SCRIPTS: ReadonlyMap<string, Script> = new Map([
  [RESERVE_SCRIPT, reserve],
  [REPLACE_SCRIPT, replace],
  [RELEASE_SCRIPT, release],
  [RENEW_SCRIPT, renew],
  [BEGIN_OPENING_SCRIPT, beginOpening],
  [FINISH_OPENING_SCRIPT, finishOpening],
  [BEAT_SCRIPT, beat],
  [LEAVE_SCRIPT, leave],
]);

/** Scripts that do something that others rely on. */
const SCRIPT_MOMENTS: ReadonlyMap<string, Moment> = new Map([
  [RESERVE_SCRIPT, 'claims a camera'],
  [REPLACE_SCRIPT, 'confirms a lease'],
  [RELEASE_SCRIPT, 'gives a lease back'],
]);

interface WaitingCommand {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** The part of an ioredis client that RedisLink uses. */
class RedisConnection extends EventEmitter {
  readonly #redis: SimulatedRedis;
  readonly #network: Network;
  readonly #host: Host;
  readonly #waiting = new Set<WaitingCommand>();
  readonly #to: Pipe;
  readonly #back: Pipe;
  #isOver = false;

  constructor(redis: SimulatedRedis, network: Network, host: Host) {
    super();
    this.#redis = redis;
    this.#network = network;
    this.#host = host;
    this.#to = new Pipe(network, host, redis.host, () => this.#over('the connection timed out'));
    this.#back = new Pipe(network, redis.host, host, () => undefined);
  }

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ resolve: () => resolve(), reject });
      const [waiting] = this.#waiting;
      this.#to.send(() => {
        const { isUp } = this.#redis;
        if (isUp) this.#redis.opened(this);
        this.#back.send(() => {
          if (isUp) this.#settle(waiting!)?.resolve(null);
          else this.#over('connect ECONNREFUSED');
        });
      });
    });
  }

  eval(script: string, keyCount: number, ...args: readonly (string | number)[]): Promise<Reply> {
    const moment = SCRIPT_MOMENTS.get(script) ?? null;
    return this.#command(moment, () => this.#redis.evaluate(script, keyCount, args.map(String)));
  }

  get(key: string): Promise<Reply> {
    return this.#command('looks for an owner', () => this.#redis.get(key));
  }

  #command(moment: Moment | null, work: () => Reply): Promise<Reply> {
    if (this.#isOver) return Promise.reject(new Error('Connection is closed.'));
    const { requestMs, replyMs } = this.#network.about(moment, this.#host, this.#redis.host.name);
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#waiting.add(waiting);
      this.#to.send(() => {
        if (!this.#redis.isUp) return;
        const reply = work();
        this.#back.send(() => this.#settle(waiting)?.resolve(reply), replyMs);
      }, requestMs);
    });
  }

  /** Commands that were sent may still be carried out. */
  disconnect(): void {
    this.#over('Connection is closed.');
  }

  /** The server has ended. */
  reset(): void {
    this.#back.send(() => this.#over('read ECONNRESET'));
  }

  #settle(waiting: WaitingCommand): WaitingCommand | null {
    return this.#waiting.delete(waiting) ? waiting : null;
  }

  #over(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#back.end();
    // Arrives after the messages under way.
    this.#to.send(() => this.#redis.closed(this));
    const error = new Error(reason);
    this.emit('error', error);
    for (const waiting of this.#waiting) waiting.reject(error);
    this.#waiting.clear();
    this.#network.world.after(0, () => this.emit('close'), ARRIVALS, this.#host);
  }
}
