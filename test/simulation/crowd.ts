/**
 * A crowd: viewers who come and go together, so that cameras close and open again, more views that end, and someone who has the media
 * URL of a view that was ended and tries it at all nodes.
 */

import type { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import { requestOf } from './viewer.ts';
import { Host } from './world.ts';

/** The seed's chance of everything here. Seeds without it are as they were before. */
const CHANCE = 0x1b05688c;
const SHARE_OF_SEEDS = 0.4;
const MEAN_PAUSE_MS = 3_000;
/** Between two requests with the URL of an ended view. */
const OLD_URL_PAUSE_MS = 700;
/** URLs that are tried: the newest. */
const MAX_URLS = 6;

export class Crowd {
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #host = new Host('old-url');
  #isOver = false;

  private constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  /** null: in this seed, there is none. */
  static of(simulation: Simulation): Crowd | null {
    const random = new Random(simulation.world.seed ^ CHANCE);
    return random.chance(SHARE_OF_SEEDS) ? new Crowd(simulation, random) : null;
  }

  begin(): void {
    this.#comeAndGo();
    this.#tryOldUrls();
  }

  end(): void {
    this.#isOver = true;
  }

  #comeAndGo(): void {
    this.#simulation.world.after(-Math.log(1 - this.#random.next()) * MEAN_PAUSE_MS, () => {
      if (this.#isOver) return;
      this.#act();
      this.#comeAndGo();
    });
  }

  #act(): void {
    const { viewers, people, nodes, world } = this.#simulation;
    const chance = this.#random.next();
    if (chance < 0.2) {
      world.trace.note('people', 'everyone leaves');
      for (const viewer of viewers) viewer.leave();
    } else if (chance < 0.7) people.watch();
    else {
      const node = this.#random.pick(nodes);
      if (node.isHealthy) people.endView(node);
    }
  }

  #tryOldUrls(): void {
    this.#simulation.world.after(OLD_URL_PAUSE_MS, () => {
      if (this.#isOver) return;
      const { nodes, rights } = this.#simulation;
      const folders = rights.endedFolders.slice(-MAX_URLS);
      const ready = nodes.filter(({ isHealthy }) => isHealthy);
      if (folders.length > 0 && ready.length > 0) {
        void this.#try(this.#random.pick(folders), this.#random.pick(ready));
      }
      this.#tryOldUrls();
    });
  }

  async #try(folder: string, node: SimulatedNode): Promise<void> {
    const { world, invariants } = this.#simulation;
    const sentMs = world.nowMs;
    const url = `${folder}file.m3u8`;
    const response = await requestOf(this.#simulation, this.#host, { node, method: 'GET', url });
    invariants.view('an old URL', folder, node, sentMs, response);
  }
}
