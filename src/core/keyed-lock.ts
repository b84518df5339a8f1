/** Runs asynchronous work on one key in turn: read, change and write back without interference. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Starts `work` when all earlier work on `key` has ended, successfully or not. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(work, work);
    this.#tails.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === turn) this.#tails.delete(key);
    }
  }
}
