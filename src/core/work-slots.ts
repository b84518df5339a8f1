/** Limits how many pieces of work run at the same time, of each owner and of all. What finds no slot is refused, not queued. */

export interface WorkSlotsOptions {
  readonly perOwner: number;
  readonly total: number;
  readonly refusal: () => Error;
}

export class WorkSlots {
  readonly #options: WorkSlotsOptions;
  readonly #runningByOwner = new Map<string, number>();
  #running = 0;

  constructor(options: WorkSlotsOptions) {
    this.#options = options;
  }

  /** Rejects with the refusal if there is no slot, otherwise settles like `work`. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const { perOwner, total, refusal } = this.#options;
    const ofOwner = this.#runningByOwner.get(owner) ?? 0;
    if (ofOwner >= perOwner || this.#running >= total) throw refusal();
    this.#runningByOwner.set(owner, ofOwner + 1);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      const left = (this.#runningByOwner.get(owner) ?? 1) - 1;
      if (left === 0) this.#runningByOwner.delete(owner);
      else this.#runningByOwner.set(owner, left);
    }
  }
}
