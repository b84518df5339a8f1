/**
 * Faults in a simulation, and their times. Each seed has some kinds of faults and not others: a fault that is rare among
 * all others is frequent in the seeds that have few other kinds.
 */

import type { SimulatedCamera } from './camera.ts';
import type { SimulatedNode } from './node.ts';
import type { Simulation } from './simulation.ts';

type Undo = () => void;
export type Fault = (simulation: Simulation) => Undo | null;

/** A fault that is over may have effects for a while. */
interface Kind {
  readonly name: string;
  readonly begin: Fault;
  /** How long it lasts, milliseconds. */
  readonly from: number;
  readonly to: number;
}

const pickNode = ({ world, nodes }: Simulation): SimulatedNode => world.random.pick(nodes);
const pickCamera = ({ world, cameras }: Simulation): SimulatedCamera =>
  world.random.pick([...cameras.values()]);

/** Until the undo, nothing arrives in either direction. */
export function blockBoth({ network }: Simulation, one: string, other: string): Undo {
  network.block(one, other);
  network.block(other, one);
  return () => {
    network.unblock(one, other);
    network.unblock(other, one);
  };
}

/** Two nodes, or null if there is only one. */
function pickPair(simulation: Simulation): [string, string] | null {
  const { world, nodes } = simulation;
  if (nodes.length < 2) return null;
  const first = world.random.below(nodes.length);
  const second = (first + 1 + world.random.below(nodes.length - 1)) % nodes.length;
  return [nodes[first]!.name, nodes[second]!.name];
}

const partition: Fault = (simulation) => {
  const pair = pickPair(simulation);
  return pair === null ? null : blockBoth(simulation, ...pair);
};

const oneWaySilence: Fault = (simulation) => {
  const pair = pickPair(simulation);
  if (pair === null) return null;
  simulation.network.block(...pair);
  return () => simulation.network.unblock(...pair);
};

const linkReset: Fault = (simulation) => {
  const pair = pickPair(simulation);
  if (pair !== null) simulation.links.reset(...pair);
  return null;
};

const cutFrom =
  (...services: string[]): Fault =>
  (simulation) => {
    const { name } = pickNode(simulation);
    const undos = services.map((service) => blockBoth(simulation, name, service));
    return () => {
      for (const undo of undos) undo();
    };
  };

/**
 * Every other time, from the other nodes, too. Which, chance does not decide: it has other things to decide then. Not where cameras are
 * recorded: a node that is alone lists a file later that another one has taken over and deleted.
 */
const cutFromBoth: Fault = (simulation) => {
  const { world, nodes, recordings } = simulation;
  const { name } = pickNode(simulation);
  const isAlone = recordings === null && Math.floor(world.nowMs) % 2 === 0;
  const others = nodes.filter((node) => isAlone && node.name !== name).map((node) => node.name);
  const undos = ['redis', 'database', ...others].map((other) => blockBoth(simulation, name, other));
  return () => {
    for (const undo of undos) undo();
  };
};

const cutFromCamera: Fault = (simulation) =>
  blockBoth(simulation, pickNode(simulation).name, pickCamera(simulation).host.name);

const slowHost: Fault = (simulation) => {
  const { world, network, nodes } = simulation;
  const name = world.random.pick([...nodes.map((node) => node.name), 'redis', 'database']);
  network.slow(name, world.random.between(20, 500));
  return () => network.slow(name, 0);
};

const redisStops: Fault = ({ world, redis }) => {
  if (!redis.isUp) return null;
  redis.stop(world.random.chance(0.5));
  return () => redis.start();
};

const redisFreezes: Fault = ({ world, redis }) => {
  world.freeze(redis.host);
  return () => world.thaw(redis.host);
};

const databaseStops: Fault = ({ database }) => {
  if (!database.isUp) return null;
  database.stop();
  return () => database.start();
};

const replyLost: Fault = ({ database }) => {
  database.lostReplies++;
  return null;
};

