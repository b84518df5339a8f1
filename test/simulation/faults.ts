/** What goes wrong in a simulation, and when. */

import type { Simulation } from './simulation.ts';

export class Faults {
  readonly #simulation: Simulation;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Whether nothing has gone wrong for so long. */
  isCalm(forMs: number): boolean {
    return this.#simulation.world.nowMs - this.#lastMs >= forMs;
  }

  note(): void {
    this.#lastMs = this.#simulation.world.nowMs;
  }
}
