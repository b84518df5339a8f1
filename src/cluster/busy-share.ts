/**
 * How busy this thread's event loop has been of late. Every reading moves the share by how much time has passed since the one
 * before, so it does not matter how often, or by how many, it is read.
 */

import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Load from this long ago still counts for 37%, so short bursts do not change a node's weight. */
const MEMORY_MS = 15_000;

export class BusyShare {
  readonly #utilization: () => EventLoopUtilization;
  #last: EventLoopUtilization;
  #share = 0;

  /** `utilization`: since the event loop began. */
  constructor(utilization: () => EventLoopUtilization = () => performance.eventLoopUtilization()) {
    this.#utilization = utilization;
    this.#last = utilization();
  }

  /** From 0 to 1. Starts at 0. */
  read(): number {
    const now = this.#utilization();
    const activeMs = now.active - this.#last.active;
    const passedMs = activeMs + now.idle - this.#last.idle;
    if (passedMs <= 0) return this.#share;
    const kept = Math.exp(-passedMs / MEMORY_MS);
    this.#share = this.#share * kept + (activeMs / passedMs) * (1 - kept);
    this.#last = now;
    return this.#share;
  }
}
