/**
 * Orders starts: first an organization without a worker, then the most urgent start, then the organization that would hold
 * the least, then the earliest start. A start gains an urgency class with each quarter of the longest wait. So after three
 * quarters, it is ahead of all later starts of its organization.
 *
 * Work that yields waits in lines of its own, one for each organization, behind the other starts of that organization.
 */

import type { Clock } from '../core/clock.ts';
import { YIELDING_RANK } from './shared-work.ts';
import type { WorkerShares } from './worker-shares.ts';

/** A start gains an urgency class with each of this many parts of the longest wait. */
const QUARTERS = 4;

export interface Waiting {
  /** Asked whenever the order matters: 0 is the most urgent. From YIELDING_RANK on, waiting gains nothing. */
  readonly rank: () => number;
  /** Asked whenever the order matters; work that yields without being shared has one that never changes. */
  readonly organizations: () => readonly string[];
  readonly cores: number;
  readonly sinceMonoMs: number;
}

/** A start whose turn it is, and the organization for which. */
export interface Turn<T> {
  readonly start: T;
  readonly organization: string;
}

interface Ranked<T> {
  readonly start: T;
  readonly rank: number;
  readonly sequence: number;
}

/** An organization's starts in the line, in its order. */
interface Row<T> {
  readonly organization: string;
  readonly urgent: readonly Ranked<T>[];
  readonly yielding: Iterator<T>;
  /** Index in `urgent`. */
  nextIndex: number;
  head: Ranked<T> | null;
}

export class WaitingLine<T extends Waiting> {
  readonly #classMs: number;
  readonly #clock: Clock;
  /** With when they came. */
  readonly #urgent = new Map<T, number>();
  /** By organization, in the order in which they came. */
  readonly #yielding = new Map<string, Map<T, number>>();
  #yieldingSize = 0;
  #sequence = 0;

  constructor(longestWaitMs: number, clock: Clock) {
    this.#classMs = longestWaitMs / QUARTERS;
    this.#clock = clock;
  }

  /** Without work that yields. */
  get size(): number {
    return this.#urgent.size;
  }

  get yieldingSize(): number {
    return this.#yieldingSize;
  }

  add(waiting: T): void {
    this.#urgent.set(waiting, this.#sequence++);
  }

  addYielding(waiting: T): void {
    const organization = organizationOfYielding(waiting);
    const row = this.#yielding.get(organization);
    if (row === undefined) this.#yielding.set(organization, new Map([[waiting, this.#sequence++]]));
    else row.set(waiting, this.#sequence++);
    this.#yieldingSize++;
  }

  remove(waiting: T): void {
    if (this.#urgent.delete(waiting)) return;
    const organization = organizationOfYielding(waiting);
    const row = this.#yielding.get(organization);
    if (row === undefined || !row.delete(waiting)) return;
    if (row.size === 0) this.#yielding.delete(organization);
    this.#yieldingSize--;
  }

  /** Without work that yields. */
  urgent(): Iterable<T> {
    return this.#urgent.keys();
  }

  *all(): IterableIterator<T> {
    yield* this.#urgent.keys();
    for (const row of this.#yielding.values()) yield* row.keys();
  }

  /**
   * Yields the starts in the order of their turns. Adds each start to `shares` after it was yielded. Starts that leave
   * while this runs are still yielded, unless they yield to others.
   */
  *inOrder(shares: WorkerShares): Generator<Turn<T>, void> {
    const rows = this.#rows(shares);
    for (let row = nextRow(rows, shares); row !== null; row = nextRow(rows, shares)) {
      const { head, organization } = row;
      yield { start: head!.start, organization };
      shares.add(organization, head!.start.cores);
      row.head = this.#headOf(row);
    }
  }

  /** The last of those that count, of the organization that has the most of them. Call only if there is any. */
  lastOfGreediest(shares: WorkerShares, counts: (waiting: T) => boolean): T {
    const rows = this.#rows(shares).map(({ urgent }) => urgent.filter(({ start }) => counts(start)));
    return longest(rows).at(-1)!.start;
  }

  /** The newest that yields, of the organization that has the most of those. Call only if there is any. */
  lastYielding(): T {
    return [...longest(Array.from(this.#yielding.values(), (row) => [...row.keys()]))].at(-1)!;
  }

  #rows(shares: WorkerShares): Row<T>[] {
    const nowMonoMs = this.#clock.monoMs();
    const urgent = new Map<string, Ranked<T>[]>();
    for (const [start, sequence] of this.#urgent) {
      const organization = leastOf(start.organizations(), shares);
      const ranked = { start, rank: this.#rank(start, nowMonoMs), sequence };
      const own = urgent.get(organization);
      if (own === undefined) urgent.set(organization, [ranked]);
      else own.push(ranked);
    }
    const organizations = new Set([...urgent.keys(), ...this.#yielding.keys()]);
    return Array.from(organizations, (organization) => {
      // Sorting keeps the order of equals.
      const sorted = (urgent.get(organization) ?? []).sort((a, b) => a.rank - b.rank);
      const yielding = (this.#yielding.get(organization) ?? new Map<T, number>()).keys();
      const row: Row<T> = { organization, urgent: sorted, yielding, nextIndex: 0, head: null };
      row.head = this.#headOf(row);
      return row;
    });
  }

  #headOf(row: Row<T>): Ranked<T> | null {
    const ranked = row.urgent[row.nextIndex];
    if (ranked !== undefined) {
      row.nextIndex++;
      return ranked;
    }
    const { value: start, done } = row.yielding.next();
    if (done === true) return null;
    const sequence = this.#yielding.get(row.organization)?.get(start) ?? 0;
    return { start, rank: YIELDING_RANK, sequence };
  }

  #rank(waiting: T, nowMonoMs: number): number {
    const own = waiting.rank();
    if (own >= YIELDING_RANK) return own;
    const classes = Math.floor((nowMonoMs - waiting.sinceMonoMs) / this.#classMs);
    // A wait of no time at all gains nothing, and no class is above the first.
    return Math.max(0, own - (Number.isFinite(classes) ? classes : 0));
  }
}

function organizationOfYielding({ organizations }: Waiting): string {
  return organizations()[0]!;
}

/** The organization that would hold the least with the start. */
function leastOf(organizations: readonly string[], shares: WorkerShares): string {
  let least = organizations[0]!;
  for (const each of organizations) {
    if (shares.partWith(each, 0) < shares.partWith(least, 0)) least = each;
  }
  return least;
}

function nextRow<T extends Waiting>(rows: readonly Row<T>[], shares: WorkerShares): Row<T> | null {
  let next: { readonly row: Row<T>; readonly key: readonly number[] } | null = null;
  for (const row of rows) {
    if (row.head === null) continue;
    const { organization, head } = row;
    const isBare = shares.ownOf(organization) === 0;
    const part = shares.partWith(organization, head.start.cores);
    const key = [isBare ? 0 : 1, head.rank, part, head.sequence];
    if (next === null || isBefore(key, next.key)) next = { row, key };
  }
  return next?.row ?? null;
}

/** Compares the first element that differs. */
export function isBefore(a: readonly number[], b: readonly number[]): boolean {
  for (const [index, value] of a.entries()) {
    if (value !== b[index]) return value < b[index]!;
  }
  return false;
}

function longest<T>(rows: readonly (readonly T[])[]): readonly T[] {
  let found = rows[0]!;
  for (const row of rows) if (row.length > found.length) found = row;
  return found;
}
