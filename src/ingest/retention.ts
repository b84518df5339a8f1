/**
 * Removes records that are older than the configuration keeps: device reports, crossings and occupancy counts, the audit
 * trail.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { LeasedSweep, type SweepTurn } from '../store/leased-sweep.ts';
import type { Store } from '../store/store.ts';
import { boundOf } from './stored-reports.ts';

export const FIRST_SWEEP_AFTER_MS = 60_000;
/** Rows per transaction. */
export const ROWS_PER_SLICE = 500;

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

export class RetentionSweeper {
  readonly #options: RetentionOptions;
  readonly #sweep: LeasedSweep;

  /** Sweeps for the first time in a minute, and every hour after that. */
  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#sweep = new LeasedSweep({
      leases: options.store.leases,
      name: 'retention',
      what: 'old reports',
      firstAfterMs: FIRST_SWEEP_AFTER_MS,
      sweep: (turn) => this.#removeOld(turn),
      clock: options.clock,
      log: options.log,
    });
  }

  stop(): Promise<void> {
    return this.#sweep.stop();
  }

  /** Removes everything that is too old now. Fails like the store. */
  sweep(): Promise<number> {
    return this.#sweep.sweep();
  }

  async #removeOld(turn: SweepTurn): Promise<number> {
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
          removed += await removeAll(turn, (limit) => table.removeBefore(uuid, nowMs - keptMs, limit));
        }
      }
      removed += await removeAll(turn, (limit) =>
        store.audit.removeExcess(uuid, periods.auditMaxRows, limit),
      );
      // Rows that another version of the gateway left; this version makes room with each batch.
      for (const [table, limit] of [
        [store.events, 'events'],
        [store.crossings, 'crossings'],
        [store.occupancy, 'occupancyCounts'],
      ] as const) {
        removed += await removeAll(turn, (rows) => table.removeExcess(uuid, boundOf(limit), rows));
      }
    }
    return removed;
  }
}

async function removeAll(turn: SweepTurn, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  while (!turn.isOver) {
    const rows = await remove(ROWS_PER_SLICE);
    if (rows === 0) break;
    removed += rows;
    await turn.pause();
  }
  return removed;
}
