/** For whom a camera is open: the most urgent one that asked lately. */

import type { Clock } from '../core/clock.ts';
import { URGENCIES, type Urgency } from './media/urgency.ts';

/** Of a viewer's request for a camera that does not play yet: it asks once, and then waits. */
const LONGEST_WAIT_MS = 30_000;

export class AskedUrgency {
  readonly #clock: Clock;
  readonly #idleStopMs: number;
  readonly #askedMonoMs = new Map<Urgency, number>();

  /** `idleStopMs`: how long someone counts who does not ask again. */
  constructor(clock: Clock, idleStopMs: number) {
    this.#clock = clock;
    this.#idleStopMs = idleStopMs;
  }

  /** Hot: once per request. */
  note(urgency: Urgency): void {
    this.#askedMonoMs.set(urgency, this.#clock.monoMs());
  }

  get current(): Urgency {
    const sinceMonoMs = this.#clock.monoMs() - this.#idleStopMs - LONGEST_WAIT_MS;
    const isAsking = (urgency: Urgency): boolean =>
      (this.#askedMonoMs.get(urgency) ?? -Infinity) >= sinceMonoMs;
    return URGENCIES.find(isAsking) ?? 'viewer';
  }
}
