/** Lets some tasks run side by side and others alone. */

export class Turns {
  #running = 0;
  #isExclusive = false;
  readonly #waiting: { readonly isExclusive: boolean; readonly start: () => void }[] = [];

  /** Runs `task` when its turn comes, in the order of the calls. An exclusive one runs while no other does. */
  async run<T>(isExclusive: boolean, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ isExclusive, start });
      this.#next();
    });
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#isExclusive = false;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#isExclusive || (first.isExclusive && this.#running > 0)) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#isExclusive = first.isExclusive;
      first.start();
    }
  }
}
