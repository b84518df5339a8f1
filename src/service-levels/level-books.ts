/** The service levels of every share that is measured, by who measured, and of all together. Memory is bounded. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Goals } from './goals.ts';
import { LevelHistory } from './level-history.ts';
import type { LevelSource, Measurement } from './measurement.ts';

/** Shares that the synthetic viewer plays. */
export const MAX_PROBED_SHARES = 50;
/** Shares whose viewers' reports have a history of their own. Beyond this, the one that was reported longest ago is forgotten. */
export const MAX_REPORTED_SHARES = 100;

const MAX_BOOKS: Readonly<Record<LevelSource, number>> = {
  probe: MAX_PROBED_SHARES,
  viewers: MAX_REPORTED_SHARES,
};

export class LevelBooks {
  readonly #clock: Clock;
  readonly goals: Goals;
  readonly #overall: Readonly<Record<LevelSource, LevelHistory>>;
  /** In the order of their last measurement. */
  readonly #shares = { probe: new Map<Ruuid, LevelHistory>(), viewers: new Map<Ruuid, LevelHistory>() };

  constructor(clock: Clock, goals: Goals) {
    this.#clock = clock;
    this.goals = goals;
    this.#overall = { probe: new LevelHistory(clock), viewers: new LevelHistory(clock) };
  }

  add(source: LevelSource, shareUuid: Ruuid, measured: Measurement): void {
    const books = this.#shares[source];
    const book = books.get(shareUuid) ?? new LevelHistory(this.#clock);
    books.delete(shareUuid);
    if (books.size >= MAX_BOOKS[source]) books.delete(books.keys().next().value!);
    books.set(shareUuid, book);
    book.add(measured, this.goals);
    this.#overall[source].add(measured, this.goals);
  }

  /** Of all shares, those that were forgotten included. */
  overall(source: LevelSource): LevelHistory {
    return this.#overall[source];
  }

  /** null: nothing was measured. */
  of(source: LevelSource, shareUuid: Ruuid): LevelHistory | null {
    return this.#shares[source].get(shareUuid) ?? null;
  }

  shares(source: LevelSource): Iterable<readonly [Ruuid, LevelHistory]> {
    return this.#shares[source];
  }

  /** The share is no longer measured by `source`, or is gone. */
  forget(source: LevelSource, shareUuid: Ruuid): void {
    this.#shares[source].delete(shareUuid);
  }
}
