/** Whom a worker is for: what decides who waits for one. */

import type { Clock } from '../../core/clock.ts';

/** The longest wait of a viewer who requests a camera once before it plays. */
const LONGEST_WAIT_MS = 30_000;

/** The order is that in which waiting starts are admitted. */
export const URGENCIES = ['alarm', 'viewer', 'recording', 'picture'] as const;

/**
 * `alarm`: an alarm partner watches. `viewer`: another viewer watches. `recording`: the camera is only recorded. `picture`:
 * a still image is made.
 */
export type Urgency = (typeof URGENCIES)[number];

/** The most urgent of several; `picture` if there are none. */
export function mostUrgent(urgencies: Iterable<Urgency>): Urgency {
  let first: Urgency = 'picture';
  for (const urgency of urgencies) {
    if (URGENCIES.indexOf(urgency) < URGENCIES.indexOf(first)) first = urgency;
  }
  return first;
}

/** A place in the line for an ffmpeg worker. */
export interface WorkerWait {
  /** Starts that are admitted earlier, in the current order. */
  readonly ahead: number;
  /** Workers that run, of so many. */
  readonly running: number;
  readonly maxWorkers: number;
}

/** How urgently a camera is open: the most urgent recent request counts. */
export class RequestedUrgency {
  readonly #clock: Clock;
  readonly #idleStopMs: number;
  readonly #requestedMonoMs = new Map<Urgency, number>();

  /** `idleStopMs`: how long someone counts who does not ask again. */
  constructor(clock: Clock, idleStopMs: number) {
    this.#clock = clock;
    this.#idleStopMs = idleStopMs;
  }

  /** Hot: once per request. */
  note(urgency: Urgency): void {
    this.#requestedMonoMs.set(urgency, this.#clock.monoMs());
  }

  get current(): Urgency {
    const sinceMonoMs = this.#clock.monoMs() - this.#idleStopMs - LONGEST_WAIT_MS;
    const isCurrent = (urgency: Urgency): boolean =>
      (this.#requestedMonoMs.get(urgency) ?? -Infinity) >= sinceMonoMs;
    return URGENCIES.find(isCurrent) ?? 'viewer';
  }
}
