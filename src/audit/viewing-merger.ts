/**
 * Viewers come as often as they like, so one row covers everything that one share, or one camera with one key, sees from
 * one address and program for a while. The row is written at the first view, and its count is written later (AuditTrail). An IPv6 address counts as its
 * /64. Programs choose their own names, so an address can have only a few of them: any further program is merged without
 * a name.
 */

import type { Clock } from '../core/clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { AuditRepetition, VIEWING_ACTIONS } from '../store/audit.ts';

/** After this time a row is complete, and the next view begins another. */
export const MERGE_VIEWINGS_MS = 10 * 60_000;
/** Rows that can still grow; beyond this, the oldest stop growing. */
export const MAX_GROWING_ROWS = 10_000;
/** Named programs per address and share, or camera and key. */
export const MAX_NAMED_PROGRAMS = 8;

export interface Viewing {
  readonly action: (typeof VIEWING_ACTIONS)[number];
  /** The share; or the camera and the key, in one text. */
  readonly viewed: string;
  /** null: unknown. */
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
  /** By the viewed device and the address, then by program; ordered by when the newest row of each began. */
  readonly #places = new Map<string, Map<string | null, GrowingRow>>();
  #size = 0;
  /** Rows whose count is higher than the written one. */
  readonly #grown = new Set<GrowingRow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rows that can still grow. */
  get size(): number {
    return this.#size;
  }

  /** The row to write for it; null: it is part of an existing row. */
  add({ action, viewed, address, userAgent }: Viewing): NewViewingRow | null {
    const place = `${action} ${viewed} ${address === null ? '' : subscriberOf(address)}`;
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

  /** Counts that have not been reported yet. */
  takeGrown(): readonly (AuditRepetition & { readonly uuid: Ruuid })[] {
    const grown = [...this.#grown].map(({ uuid, occurrences, lastAtMs }) => ({
      uuid,
      occurrences,
      lastAtMs,
    }));
    this.#grown.clear();
    return grown;
  }

  /** Every view begins a new row again: the earlier rows may not have been written. */
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
