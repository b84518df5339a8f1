/** The service levels of every share that is measured, by who measured, and of all together. Memory is bounded. */

import type { Clock } from '../core/clock.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Goals } from './goals.ts';
import { LevelHistory } from './level-history.ts';
import type { LevelSource, Measurement } from './measurement.ts';

/** Shares that the synthetic viewer plays. */
export const MAX_PROBED_SHARES = 50;

export class LevelBooks {
  readonly #clock: Clock;
  readonly goals: Goals;
  readonly #overall: Readonly<Record<LevelSource, LevelHistory>>;
  /** Histories of the shares that the operator chose. */
  readonly #probed = new Map<Ruuid, LevelHistory>();
  /** In the order of their last report. */
  readonly #reported = new FairMap<LevelHistory, typeof LIMITS.reportedShares>(LIMITS.reportedShares);

  constructor(clock: Clock, goals: Goals) {
    this.#clock = clock;
    this.goals = goals;
    this.#overall = { probe: new LevelHistory(clock), viewers: new LevelHistory(clock) };
  }

  /** `orgUuid`: whose share it is; of probes, which the operator chose, it does not matter. */
  add(source: LevelSource, shareUuid: Ruuid, measured: Measurement, orgUuid = ''): void {
    this.#bookOf(source, shareUuid, orgUuid).add(measured, this.goals);
    this.#overall[source].add(measured, this.goals);
  }

  /** The history of all shares, including forgotten ones. */
  overall(source: LevelSource): LevelHistory {
    return this.#overall[source];
  }

  /** null: nothing was measured. */
  of(source: LevelSource, shareUuid: Ruuid): LevelHistory | null {
    const books = source === 'probe' ? this.#probed : this.#reported;
    return books.get(shareUuid) ?? null;
  }

  shares(source: LevelSource): Iterable<readonly [Ruuid, LevelHistory]> {
    // `add` uses share UUIDs as keys.
    return source === 'probe' ? this.#probed : (this.#reported as Iterable<[Ruuid, LevelHistory]>);
  }

  /** The share is no longer measured by `source`, or no longer exists. */
  forget(source: LevelSource, shareUuid: Ruuid): void {
    const books = source === 'probe' ? this.#probed : this.#reported;
    books.delete(shareUuid);
  }

  #bookOf(source: LevelSource, shareUuid: Ruuid, orgUuid: string): LevelHistory {
    const known = source === 'probe' ? this.#probed.get(shareUuid) : this.#reported.touch(shareUuid);
    if (known !== undefined) return known;
    const book = new LevelHistory(this.#clock);
    if (source === 'probe') this.#probed.set(shareUuid, book);
    else this.#reported.set(shareUuid, { organization: orgUuid }, book);
    return book;
  }
}
