/**
 * Viewings come as often as viewers like: one row stands for all that one share sees from one address and program in a
 * while. It is written at the first, and what it stands for is written behind (AuditTrail). An IPv6 address counts as its
 * /64. Programs name themselves, so an address may have few of them: what names itself otherwise is merged without a name.
 */

import type { Clock } from '../core/clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { AuditRepetition, VIEWING_ACTIONS } from '../store/audit.ts';

/** After this time a row is complete, and the next viewing begins another. */
export const MERGE_VIEWINGS_MS = 10 * 60_000;
/** Rows that may still grow; beyond it the oldest grow no more. */
export const MAX_GROWING_ROWS = 10_000;
/** Programs of one address at one share that are named. */
export const MAX_NAMED_PROGRAMS = 8;

export interface Viewing {
  readonly action: (typeof VIEWING_ACTIONS)[number];
  readonly shareUuid: Ruuid;
  /** null: not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A row to be written. */
export interface NewViewingRow {
  readonly uuid: Ruuid;
  readonly userAgent: string | null;
}

interface GrowingRow {
  readonly uuid: Ruuid;
  readonly beganMonoMs: number;
  occurrences: number;
  lastAtMs: number;
}

export class ViewingMerger {
  readonly #clock: Clock;
  /** By share and address, then by program; in the order in which the newest row of each began. */
  readonly #places = new Map<string, Map<string | null, GrowingRow>>();
  #size = 0;
  /** Stand for more than was written. */
  readonly #grown = new Set<GrowingRow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rows that may still grow. */
  get size(): number {
    return this.#size;
  }

  /** The row to be written for it; null: it is part of one. */
  add({ action, shareUuid, address, userAgent }: Viewing): NewViewingRow | null {
    const place = `${action} ${shareUuid} ${address === null ? '' : subscriberOf(address)}`;
    const programs = this.#places.get(place) ?? new Map<string | null, GrowingRow>();
    const nowMonoMs = this.#clock.monoMs();
    this.#dropComplete(programs, nowMonoMs);
    const isNamed = programs.has(userAgent) || programs.size < MAX_NAMED_PROGRAMS;
    const program = isNamed ? userAgent : null;
    const known = programs.get(program);
    if (known !== undefined) {
      known.occurrences++;
      known.lastAtMs = this.#clock.epochMs();
      this.#grown.add(known);
      return null;
    }
    const row = { uuid: newRuuid(), beganMonoMs: nowMonoMs, occurrences: 1, lastAtMs: this.#clock.epochMs() };
    programs.set(program, row);
    this.#size++;
    this.#places.delete(place);
    this.#places.set(place, programs);
    if (this.#size > MAX_GROWING_ROWS) this.#forgetOldestPlace();
    return { uuid: row.uuid, userAgent: program };
  }

  /** What rows stand for that was not told yet. */
  takeGrown(): readonly (AuditRepetition & { readonly uuid: Ruuid })[] {
    const grown = [...this.#grown].map(({ uuid, occurrences, lastAtMs }) => ({
      uuid,
      occurrences,
      lastAtMs,
    }));
    this.#grown.clear();
    return grown;
  }

  /** Every viewing begins a row again: those before may not have been written. */
  startOver(): void {
    this.#places.clear();
    this.#grown.clear();
    this.#size = 0;
  }

  #dropComplete(programs: Map<string | null, GrowingRow>, nowMonoMs: number): void {
    for (const [program, { beganMonoMs }] of programs) {
      if (nowMonoMs - beganMonoMs < MERGE_VIEWINGS_MS) return;
      programs.delete(program);
      this.#size--;
    }
  }

  #forgetOldestPlace(): void {
    const [place, programs] = this.#places.entries().next().value!;
    this.#places.delete(place);
    this.#size -= programs.size;
  }
}
