/**
 * When emergencies end by this process's monotonic clock. A wall clock that is set back must keep none open for longer, and one that is set
 * ahead ends them early, by the access decision. So the earlier of both clocks counts (docs/design/emergency.md#invariants).
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Emergency } from './emergency-link.ts';

interface Known {
  readonly untilMs: number;
  readonly endMonoMs: number;
}

export class EmergencyTimes {
  readonly #clock: Pick<Clock, 'epochMs' | 'monoMs'>;
  readonly #known = new Map<Ruuid, Known>();

  constructor(clock: Pick<Clock, 'epochMs' | 'monoMs'>) {
    this.#clock = clock;
  }

  /** Milliseconds until it ends; 0: it is over. Call it when the record is first seen. */
  leftMs({ uuid, body: { untilMs, setAtMs } }: Pick<Emergency, 'uuid' | 'body'>): number {
    const nowMonoMs = this.#clock.monoMs();
    const leftByWallMs = untilMs - this.#clock.epochMs();
    let known = this.#known.get(uuid);
    if (known?.untilMs !== untilMs) {
      // At a start with a clock that is behind, no more is left than was given.
      known = { untilMs, endMonoMs: nowMonoMs + Math.min(leftByWallMs, untilMs - setAtMs) };
      this.#known.set(uuid, known);
    }
    return Math.max(0, Math.min(leftByWallMs, known.endMonoMs - nowMonoMs));
  }

  forget(uuid: Ruuid): void {
    this.#known.delete(uuid);
  }
}
