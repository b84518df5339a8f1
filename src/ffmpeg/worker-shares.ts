/**
 * Each organization's share of the workers: their number or their cores, whichever is the greater part of all (dominant
 * resource fairness: Ghodsi et al., NSDI 2011). So an organization can gain nothing by a few large workers, or by many
 * small ones.
 */

/** Sums of decimal fractions are not exact. */
const TOLERANCE = 1e-6;

interface Holding {
  /** A worker that organizations share counts in parts. */
  workers: number;
  cores: number;
  /** Workers that no other organization shares. */
  own: number;
}

export class WorkerShares {
  readonly #maxWorkers: number;
  readonly #maxCores: number;
  readonly #held = new Map<string, Holding>();

  constructor(maxWorkers: number, maxCores: number) {
    this.#maxWorkers = maxWorkers;
    this.#maxCores = maxCores;
  }

  /** A worker that is the organization's alone. */
  add(organization: string, cores: number): void {
    this.#change(organization, 1, cores, 1);
  }

  remove(organization: string, cores: number): void {
    this.#change(organization, -1, -cores, -1);
  }

  /** A worker that organizations share, in the proportion of these counts. */
  addShared(counts: ReadonlyMap<string, number>, cores: number): void {
    this.#changeShared(counts, 1, cores);
  }

  removeShared(counts: ReadonlyMap<string, number>, cores: number): void {
    this.#changeShared(counts, -1, -cores);
  }

  /** Workers that are the organization's alone. */
  ownOf(organization: string): number {
    return this.#held.get(organization)?.own ?? 0;
  }

  /** Organizations other than this one that have a worker of their own. */
  hasOthers(organization: string): boolean {
    return this.#held.entries().some(([name, { own }]) => name !== organization && own > 0);
  }

  /** The part of all that the organization would hold with another such worker. */
  partWith(organization: string, cores: number): number {
    return this.#part(organization, 1, cores);
  }

  /** Whether `giver`, without a worker of `givenCores`, has no less than `taker` with one of `takenCores`. */
  staysAhead(giver: string, givenCores: number, taker: string, takenCores: number): boolean {
    return this.#part(giver, -1, -givenCores) + TOLERANCE >= this.#part(taker, 1, takenCores);
  }

  /** Like `staysAhead`; an equal part is enough, however much the start takes. */
  keepsEqualPart(giver: string, givenCores: number, taker: string, takenCores: number): boolean {
    const equal = 1 / new Set([...this.#held.keys(), taker]).size;
    return (
      this.#part(giver, -1, -givenCores) + TOLERANCE >= Math.min(equal, this.#part(taker, 1, takenCores))
    );
  }

  /** Whether another worker is more than an equal part for each of these organizations and of those that hold any. */
  isBeyondEqualPart(organization: string, others: Iterable<string>): boolean {
    const all = new Set([...this.#held.keys(), ...others, organization]);
    return all.size > 1 && this.#part(organization, 1, 0) > 1 / all.size + TOLERANCE;
  }

  /** Whether it would have no more than an equal part with so many more cores, and another organization has or wants some, too. */
  isWithinEqualPart(organization: string, moreCores: number, others: Iterable<string>): boolean {
    const all = new Set([...this.#held.keys(), ...others, organization]);
    return all.size > 1 && this.#part(organization, 0, moreCores) <= 1 / all.size + TOLERANCE;
  }

  #part(organization: string, moreWorkers: number, moreCores: number): number {
    const { workers = 0, cores = 0 } = this.#held.get(organization) ?? {};
    return Math.max((workers + moreWorkers) / this.#maxWorkers, (cores + moreCores) / this.#maxCores);
  }

  #change(organization: string, workers: number, cores: number, own: number): void {
    const held = this.#held.get(organization);
    if (held === undefined) {
      this.#held.set(organization, { workers, cores, own });
      return;
    }
    held.workers += workers;
    held.cores += cores;
    held.own += own;
  }

  #changeShared(counts: ReadonlyMap<string, number>, workers: number, cores: number): void {
    let all = 0;
    for (const count of counts.values()) all += count;
    for (const [organization, count] of counts) {
      this.#change(organization, (workers * count) / all, (cores * count) / all, 0);
    }
  }
}
