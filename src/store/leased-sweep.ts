/**
 * Looks through the store at an interval and removes what is over. If several gateways share a database, one of them sweeps.
 * Work goes in slices with a pause after each, so that requests get their turn in the database.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { HeldLease } from './held-lease.ts';
import type { LeaseRepository } from './lease.ts';

export const SWEEP_INTERVAL_MS = 3_600_000;
/** After each slice that removed something. */
export const SLICE_PAUSE_MS = 50;
/** After a whole sweep, those of the other gateways would find nothing. */
const SWEPT_FOR_MS = SWEEP_INTERVAL_MS / 2;

export interface SweepTurn {
  /** True: another gateway may sweep now, or this one stops. The rest is left for the next sweep. */
  readonly isOver: boolean;
  /** Resolves after `SLICE_PAUSE_MS`, or when the gateway stops. */
  pause(): Promise<void>;
}

export interface LeasedSweepOptions {
  readonly leases: LeaseRepository;
  /** Name of the lease. */
  readonly name: string;
  /** What is removed, for the log: `old reports`. */
  readonly what: string;
  /** The work of a gateway that is starting comes first. */
  readonly firstAfterMs: number;
  /** Resolves with how many were removed. A rejection is logged, and the next sweep tries again. */
  readonly sweep: (turn: SweepTurn) => Promise<number>;
  readonly clock: Clock;
  readonly log: Log;
}

export class LeasedSweep {
  readonly #owner = newRuuid();
  readonly #options: LeasedSweepOptions;
  #timer: TimerHandle;
  #sweeping: Promise<void> = Promise.resolve();
  #endPause: (() => void) | null = null;
  #isStopped = false;

  /** Sweeps after `firstAfterMs`, and every hour after that. */
  constructor(options: LeasedSweepOptions) {
    this.#options = options;
    this.#timer = this.#arm(options.firstAfterMs);
  }

  /** Resolves when no slice is running anymore. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    this.#endPause?.();
    await this.#sweeping;
  }

  /** Sweeps until `lost` is aborted, with or without the lease. Rejects like the work. */
  sweep(lost: AbortSignal = new AbortController().signal): Promise<number> {
    const isOver = () => this.#isStopped || lost.aborted;
    return this.#options.sweep({
      get isOver() {
        return isOver();
      },
      pause: () => this.#pause(),
    });
  }

  #arm(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => {
      this.#sweeping = this.#sweepInTurn()
        .catch((thrown) => {
          const { log, what } = this.#options;
          log.error({ err: toGatewayError(thrown) }, `${what} not removed`);
        })
        .finally(() => {
          if (!this.#isStopped) this.#timer = this.#arm(SWEEP_INTERVAL_MS);
        });
    });
  }

  async #sweepInTurn(): Promise<void> {
    const { leases, name, what, clock, log } = this.#options;
    const lease = await HeldLease.take(leases, name, this.#owner, clock);
    if (lease === null) return;
    let isWhole = false;
    try {
      const removed = await this.sweep(lease.lost);
      isWhole = !this.#isStopped;
      if (removed > 0) log.info({ removed }, `${what} removed`);
    } finally {
      await (isWhole ? lease.leaveFor(SWEPT_FOR_MS) : lease.release());
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) {
        resolve();
        return;
      }
      const timer = this.#options.clock.after(SLICE_PAUSE_MS, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
