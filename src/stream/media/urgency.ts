/** Whom a worker is for: what decides who waits for one. */

import type { Clock } from '../../core/clock.ts';

/** Of a viewer who requests a camera that does not play yet once, and then waits. */
const LONGEST_WAIT_MS = 30_000;

/** The order is that in which waiting starts are admitted. */
export const URGENCIES = ['alarm', 'viewer', 'recording', 'picture'] as const;

/**
 * `alarm`: an alarm partner looks. `viewer`: someone else does. `recording`: nobody does, but it is kept. `picture`: it is for a
 * still image.
 */
export type Urgency = (typeof URGENCIES)[number];

/** Of several at once; `picture` if there is none. */
export function mostUrgent(urgencies: Iterable<Urgency>): Urgency {
  let first: Urgency = 'picture';
  for (const urgency of urgencies) {
    if (URGENCIES.indexOf(urgency) < URGENCIES.indexOf(first)) first = urgency;
  }
  return first;
}

/** A place in the line for an ffmpeg worker. */
export interface WorkerWait {
  /** Starts that are admitted earlier, as things are. */
  readonly ahead: number;
  /** Workers that run, of so many. */
  readonly running: number;
  readonly maxWorkers: number;
}

/** For whom a camera is open: the most urgent one that requested it lately. */
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
