/**
 * Adversarial moments: when a process is about to do something that others rely on, a seed may let something happen exactly there. An
 * answer is late, a way is cut, a process freezes, drains or dies, the last viewers leave. What and when is chance; no order is
 * scripted (docs/design/simulation.md#moments).
 */

import { blockBoth, type Fault } from './faults.ts';
import { type Hold, MOMENTS, type Moment, type MomentListener, NO_HOLD } from './moment.ts';
import type { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import type { Host } from './world.ts';

/** The seed's chance of everything here. Seeds without it are as they were before. */
const CHANCE = 0x510e527f;
const SHARE_OF_SEEDS = 0.4;
/** Shares of the kinds of moments, and of the actions there. */
const SHARE_OF_MOMENTS = 0.6;
const SHARE_OF_ACTIONS = 0.35;
/** Something else happens in the same moment. */
const SECOND_CHANCE = 0.5;
/** An answer of the store that takes longer does not count. */
const STORE_MS = 4_800;
/** Where a node is left alone, something happens at another one. */
const ELSEWHERE_CHANCE = 0.2;

/** Where and when: a node, and the process that it is about to ask. */
interface Place {
  readonly node: SimulatedNode;
  readonly to: string;
}

type Action = (moments: Moments, place: Place) => Hold;

export class Moments implements MomentListener {
  readonly simulation: Simulation;
  readonly random: Random;
  readonly #moments: ReadonlySet<Moment>;
  readonly #actions: readonly string[];
  readonly #probability: number;
  readonly #meanRestMs: number;
  #restUntilMs = 0;
  #isActive = false;

  private constructor(simulation: Simulation, random: Random) {
    this.simulation = simulation;
    this.random = random;
    this.#moments = new Set(MOMENTS.filter(() => random.chance(SHARE_OF_MOMENTS)));
    this.#actions = [...ACTIONS.keys()].filter(() => random.chance(SHARE_OF_ACTIONS));
    this.#probability = random.pick([0.1, 0.3, 0.6]);
    this.#meanRestMs = random.pick([1_000, 4_000]);
  }

  /** null: in this seed, nothing depends on what processes are about to do. */
  static of(simulation: Simulation): Moments | null {
    const random = new Random(simulation.world.seed ^ CHANCE);
    return random.chance(SHARE_OF_SEEDS) ? new Moments(simulation, random) : null;
  }

  get names(): string {
    return `${[...this.#moments].join(', ')}; ${this.#actions.join(', ') || 'nothing happens'}`;
  }

  begin(): void {
    this.#isActive = true;
  }

  end(): void {
    this.#isActive = false;
  }

  about(moment: Moment, host: Host, to: string): Hold {
    const { world, nodes } = this.simulation;
    if (!this.#isActive || !this.#moments.has(moment) || this.#actions.length === 0) return NO_HOLD;
    if (world.nowMs < this.#restUntilMs || !this.random.chance(this.#probability)) return NO_HOLD;
    const node = nodes.find((each) => each.host === host);
    if (node === undefined || !host.isAlive) return NO_HOLD;
    this.#restUntilMs = world.nowMs - Math.log(1 - this.random.next()) * this.#meanRestMs;
    const names = [this.random.pick(this.#actions)];
    if (this.random.chance(SECOND_CHANCE)) names.push(this.random.pick(this.#actions));
    world.trace.note('MOMENT', `${node.name} ${moment}, to ${to}: ${[...new Set(names)].join(', ')}`);
    const holds = [...new Set(names)].map((name) => ACTIONS.get(name)!(this, { node, to }));
    return holds.find((hold) => hold !== NO_HOLD) ?? NO_HOLD;
  }

  /** Runs `work` once the current action of the process is under way. */
  soon(work: () => void): Hold {
    this.simulation.world.after(0, work);
    return NO_HOLD;
  }

  strike(name: string, lastsMs: number, begin: Fault): void {
    this.simulation.faults.strike({ name, begin }, lastsMs);
  }

  /** Mostly the node itself. */
  target({ node }: Place): SimulatedNode {
    return this.random.chance(ELSEWHERE_CHANCE) ? this.random.pick(this.simulation.nodes) : node;
  }
}

/** A connection to Redis ends with the first late answer, the store waits for seconds. */
const late: Action = (moments, { to }) => {
  const { random } = moments;
  const ms = to === 'redis' ? random.between(50, 400) : random.between(300, random.pick([2_000, STORE_MS]));
  moments.strike('late answer', ms, () => () => undefined);
  return random.chance(0.3) ? { requestMs: ms, replyMs: 0 } : { requestMs: 0, replyMs: ms };
};

/** Messages sent now wait, too. */
const cut: Action = (moments, { node, to }) => {
  moments.strike(`cut from ${to}`, moments.random.between(500, 6_000), (simulation) =>
    blockBoth(simulation, node.name, to),
  );
  return NO_HOLD;
};

const reset: Action = (moments, { node, to }) =>
  moments.soon(() => {
    moments.strike('link reset', 0, ({ links, nodes }) => {
      const others = nodes.filter(({ name }) => name !== node.name).map(({ name }) => name);
      if (others.length > 0) links.reset(node.name, others.includes(to) ? to : moments.random.pick(others));
      return null;
    });
  });

/**
 * A frozen machine acknowledges nothing: the answer that is under way is sent again, later and later, and may arrive a while
 * after everything else works.
 */
const freeze: Action = (moments, place) => {
  const { random } = moments;
  const { host } = moments.target(place);
  const ms = random.between(300, 4_500);
  moments.soon(() => {
    if (host.isFrozen || !host.isAlive) return;
    moments.strike('node freezes', ms, ({ world }) => {
      world.freeze(host);
      return () => world.thaw(host);
    });
  });
  if (host !== place.node.host || random.chance(0.3)) return NO_HOLD;
  return { requestMs: 0, replyMs: Math.min(ms * random.between(1, 1.5), STORE_MS) };
};

const drain: Action = (moments, place) =>
  moments.soon(() => {
    const node = moments.target(place);
    if (!node.isHealthy) return;
    moments.strike('node restarts', 0, (simulation) => {
      simulation.stopAndRestart(node);
      return null;
    });
  });

const kill: Action = (moments, place) => {
  const node = moments.target(place);
  moments.simulation.world.after(moments.random.pick([0, 2, 20]), () => {
    if (!node.isHealthy) return;
    const isSilent = moments.random.chance(0.3);
    moments.strike(
      isSilent ? 'machine lost' : 'node killed',
      moments.random.between(300, 6_000),
      (simulation) => {
        simulation.kill(node, isSilent);
        return () => simulation.restart(node.name);
      },
    );
  });
  return NO_HOLD;
};

/** All who watch at the node. */
const leave: Action = (moments, { node }) =>
  moments.soon(() => {
    for (const viewer of moments.simulation.viewers) if (viewer.isAt(node)) viewer.leave();
  });

const open: Action = (moments) => moments.soon(() => moments.simulation.people.watch());

const endView: Action = (moments, place) =>
  moments.soon(() => {
    const node = moments.target(place);
    if (node.isHealthy) moments.simulation.people.endView(node);
  });

/** Each of its streams gets another init segment, whose numbers are reserved. */
const parameterSets: Action = (moments) =>
  moments.soon(() => {
    moments.strike('parameter sets change', 0, ({ cameras }) => {
      moments.random.pick([...cameras.values()]).changeParameterSets();
      return null;
    });
  });

const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['late', late],
  ['cut', cut],
  ['reset', reset],
  ['freeze', freeze],
  ['drain', drain],
  ['kill', kill],
  ['leave', leave],
  ['open', open],
  ['end a view', endView],
  ['parameter sets', parameterSets],
]);