const killed =
  (isSilent: boolean): Fault =>
  (simulation) => {
    const node = pickNode(simulation);
    if (!node.host.isAlive || node.isStopping) return null;
    simulation.kill(node, isSilent);
    return () => simulation.restart(node.name);
  };

const nodeFreezes: Fault = (simulation) => {
  const { world } = simulation;
  const { host } = pickNode(simulation);
  if (host.isFrozen || !host.isAlive) return null;
  world.freeze(host);
  return () => world.thaw(host);
};

const nodeRestarts: Fault = (simulation) => {
  const node = pickNode(simulation);
  if (!node.isHealthy) return null;
  simulation.stopAndRestart(node);
  return null;
};

const wallClockSteps: Fault = (simulation) => {
  pickNode(simulation).clock.stepWallClock(Math.floor(simulation.world.random.between(-3_000, 3_000)));
  return null;
};

const onCamera =
  (begin: (camera: SimulatedCamera) => void, end?: (camera: SimulatedCamera) => void): Fault =>
  (simulation) => {
    const camera = pickCamera(simulation);
    begin(camera);
    return end === undefined ? null : () => end(camera);
  };

const KINDS: readonly Kind[] = [
  { name: 'partition', begin: partition, from: 500, to: 15_000 },
  { name: 'one-way silence', begin: oneWaySilence, from: 500, to: 10_000 },
  { name: 'link reset', begin: linkReset, from: 0, to: 0 },
  { name: 'cut from Redis', begin: cutFrom('redis'), from: 500, to: 15_000 },
  { name: 'cut from the database', begin: cutFrom('database'), from: 500, to: 12_000 },
  { name: 'cut from both', begin: cutFromBoth, from: 500, to: 8_000 },
  { name: 'cut from a camera', begin: cutFromCamera, from: 1_000, to: 15_000 },
  { name: 'slow host', begin: slowHost, from: 1_000, to: 10_000 },
  { name: 'Redis stops', begin: redisStops, from: 300, to: 12_000 },
  { name: 'Redis freezes', begin: redisFreezes, from: 200, to: 5_000 },
  { name: 'Redis hiccup', begin: redisFreezes, from: 320, to: 900 },
  { name: 'database stops', begin: databaseStops, from: 500, to: 8_000 },
  { name: 'reply lost', begin: replyLost, from: 0, to: 0 },
  { name: 'node killed', begin: killed(false), from: 500, to: 15_000 },
  { name: 'machine lost', begin: killed(true), from: 500, to: 15_000 },
  { name: 'node freezes', begin: nodeFreezes, from: 200, to: 8_000 },
  { name: 'node restarts', begin: nodeRestarts, from: 0, to: 0 },
  { name: 'wall clock steps', begin: wallClockSteps, from: 0, to: 0 },
  {
    name: 'camera stops',
    from: 300,
    to: 8_000,
    begin: onCamera(
      (it) => it.stop(),
      (it) => it.start(),
    ),
  },
  {
    name: 'camera falls silent',
    from: 1_000,
    to: 15_000,
    begin: onCamera(
      (it) => {
        it.isSilent = true;
      },
      (it) => {
        it.isSilent = false;
      },
    ),
  },
  { name: 'timestamps jump', from: 0, to: 0, begin: onCamera((it) => it.jump()) },
  { name: 'parameter sets change', from: 0, to: 0, begin: onCamera((it) => it.changeParameterSets()) },
  { name: 'camera disconnects', from: 0, to: 0, begin: onCamera((it) => it.disconnectAll()) },
  {
    name: 'camera takes one connection',
    from: 5_000,
    to: 40_000,
    begin: onCamera(
      (it) => {
        it.maxConnections = 1;
      },
      (it) => {
        it.maxConnections = Number.POSITIVE_INFINITY;
      },
    ),
  },
];

/** Faults from which a cluster recovers quickly. */
export const GENTLE: readonly string[] = ['node killed', 'node restarts', 'link reset', 'Redis hiccup'];

