/**
 * Removes records that are older than the configuration keeps: device reports, crossings and occupancy counts, the audit
 * trail. In slices with a pause after each, so that requests get their turn in the database. Of several gateways on one
 * database, one sweeps.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { HeldLease } from '../store/held-lease.ts';
import type { Store } from '../store/store.ts';
import { boundOf } from './stored-reports.ts';

export const SWEEP_INTERVAL_MS = 3_600_000;
/** The work of a gateway that is starting comes first. */
export const FIRST_SWEEP_AFTER_MS = 60_000;
/** Rows per transaction. */
export const ROWS_PER_SLICE = 500;
/** After each slice that removed something. */
export const SLICE_PAUSE_MS = 50;

export interface RetentionPeriods {
  readonly eventsMs: number;
  readonly crossingsMs: number;
  readonly auditMs: number;
  /** Limit of one organization. */
  readonly auditMaxRows: number;
}

export interface RetentionOptions {
  readonly store: Pick<Store, 'organizations' | 'events' | 'crossings' | 'occupancy' | 'audit' | 'leases'>;
  readonly periods: RetentionPeriods;
  /** Reports that are kept as long as the audit trail; absent: there are none. */
  readonly reports?: { removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> };
  readonly clock: Clock;
  readonly log: Log;
}

const LEASE_NAME = 'retention';
/** The other gateways' sweeps would find nothing. */
const SWEPT_FOR_MS = SWEEP_INTERVAL_MS / 2;

export class RetentionSweeper {
  readonly #owner = newRuuid();
  readonly #options: RetentionOptions;
  #timer: TimerHandle;
  #sweeping: Promise<void> | null = null;
  #endPause: (() => void) | null = null;
  #isStopped = false;

  /** Sweeps for the first time in a minute, and every hour after that. */
  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#timer = this.#arm(FIRST_SWEEP_AFTER_MS);
  }

  /** Resolves when no slice is running anymore. The rest is removed after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    this.#endPause?.();
    await this.#sweeping;
  }

  /** Removes everything that is too old now, until `lost` is aborted. Fails like the store. */
  async sweep(lost: AbortSignal = new AbortController().signal): Promise<number> {
    const { store, periods, clock, reports } = this.#options;
    const nowMs = clock.epochMs();
    let removed = 0;
    for (const { uuid } of await store.organizations.list()) {
      for (const { table, keptMs } of [
        { table: store.events, keptMs: periods.eventsMs },
        { table: store.crossings, keptMs: periods.crossingsMs },
        { table: store.occupancy, keptMs: periods.crossingsMs },
        { table: store.audit, keptMs: periods.auditMs },
        ...(reports === undefined ? [] : [{ table: reports, keptMs: periods.auditMs }]),
      ]) {
        if (nowMs > keptMs) {
          removed += await this.#empty(lost, (limit) => table.removeBefore(uuid, nowMs - keptMs, limit));
        }
      }
      removed += await this.#empty(lost, (limit) =>
        store.audit.removeExcess(uuid, periods.auditMaxRows, limit),
      );
      // Rows that another version of the gateway left; this version makes room with each batch.
      for (const [table, limit] of [
        [store.events, 'events'],
        [store.crossings, 'crossings'],
        [store.occupancy, 'occupancyCounts'],
      ] as const) {
        removed += await this.#empty(lost, (rows) => table.removeExcess(uuid, boundOf(limit), rows));
      }
    }
    return removed;
  }

  async #empty(lost: AbortSignal, remove: (limit: number) => Promise<number>): Promise<number> {
    let removed = 0;
    while (!this.#isStopped && !lost.aborted) {
      const rows = await remove(ROWS_PER_SLICE);
      if (rows === 0) break;
      removed += rows;
      await this.#pause();
    }
    return removed;
  }

  #arm(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => {
      this.#sweeping = this.#sweepAndLog();
    });
  }

  async #sweepAndLog(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#sweepInTurn();
    } catch (thrown) {
      log.error({ err: toGatewayError(thrown) }, 'old reports not removed');
    }
    if (!this.#isStopped) this.#timer = this.#arm(SWEEP_INTERVAL_MS);
  }

  async #sweepInTurn(): Promise<void> {
    const { store, clock, log } = this.#options;
    const lease = await HeldLease.take(store.leases, LEASE_NAME, this.#owner, clock);
    if (lease === null) return;
    let isSwept = false;
    try {
      const removed = await this.sweep(lease.lost);
      isSwept = !this.#isStopped;
      if (removed > 0) log.info({ rows: removed }, 'old reports removed');
    } finally {
      await (isSwept ? lease.leaveFor(SWEPT_FOR_MS) : lease.release());
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