/** After these, an owner that was killed is followed once its lease without Redis has ended. */
export const REDIS_AWAY: readonly string[] = ['Redis stops', 'Redis freezes', 'cut from Redis'];

export class Faults {
  readonly #simulation: Simulation;
  readonly #kinds: readonly Kind[];
  readonly #meanPauseMs: number;
  readonly #undos = new Set<Undo>();
  /** By kind, when one last began, or ended. */
  readonly #lastMs = new Map<string, number>();
  readonly #lastBeginMs = new Map<string, number>();
  readonly #active = new Set<Pick<Kind, 'name'>>();
  #isOver = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { random } = simulation.world;
    const share = random.pick([0, 0.1, 0.2, 0.4, 0.6, 0.6]);
    // A quick recovery can only be observed without other faults.
    const kinds = share === 0.6 ? KINDS.filter(({ name }) => GENTLE.includes(name)) : KINDS;
    this.#kinds = kinds.filter(() => random.chance(share));
    this.#meanPauseMs = random.pick(share === 0.6 ? [8_000, 14_000] : [1_500, 4_000, 10_000]);
  }

  get names(): string {
    return this.#kinds.map(({ name }) => name).join(', ') || 'none';
  }

  /** Whether there has been no fault for so long, milliseconds, and there is none now, except for these kinds. */
  isCalm(forMs: number, but: readonly string[] = []): boolean {
    const { nowMs } = this.#simulation.world;
    for (const [name, lastMs] of this.#lastMs)
      if (nowMs - lastMs < forMs && !but.includes(name)) return false;
    for (const { name } of this.#active) if (!but.includes(name)) return false;
    return true;
  }

  /** When one of these kinds last began, world time. */
  lastBegin(names: readonly string[]): number {
    return Math.max(0, ...names.map((name) => this.#lastBeginMs.get(name) ?? 0));
  }

  /** None of these kinds is going on. */
  isOver(names: readonly string[]): boolean {
    return !this.#active.values().some(({ name }) => names.includes(name));
  }

  /** When one of these kinds last began or ended, world time. */
  lastChange(names: readonly string[]): number {
    return Math.max(0, ...names.map((name) => this.#lastMs.get(name) ?? 0));
  }

  begin(): void {
    if (this.#kinds.length > 0) this.#next();
  }

  /** Ends all that is wrong. */
  end(): void {
    this.#isOver = true;
    for (const undo of [...this.#undos]) undo();
    this.#simulation.network.heal();
    this.#simulation.database.lostReplies = 0;
  }

  #next(): void {
    const { world } = this.#simulation;
    world.after(-Math.log(1 - world.random.next()) * this.#meanPauseMs, () => {
      if (this.#isOver) return;
      this.#start(world.random.pick(this.#kinds));
      this.#next();
    });
  }

  #start({ from, to, ...kind }: Kind): void {
    this.strike(kind, () => this.#simulation.world.random.between(from, to));
  }

  /** Begins it now, for so long, milliseconds; null as an undo: it has no end. */
  strike({ name, begin }: Pick<Kind, 'name' | 'begin'>, lasts: number | (() => number)): void {
    const { world } = this.#simulation;
    const end = begin(this.#simulation);
    this.#lastMs.set(name, world.nowMs);
    this.#lastBeginMs.set(name, world.nowMs);
    const lastsMs = typeof lasts === 'number' ? lasts : lasts();
    world.trace.note('FAULT', end === null ? name : `${name}, for ${Math.round(lastsMs)} ms`);
    if (end === null) return;
    const active = { name };
    this.#active.add(active);
    const undo = (): void => {
      if (!this.#undos.delete(undo)) return;
      this.#active.delete(active);
      end();
      this.#lastMs.set(name, world.nowMs);
      world.trace.note('FAULT', `end of: ${name}`);
    };
    this.#undos.add(undo);
    world.after(lastsMs, undo);
  }
}
